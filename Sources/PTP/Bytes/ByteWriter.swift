/// Appends little-endian values to a growing array: the mirror of ``ByteReader``.
public struct ByteWriter: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        var rest = value
        for _ in 0..<Value.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            if Value.bitWidth > 8 { rest >>= 8 }
        }
    }

    /// Most significant byte first, as networks and JPEG have it.
    public mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
        append(value.byteSwapped)
    }

    public mutating func append(contentsOf more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }
}
