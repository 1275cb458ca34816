import Glibc
import Posix
import Synchronization

/// Reads a body from its source on a thread of its own, a little ahead of the wire.
final class BodyPump: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var offset = 0
        var hasEnded = false
        var hasFailed = false
        var isAbandoned = false
        /// Who reads.
        var task: Task<Void, Never>?
    }

    private static let pieceSize = 64 << 10
    /// So much is read ahead.
    private static let mostAhead = 256 << 10

    private let state = Mutex(State())
    private let room = Signal()
    private let wire: Wakeable
    private let source: any BodySource

    init(_ source: any BodySource, _ wire: Wakeable) {
        self.source = source
        self.wire = wire
    }

    func start(onEnd: @escaping @Sendable () -> Void) {
        let thread = ThreadExecutor(name: "body")
        let task = Task(executorPreference: thread) { [self] in
            await run()
            source.close()
            onEnd()
            thread.shutDown()
        }
        let isLate = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isLate { task.cancel() }
    }

    private func run() async {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { piece.deallocate() }
        while true {
            guard !state.withLock(\.isAbandoned) else { return }
            let count: Int
            do {
                count = try await source.read(into: piece)
            } catch {
                // The failure is the source's to tell; here it means that the connection is cut.
                state.withLock { $0.hasFailed = true }
                wire.wake()
                return
            }
            precondition((0...piece.count).contains(count), "a source fills what it was given, or less")
            let isFull = state.withLock { state in
                if count == 0 { state.hasEnded = true }
                // What has been sent makes room, or a reader that is always a little behind would let it grow.
                if state.offset >= Self.mostAhead {
                    state.bytes.removeFirst(state.offset)
                    state.offset = 0
                }
                state.bytes.append(contentsOf: piece[..<count])
                return state.bytes.count - state.offset >= Self.mostAhead
            }
            wire.wake()
            if count == 0 { return }
            if isFull { await waitForRoom() }
        }
    }

    private func waitForRoom() async {
        while state.withLock({ $0.bytes.count - $0.offset >= Self.mostAhead && !$0.isAbandoned }) {
            await room.wait()
        }
    }

    /// The client does not read any more, or is not to.
    func abandon() {
        let task = state.withLock { state in
            state.isAbandoned = true
            state.hasFailed = true
            return state.task
        }
        task?.cancel()
        room.fire()
        wire.wake()
    }

    enum Take: Equatable {
        case bytes(Int)
        case nothingYet
        case ended
        case failed
    }

    func take(into memory: UnsafeMutableRawBufferPointer) -> Take {
        let taken = state.withLock { state -> Take in
            let count = min(memory.count, state.bytes.count - state.offset)
            guard count > 0 else {
                if state.hasFailed { return .failed }
                return state.hasEnded ? .ended : .nothingYet
            }
            state.bytes.withUnsafeBytes { bytes in
                memory.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
            }
            state.offset += count
            if state.offset == state.bytes.count {
                state.bytes.removeAll(keepingCapacity: true)
                state.offset = 0
            }
            return .bytes(count)
        }
        if case .bytes = taken { room.fire() }
        return taken
    }
}
