/// A fixed piece of memory with one owner at a time, handed from the link to the consumer of its bytes.
///
/// `Sendable` because handing it on is the whole point; the task that hands it on must not touch it
/// until it comes back.
public final class Buffer: @unchecked Sendable {
    public let memory: UnsafeMutableRawBufferPointer

    public var capacity: Int { memory.count }

    /// Aligned to a page, so that the kernel copies whole pages.
    public init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 4096)
    }

    deinit {
        memory.deallocate()
    }

    public func bytes(_ range: Range<Int>) -> [UInt8] {
        [UInt8](memory[range])
    }
}
