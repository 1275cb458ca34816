import Basics

/// One row of a screen: pieces of text with how each looks. There is no character in it that a terminal obeys, and it is
/// never wider than was asked for.
package struct ScreenLine: Equatable, Sendable {
    package struct Style: Equatable, Sendable {
        package var tone = TextLine.Tone.plain
        package var isBold = false
        package var isReversed = false
        /// Black on white, whatever the terminal's colours are.
        package var isPaper = false

        static let plain = Style()
        static let bold = Style(isBold: true)
        static let reversed = Style(isReversed: true)
        static let paper = Style(isPaper: true)
        static func tone(_ tone: TextLine.Tone) -> Style { Style(tone: tone) }
    }

    package struct Piece: Equatable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var pieces: [Piece] = []
    package private(set) var columns = 0

    package static let empty = ScreenLine()

    private init() {}

    /// What does not fit is left out; where it ended early says a sign, unless there is no room for that either.
    init(_ pieces: [(String, Style)], columns: Int, _ charset: Charset, isCut: Bool = false) {
        let shown = pieces.map { (text: charset.shown($0.0), style: $0.1) }
        let needed = shown.reduce(0) { $0 + DisplayWidth.ofScalars($1.text) }
        let isWhole = needed <= columns && !isCut
        let room = max(0, isWhole ? columns : columns - 1)
        for piece in shown where !piece.text.isEmpty {
            guard append(piece.text, piece.style, upTo: room) else { break }
        }
        if !isWhole, columns > 0 { add("\(charset.ellipsis)", shown.last?.style ?? .plain, columns: 1) }
    }

    init(_ text: String, _ style: Style = .plain, columns: Int, _ charset: Charset, isCut: Bool = false) {
        self.init([(text, style)], columns: columns, charset, isCut: isCut)
    }

    /// False when not all of it had room. A character and its marks stay together.
    private mutating func append(_ text: String, _ style: Style, upTo room: Int) -> Bool {
        var part = ""
        var used = 0
        var isWhole = true
        for character in text {
            let width = DisplayWidth.ofScalars(character)
            guard columns + used + width <= room else {
                isWhole = false
                break
            }
            part.append(character)
            used += width
        }
        if !part.isEmpty { add(part, style, columns: used) }
        return isWhole
    }

    private mutating func add(_ text: String, _ style: Style, columns width: Int) {
        pieces.append(Piece(text: text, style: style))
        columns += width
    }

    /// The same with its end marked as cut.
    func cut(to room: Int, _ charset: Charset) -> ScreenLine {
        ScreenLine(pieces.map { ($0.text, $0.style) }, columns: room, charset, isCut: true)
    }

    /// Without how it looks.
    package var text: String { pieces.map(\.text).joined() }
}
