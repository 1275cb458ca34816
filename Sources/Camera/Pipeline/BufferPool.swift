import Link
import Synchronization

/// The ring's buffers, made when the first photo comes and kept for the next.
final class BufferPool: Sendable {
    /// Small enough that a buffer is hashed and written while it is still in the processor's cache: measured
    /// a quarter faster than 1 MiB at the same count of bytes in flight.
    static let bufferSize = 256 << 10

    /// 4 MiB in all: one being filled, two being consumed, and the rest to ride out a slow write.
    static let bufferCount = 16

    private let kept = Mutex<[Buffer]>([])

    func all() -> [Buffer] {
        kept.withLock { kept in
            while kept.count < Self.bufferCount { kept.append(Buffer(capacity: Self.bufferSize)) }
            return kept
        }
    }
}
