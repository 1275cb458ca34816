import Link
import Synchronization

/// The ring's buffers, made when the first photo comes and kept for the next.
final class BufferPool: Sendable {
    /// Small enough that a buffer is hashed and written while it is still in the processor's cache: measured
    /// a quarter faster than 1 MiB at the same count of bytes in flight.
    static let bufferSize = 256 << 10

    /// 2 MiB in all: one being filled, two being consumed, and the rest to ride out a slow write. What a disk keeps
    /// waiting for longer than that is in the socket's own buffer.
    static let bufferCount = 8

    private let kept = Mutex<[Buffer]>([])
    private let budget: BufferBudget

    init(_ budget: BufferBudget) {
        self.budget = budget
        budget.joined()
    }

    deinit {
        budget.left()
    }

    func all() -> [Buffer] {
        let share = budget.share
        return kept.withLock { kept in
            if kept.count > share { kept.removeLast(kept.count - share) }
            while kept.count < share { kept.append(Buffer(capacity: Self.bufferSize)) }
            return kept
        }
    }
}

/// What the photos of several cameras of one program may hold in memory together: 6 MiB, whether three cameras shoot or
/// eight. A link's own buffers ride out what a shorter ring does not.
public final class BufferBudget: Sendable {
    private let pools = Mutex(0)

    private static let all = 24
    /// One being filled, one being hashed and one being written.
    private static let least = 3

    public init() {}

    /// How many buffers a photo of one camera travels in.
    package var share: Int {
        let pools = pools.withLock { max(1, $0) }
        return min(BufferPool.bufferCount, max(Self.least, Self.all / pools))
    }

    func joined() { pools.withLock { $0 += 1 } }
    func left() { pools.withLock { $0 -= 1 } }
}
