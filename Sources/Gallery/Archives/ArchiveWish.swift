import Basics
import Digest

/// What a client takes home: which photos of an event, and how large.
struct ArchiveWish: Equatable, Sendable {
    enum Size: String, CaseIterable, Sendable {
        /// As large as screens are: what guests of every event may have.
        case screen
        case original
    }

    enum Selection: Equatable, Sendable {
        /// All that had come until that one: what comes later is in another archive.
        case everything(last: Int64)
        /// The same of one section.
        case section(album: String, last: Int64)
        /// By their sequences, which grow.
        case some([Int64])
    }

    let size: Size
    let selection: Selection

    /// Of a selection: a link carries all of it, and servers on the way take no link of any length.
    static let mostPhotos = 1000

    init(_ size: Size, _ selection: Selection) {
        self.size = size
        self.selection = selection
    }
}

/// As a link carries it: a byte that says what follows, and numbers as differences, seven bits at a time.
extension ArchiveWish {
    private static let original: UInt8 = 1
    private static let some: UInt8 = 2
    private static let section: UInt8 = 4
    /// Of an id without its lines.
    private static let idLength = 16
    /// Of a thousand photos among many millions.
    private static let longestText = 7000

    var text: String {
        var bytes: [UInt8] = [size == .original ? Self.original : 0]
        switch selection {
        case .everything(let last): bytes.put(UInt64(clamping: last))
        case .section(let album, let last):
            bytes[0] |= Self.section
            bytes += Hexadecimal.bytes(album.filter { $0 != "-" }) ?? []
            bytes.put(UInt64(clamping: last))
        case .some(let sequences):
            bytes[0] |= Self.some
            var before: Int64 = 0
            for sequence in sequences {
                bytes.put(UInt64(clamping: sequence - before))
                before = sequence
            }
        }
        return Base64URL.text(bytes)
    }

    /// Nothing for what this would not have written.
    init?(text: some StringProtocol) {
        guard text.utf8.count <= Self.longestText, let bytes = Base64URL.bytes(text), let kind = bytes.first,
            kind & ~(Self.original | Self.some | Self.section) == 0
        else { return nil }
        size = kind & Self.original == 0 ? .screen : .original
        if kind & Self.section != 0 {
            guard kind & Self.some == 0, bytes.count > Self.idLength + 1,
                let numbers = [UInt8](bytes.dropFirst(Self.idLength + 1)).numbers, numbers.count == 1
            else { return nil }
            selection = .section(
                album: Self.id(Array(bytes.dropFirst().prefix(Self.idLength))), last: numbers[0])
            return
        }
        guard let numbers = [UInt8](bytes.dropFirst()).numbers else { return nil }
        if kind & Self.some == 0 {
            guard numbers.count == 1 else { return nil }
            selection = .everything(last: numbers[0])
            return
        }
        guard (1...Self.mostPhotos).contains(numbers.count) else { return nil }
        var sequences: [Int64] = []
        for number in numbers {
            let (sum, isTooLarge) = (sequences.last ?? 0).addingReportingOverflow(number)
            if isTooLarge { return nil }
            sequences.append(sum)
        }
        selection = .some(sequences)
    }

    /// As ids are written.
    private static func id(_ bytes: [UInt8]) -> String {
        let digits = Array(Hexadecimal.text(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// The section that it is of.
    var album: String? {
        if case .section(let album, _) = selection { album } else { nil }
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Nothing where the last one is cut, or one does not fit.
    fileprivate var numbers: [Int64]? {
        var numbers: [Int64] = []
        var number: UInt64 = 0
        var shift: UInt64 = 0
        for byte in self {
            guard shift < 63 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            guard let whole = Int64(exactly: number) else { return nil }
            numbers.append(whole)
            (number, shift) = (0, 0)
        }
        return shift == 0 ? numbers : nil
    }
}
