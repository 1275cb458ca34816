/// The bytes of one object on a card, wherever they are.
public protocol ObjectContent: Sendable {
    var length: UInt64 { get }

    /// Fills all of `memory` with the bytes from `offset` on. The caller stays within ``length``.
    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) throws
}

extension ObjectContent {
    /// A part as an array, for small things.
    public func bytes(_ range: Range<UInt64>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { memory, count in
            try fill(
                UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(memory)[..<range.count]),
                at: range.lowerBound)
            count = range.count
        }
    }
}

/// Bytes that are there as they are.
struct BytesContent: ObjectContent {
    let bytes: [UInt8]

    var length: UInt64 { UInt64(bytes.count) }

    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) {
        memory.copyBytes(from: bytes[Int(offset)..<Int(offset) + memory.count])
    }
}
