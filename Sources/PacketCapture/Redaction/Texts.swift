import PTP

/// Text wherever it stands in a dataset: as PTP writes it, in UTF-16, in ASCII.
enum Texts {
    /// In this part, which no text crosses the end of, each is replaced by one of the same length.
    static func blank(_ bytes: inout [UInt8], _ part: Range<Int>) {
        var index = part.lowerBound
        while index < part.upperBound {
            if let units = counted(bytes[..<part.upperBound], at: index) {
                replace(&bytes, at: index + 1, units: units, stride: 2)
                index += 1 + 2 * units
            } else if let units = wide(bytes[..<part.upperBound], at: index) {
                replace(&bytes, at: index, units: units, stride: 2)
                index += 2 * units
            } else if let units = narrow(bytes[..<part.upperBound], at: index) {
                replace(&bytes, at: index, units: units, stride: 1)
                index += units
            } else {
                index += 1
            }
        }
    }

    /// "u8 count of UTF-16 units with the NUL, then these": how many there are.
    private static func counted(_ bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        let count = Int(bytes[start])
        guard count >= 3, start + 1 + 2 * count <= bytes.endIndex else { return nil }
        for unit in 0..<count {
            let value = UInt16(bytes[start + 1 + 2 * unit]) | UInt16(bytes[start + 2 + 2 * unit]) << 8
            let isEnd = unit == count - 1
            guard isEnd ? value == 0 : value >= 0x20 && !(0x7F...0x9F).contains(value) else { return nil }
        }
        return count
    }

    /// Latin letters in UTF-16, from three on.
    private static func wide(_ bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        var units = 0
        while start + 2 * units + 1 < bytes.endIndex, isPrintable(bytes[start + 2 * units]),
            bytes[start + 2 * units + 1] == 0
        {
            units += 1
        }
        return units >= 3 ? units : nil
    }

    /// ASCII or UTF-8, from three on with a letter, or from four digits on.
    private static func narrow(_ bytes: ArraySlice<UInt8>, at start: Int) -> Int? {
        var end = start
        while end < bytes.endIndex, let length = character(bytes[end...]) { end += length }
        let text = bytes[start..<end]
        let letters = text.count { isLetter($0) }
        let digits = text.count { isDigit($0) }
        return text.count >= 3 && letters >= 2 || digits >= 4 ? text.count : nil
    }

    /// As many bytes as the character has that begins here.
    private static func character(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first, !isPrintable(first) else { return bytes.isEmpty ? nil : 1 }
        let length = (0xC2...0xDF).contains(first) ? 2 : (0xE0...0xEF).contains(first) ? 3 : 0
        let rest = bytes.dropFirst().prefix(max(0, length - 1))
        return length > 0 && rest.count == length - 1 && rest.allSatisfy { $0 & 0xC0 == 0x80 } ? length : nil
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

/// What a Canon tells in answer to GetEvent: one record behind the other.
enum CanonRecords {
    /// Text inside of each; in those about objects, what can be a time between 2000 and 2040 and belongs to no handle; and the
    /// camera's clock.
    static func blank(_ bytes: inout [UInt8]) {
        var start = 0
        while start + 8 <= bytes.count {
            let size = Int(little(bytes, at: start))
            guard size >= 8, start + size <= bytes.count else { break }
            if isClock(bytes, start..<start + size) {
                bytes.replaceSubrange(start + 12..<start + size, with: repeatElement(0, count: size - 12))
            }
            if about.contains(little(bytes, at: start + 4)), size >= 12 {
                blankTimes(&bytes, start..<start + size)
            }
            Texts.blank(&bytes, start + 8..<start + size)
            start += size
        }
        Texts.blank(&bytes, start..<bytes.count)
    }

    /// "Property changed", and its value is a time.
    private static func isClock(_ bytes: [UInt8], _ record: Range<Int>) -> Bool {
        record.count >= 12 && little(bytes, at: record.lowerBound + 4) == propertyChanged
            && clocks.contains(little(bytes, at: record.lowerBound + 8))
    }

    private static func blankTimes(_ bytes: inout [UInt8], _ record: Range<Int>) {
        let handle = little(bytes, at: record.lowerBound + 8)
        for place in stride(from: record.lowerBound + 12, through: record.upperBound - 4, by: 4) {
            let value = little(bytes, at: place)
            // "Bits 0 to 17 are file and part": the folder and the group share the rest.
            guard times.contains(value), value >> 18 != handle >> 18 else { continue }
            bytes.replaceSubrange(place..<place + 4, with: repeatElement(0, count: 4))
        }
    }

    private static let propertyChanged: UInt32 = 0xC189
    /// CameraTime and UTCTime.
    private static let clocks: Set<UInt32> = [0xD113, 0xD17C]
    private static let times: ClosedRange<UInt32> = 946_684_800...2_208_988_800
    private static let about: Set<UInt32> = [
        0xC181, 0xC186, 0xC187, 0xC188, 0xC1A7, 0xC1A8, 0xC1A9, 0xC1B6, 0xC1B7, 0xC1B8,
    ]
}
