extension ByteReader {
    /// A PTP string: a count of UTF-16 units with the closing NUL among them, then the units.
    ///
    /// Cut at the first NUL; bad units become U+FFFD. Cameras write the empty string as count 0 or as a lone NUL.
    public mutating func string(_ field: StaticString) throws(ReadFailure) -> String {
        let count: UInt8 = try integer(field)
        return Self.text(try take(2 * Int(count), field))
    }

    /// The same at the end of a dataset, where cameras leave strings out or cut them short.
    public mutating func stringIfPresent(_ field: StaticString) throws(ReadFailure) -> String {
        guard !isAtEnd else { return "" }
        let count: UInt8 = try integer(field)
        return Self.text(try take(min(2 * Int(count), remaining & ~1), field))
    }

    /// A number at the end of a dataset, where it may be missing. What of it is there tells nothing, and nothing
    /// follows it.
    mutating func integerIfPresent<Value: FixedWidthInteger>(
        _ field: StaticString, otherwise: Value
    ) throws(ReadFailure) -> Value {
        guard remaining >= Value.bitWidth / 8 else {
            _ = try take(remaining, field)
            return otherwise
        }
        return try integer(field)
    }

    /// Codes at the end of a dataset. A count of more than there is leaves no place where the next field could begin,
    /// so what follows is missing as well.
    mutating func codesIfPresent<Code: OpenCode>(
        _ type: Code.Type, _ field: StaticString
    ) throws(ReadFailure) -> [Code] {
        let count: UInt32 = try integerIfPresent(field, otherwise: 0)
        guard count <= DatasetLimits.codes, Int(count) <= remaining / 2 else {
            _ = try take(remaining, field)
            return []
        }
        return try (0..<count).map { _ throws(ReadFailure) in Code(rawValue: try integer(field)) }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var rest = bytes
        while let low = rest.popFirst(), let high = rest.popFirst() {
            let unit = UInt16(high) << 8 | UInt16(low)
            if unit == 0 { break }
            units.append(unit)
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// A count, judged before anything is allocated: no more than `limit`, and no more than the bytes that are
    /// left can hold.
    public mutating func count(
        _ field: StaticString, limit: Int, elementLength: Int
    ) throws(ReadFailure) -> Int {
        let at = offset
        let claimed: UInt32 = try integer(field)
        let possible = min(limit, remaining / elementLength)
        guard UInt64(claimed) <= UInt64(possible) else {
            throw ReadFailure(
                field: field, offset: at, problem: .tooMany(count: UInt64(claimed), limit: UInt64(possible)))
        }
        return Int(claimed)
    }

    public mutating func array<Element: FixedWidthInteger>(
        of type: Element.Type, _ field: StaticString, limit: Int
    ) throws(ReadFailure) -> [Element] {
        let count = try count(field, limit: limit, elementLength: Element.bitWidth / 8)
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try integer(field)) }
        return elements
    }

    mutating func codes<Code: OpenCode>(_ type: Code.Type, _ field: StaticString) throws(ReadFailure)
        -> [Code]
    {
        try array(of: UInt16.self, field, limit: DatasetLimits.codes).map { Code(rawValue: $0) }
    }
}

extension ByteWriter {
    /// The longest string that fits behind a one-byte count, its NUL included.
    public static let longestString = 255

    /// What does not fit is cut at a character.
    public mutating func append(_ string: String) {
        var units: [UInt16] = []
        for character in string {
            let more = Array(String(character).utf16)
            guard units.count + more.count < Self.longestString, !more.contains(0) else { break }
            units += more
        }
        guard !units.isEmpty else {
            append(UInt8(0))
            return
        }
        append(UInt8(units.count + 1))
        for unit in units + [0] { append(unit) }
    }

    public mutating func append(array elements: [some FixedWidthInteger]) {
        append(UInt32(elements.count))
        for element in elements { append(element) }
    }
}

/// Reads a dataset and gives its failures the dataset's name.
func decoding<Dataset>(
    _ name: String, _ bytes: ArraySlice<UInt8>, _ body: (inout ByteReader) throws(ReadFailure) -> Dataset
) throws(Malformed) -> Dataset {
    var reader = ByteReader(bytes)
    do throws(ReadFailure) {
        return try body(&reader)
    } catch {
        throw Malformed(.dataset(name), error, bytes: bytes)
    }
}
