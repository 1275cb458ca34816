import PTP

/// Text wherever it stands in a dataset: as PTP writes it, in UTF-16, in ASCII.
enum Texts {
    /// From here on each is replaced by one of the same length.
    static func blank(_ bytes: inout [UInt8], from start: Int = 0) {
        var index = start
        while index < bytes.count {
            if let units = counted(bytes, at: index) {
                replace(&bytes, at: index + 1, units: units, stride: 2)
                index += 1 + 2 * units
            } else if let units = wide(bytes, at: index) {
                replace(&bytes, at: index, units: units, stride: 2)
                index += 2 * units
            } else if let units = narrow(bytes, at: index) {
                replace(&bytes, at: index, units: units, stride: 1)
                index += units
            } else {
                index += 1
            }
        }
    }

    /// "u8 count of UTF-16 units with the NUL, then these": how many there are.
    private static func counted(_ bytes: [UInt8], at start: Int) -> Int? {
        let count = Int(bytes[start])
        guard count >= 3, start + 1 + 2 * count <= bytes.count else { return nil }
        for unit in 0..<count {
            let value = UInt16(bytes[start + 1 + 2 * unit]) | UInt16(bytes[start + 2 + 2 * unit]) << 8
            let isEnd = unit == count - 1
            guard isEnd ? value == 0 : value >= 0x20 && !(0x7F...0x9F).contains(value) else { return nil }
        }
        return count
    }

    /// Latin letters in UTF-16, from three on.
    private static func wide(_ bytes: [UInt8], at start: Int) -> Int? {
        var units = 0
        while start + 2 * units + 1 < bytes.count, isPrintable(bytes[start + 2 * units]),
            bytes[start + 2 * units + 1] == 0
        {
            units += 1
        }
        return units >= 3 ? units : nil
    }

    /// ASCII or UTF-8, from three on with a letter, or from four digits on.
    private static func narrow(_ bytes: [UInt8], at start: Int) -> Int? {
        var end = start
        while end < bytes.count, isPrintable(bytes[end]) || bytes[end] >= 0x80 && end > start { end += 1 }
        let text = bytes[start..<end]
        let letters = text.count { isLetter($0) }
        let digits = text.count { isDigit($0) }
        return text.count >= 3 && letters >= 2 || digits >= 4 ? text.count : nil
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    /// A date that any reader of dates takes.
    private static let date = Array("20000101T000000".utf8)

    private static func replace(_ bytes: inout [UInt8], at start: Int, units: Int, stride: Int) {
        var text = (0..<units).map { unit -> UInt8 in
            let place = start + unit * stride
            // What is no Latin letter has more than one byte, and no length of its own.
            if stride == 2, bytes[place + 1] != 0 { return UInt8(ascii: "x") }
            let byte = bytes[place]
            if byte == 0 || byte == 0x20 { return byte }
            if isDigit(byte) { return UInt8(ascii: "0") }
            return isLetter(byte) || byte >= 0x80 ? UInt8(ascii: "x") : byte
        }
        if isDate(text) { text.replaceSubrange(..<date.count, with: date) }
        for unit in 0..<units {
            bytes[start + unit * stride] = text[unit]
            if stride == 2 { bytes[start + unit * stride + 1] = 0 }
        }
    }

    /// `00000000x000000`, as it is by now.
    private static func isDate(_ text: [UInt8]) -> Bool {
        text.count >= date.count
            && zip(text, date).allSatisfy {
                $1 == UInt8(ascii: "T") ? $0 == UInt8(ascii: "x") : $0 == UInt8(ascii: "0")
            }
    }
}

/// When photos were taken, in the records of a Canon.
enum CanonTimes {
    /// In records about objects, what can be a time between 2000 and 2040 and belongs to no handle goes to zero.
    static func blank(_ bytes: inout [UInt8]) {
        var start = 0
        while start + 8 <= bytes.count {
            let size = Int(little(bytes, at: start))
            guard size >= 8, start + size <= bytes.count else { return }
            if about.contains(little(bytes, at: start + 4)), size >= 12 {
                let handle = little(bytes, at: start + 8)
                for place in stride(from: start + 12, through: start + size - 4, by: 4) {
                    let value = little(bytes, at: place)
                    // "Bits 0 to 17 are file and part": the folder and the group share the rest.
                    if times.contains(value), value >> 18 != handle >> 18 {
                        bytes.replaceSubrange(place..<place + 4, with: repeatElement(0, count: 4))
                    }
                }
            }
            start += size
        }
    }

    private static let times: ClosedRange<UInt32> = 946_684_800...2_208_988_800
    private static let about: Set<UInt32> = [
        0xC181, 0xC186, 0xC187, 0xC188, 0xC1A7, 0xC1A8, 0xC1A9, 0xC1B6, 0xC1B7, 0xC1B8,
    ]
}
