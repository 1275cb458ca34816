import Link
import Synchronization

/// The ring's buffers, made when the first photo comes and kept for the next.
final class BufferPool: Sendable {
    /// As much as the kernel hands over in a few calls; large enough that a buffer's way costs nothing.
    static let bufferSize = 1 << 20

    /// One being filled, two being consumed, and some to ride out a slow write.
    static let bufferCount = 6

    private let kept = Mutex<[Buffer]>([])

    func all() -> [Buffer] {
        kept.withLock { kept in
            while kept.count < Self.bufferCount { kept.append(Buffer(capacity: Self.bufferSize)) }
            return kept
        }
    }
}
