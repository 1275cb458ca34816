import Basics
import Imaging

/// What a camera wrote down about its video: by the keys of QuickTime in `meta`, and in `udta`.
struct VideoTags {
    private var values: [String: String] = [:]
    private let bytes: BoxBytes
    private let limits: VideoLimits

    init(_ strays: [BoxNode], _ bytes: BoxBytes, _ limits: VideoLimits) {
        self.bytes = bytes
        self.limits = limits
        for node in strays where node.name == "udta" { readUserData(node.content) }
        for node in strays where node.name == "meta" { readKeys(node.content) }
    }

    func exif(createdAt seconds: UInt64) -> ExifFacts {
        var facts = ExifFacts()
        facts.make =
            values["com.apple.quicktime.make"] ?? values["com.android.manufacturer"] ?? values["©mak"]
        facts.model = values["com.apple.quicktime.model"] ?? values["com.android.model"] ?? values["©mod"]
        facts.copyright = values["com.apple.quicktime.copyright"] ?? values["©cpy"]
        if let time = Self.time(values["com.apple.quicktime.creationdate"] ?? "") {
            facts.time = time
        } else if let moment = Self.moment(seconds) {
            // In UTC, by the standard; of the zone it says nothing.
            facts.time = ExifTime(satellites: moment)
        }
        return facts
    }

    // MARK: Times

    /// From 1904 to 1970, in seconds.
    private static let beginning: UInt64 = 2_082_844_800
    /// Before 1995 there was none, and a clock that was never set says 1904 or 1970.
    private static let earliest: Int64 = 788_918_400

    private static func moment(_ seconds: UInt64) -> Timestamp? {
        guard seconds >= beginning, seconds - beginning < 1 << 33 else { return nil }
        let since = Int64(seconds - beginning)
        let moment = Timestamp(milliseconds: since * 1000)
        return since >= earliest && Timestamp.writable.contains(moment.milliseconds) ? moment : nil
    }

    /// "2026-11-21T21:15:00+0100", as phones of Apple write it.
    static func time(_ text: String) -> ExifTime? {
        guard
            let match = text.wholeMatch(
                of:
                    /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(Z|[+-][0-9]{2}:?[0-9]{2})/
            ),
            let clock = Timestamp(
                rfc3339: "\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)Z")
        else { return nil }
        return ExifTime(clock: clock, offset: offset(match.7))
    }

    private static func offset(_ text: Substring) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard let number = Int(digits), number % 100 < 60 else { return nil }
        let minutes = (number / 100 * 60 + number % 100) * (text.first == "-" ? -1 : 1)
        return ExifTime.zones.contains(minutes) ? minutes : nil
    }

    // MARK: Reading

    /// Boxes without a look into them; what does not fit ends the list, because nothing depends on it.
    private func boxes(in range: Range<Int>) -> [(name: String, content: Range<Int>)] {
        var found: [(name: String, content: Range<Int>)] = []
        var place = range.lowerBound
        while range.upperBound - place >= 8, found.count < limits.tags,
            let header = BoxHeader(bytes, at: place),
            let size = header.size, size <= UInt64(range.upperBound - place)
        {
            found.append((header.name, place + header.length..<place + Int(size)))
            place += Int(size)
        }
        return found
    }

    /// Texts with a length and a language before them.
    private mutating func readUserData(_ range: Range<Int>) {
        for box in boxes(in: range) {
            if box.name == "meta" { readKeys(box.content) }
            guard box.name.hasPrefix("©"), let length = bytes.number(at: box.content.lowerBound, bytes: 2),
                Int(length) <= box.content.count - 4
            else { continue }
            let start = box.content.lowerBound + 4
            keep(start..<start + Int(length), as: box.name)
        }
    }

    /// `keys` has the names, and `ilst` values under their numbers. In files of the standard `meta` has four bytes before its
    /// boxes, in those of QuickTime none.
    private mutating func readKeys(_ range: Range<Int>) {
        let isPlain = bytes.name(range.lowerBound + 4) == "hdlr"
        let inside = boxes(in: min(range.lowerBound + (isPlain ? 0 : 4), range.upperBound)..<range.upperBound)
        guard let keys = inside.first(where: { $0.name == "keys" }),
            let list = inside.first(where: { $0.name == "ilst" })
        else { return }
        let names = boxes(
            in: min(keys.content.lowerBound + 8, keys.content.upperBound)..<keys.content.upperBound
        )
        .map { text($0.content) }
        for item in boxes(in: list.content) {
            let number = item.name.unicodeScalars.reduce(0) { $0 << 8 | Int($1.value) }
            guard names.indices.contains(number - 1), let name = names[number - 1],
                let data = boxes(in: item.content).first(where: { $0.name == "data" }),
                data.content.count >= 8
            else { continue }
            keep(data.content.lowerBound + 8..<data.content.upperBound, as: name)
        }
    }

    private mutating func keep(_ range: Range<Int>, as name: String) {
        if values[name] == nil, let value = text(range), !value.isEmpty { values[name] = value }
    }

    private func text(_ range: Range<Int>) -> String? {
        guard range.count <= limits.tagLength else { return nil }
        return String(validating: bytes.bytes[range].prefix { $0 != 0 }, as: UTF8.self)
    }
}
