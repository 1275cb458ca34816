import Basics

package struct ScreenSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    /// A terminal that names more is not believed: a frame is made anew several times a second.
    private static let most = 1000

    package init(columns: Int, rows: Int) {
        self.columns = max(1, min(Self.most, columns))
        self.rows = max(1, min(Self.most, rows))
    }
}

/// What a terminal shows at one moment, row by row.
package struct Frame: Equatable, Sendable {
    package let size: ScreenSize
    /// As many as there are rows.
    package let lines: [ScreenLine]

    init(_ size: ScreenSize, _ lines: [ScreenLine]) {
        self.size = size
        let shown = lines.prefix(size.rows)
        self.lines = shown + Array(repeating: .empty, count: size.rows - shown.count)
    }

    /// What has to be written where `old` stands, so that this stands there: only rows that differ, and of these only what
    /// comes behind the part that is the same. Without an old one the whole screen is written.
    package func bytes(after old: Frame?, hasColours: Bool) -> String {
        var text = ""
        let isSame = old?.size == size
        // "Erase in Display" and "Erase in Line" (ECMA-48 §8.3.39, §8.3.41).
        if !isSame { text += "\u{1B}[0m\u{1B}[H\u{1B}[2J" }
        for (row, line) in lines.enumerated() {
            let former = isSame ? old?.lines[row] ?? .empty : .empty
            guard line != former else { continue }
            let (skipped, rest) = line.differing(from: former)
            text += "\u{1B}[\(row + 1);\(skipped + 1)H"
            for piece in rest { text += Self.painted(piece, hasColours) }
            // In the last column a terminal may still stand on what it has just written.
            if line.columns < size.columns, former.columns > line.columns || !former.isNarrow {
                text += "\u{1B}[K"
            }
        }
        return text
    }

    private static func painted(_ piece: ScreenLine.Piece, _ hasColours: Bool) -> String {
        // "Select Graphic Rendition" (ECMA-48 §8.3.117).
        var codes: [String] = []
        if piece.style.isBold { codes.append("1") }
        if piece.style.isReversed { codes.append("7") }
        // Of the 256 colours of xterm those whose brightness no scheme of a terminal changes.
        if hasColours, piece.style.isPaper { codes.append("38;5;16;48;5;231") }
        if hasColours {
            switch piece.style.tone {
            case .plain: break
            case .good: codes.append("32")
            case .warning: codes.append("33")
            case .bad: codes.append("31")
            }
        }
        return codes.isEmpty ? piece.text : "\u{1B}[\(codes.joined(separator: ";"))m\(piece.text)\u{1B}[0m"
    }
}

extension ScreenLine {
    /// Every character takes one column on every terminal: where it stands is certain.
    var isNarrow: Bool { pieces.allSatisfy { $0.text.utf8.allSatisfy { $0 < 0x80 } } }

    /// Columns that are the same, and what comes behind them. Only pieces of ASCII are passed over: where a terminal
    /// counts other characters differently, the row is written from its beginning.
    func differing(from other: ScreenLine) -> (columns: Int, pieces: [Piece]) {
        var columns = 0
        for (index, piece) in pieces.enumerated() {
            guard index < other.pieces.count else { return (columns, Array(pieces[index...])) }
            let former = other.pieces[index]
            guard former.style == piece.style, piece.text.utf8.allSatisfy({ $0 < 0x80 }) else {
                return (columns, Array(pieces[index...]))
            }
            if former == piece {
                columns += piece.text.utf8.count
                continue
            }
            let same = zip(piece.text.utf8, former.text.utf8).prefix { $0 == $1 }.count
            var rest = piece
            rest.text = String(piece.text.dropFirst(same))
            return (columns + same, [rest] + pieces[(index + 1)...])
        }
        return (columns, [])
    }
}
