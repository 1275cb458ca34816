import Basics

/// One file of an archive, in as little memory as fifty thousand of them should take.
struct ZipEntry: Equatable, Sendable {
    let object: PackedKey
    /// Distinct from the others' once it stands in a ``ZipLayout``.
    var name: String
    let size: UInt64
    /// CRC-32 of its bytes, where it was learned before.
    var crc: UInt32?
    /// In the words of a ZIP: two seconds are its finest, 1980 its first year.
    let dosTime: UInt32
    /// Of its photo, in the order in which photos came.
    let sequence: Int64

    /// `at` is what clocks showed.
    init(key: String, name: String, size: UInt64, crc: UInt32?, at moment: Timestamp, sequence: Int64) {
        object = PackedKey(key)
        self.name = name
        self.size = size
        self.crc = crc
        dosTime = Self.dosTime(moment)
        self.sequence = sequence
    }

    var key: String { object.text }

    private static func dosTime(_ moment: Timestamp) -> UInt32 {
        let time = CivilTime(secondsSince1970: max(moment.seconds, 315_532_800))
        let date = UInt32(time.year - 1980) << 25 | UInt32(time.month) << 21 | UInt32(time.day) << 16
        return date | UInt32(time.hour) << 11 | UInt32(time.minute) << 5 | UInt32(time.second / 2)
    }
}

/// The key of an object as two numbers: a text of its length would be on the heap.
struct PackedKey: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ key: String) {
        ObjectKey.require(key)
        guard let high = UInt64(key.prefix(16), radix: 16), let low = UInt64(key.dropFirst(16), radix: 16)
        else {
            preconditionFailure("a key is two numbers of 16 hexadecimal digits")
        }
        self.high = high
        self.low = low
    }

    var text: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
