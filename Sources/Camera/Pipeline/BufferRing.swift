import Link
import Posix
import Synchronization

/// A fixed ring of buffers between the link and those who consume a photo's bytes.
///
/// The producer fills a free buffer and puts it on; every consumer sees every buffer, in order, at its own
/// speed; a buffer is free again when the last consumer is done with it. So memory is the same for a 5 MB
/// JPEG and a 4 GiB video, and hashing runs beside writing. When no buffer is free the producer waits, the
/// socket fills up, and TCP slows the camera down.
final class BufferRing: Sendable {
    struct Load: Sendable {
        let buffer: Buffer
        let count: Int
        let offset: UInt64
    }

    private struct State {
        var free: [Buffer]
        var queues: [[Load]]
        /// How many consumers still hold a buffer.
        var holders: [ObjectIdentifier: Int] = [:]
        var failure: (any Error)?
        var isFinished = false
    }

    private let state: Mutex<State>
    private let producerSignal = Signal()
    private let consumerSignals: [Signal]

    init(buffers: [Buffer], consumers: Int) {
        precondition(!buffers.isEmpty && consumers > 0, "a ring has buffers and consumers")
        state = Mutex(State(free: buffers, queues: Array(repeating: [], count: consumers)))
        consumerSignals = (0..<consumers).map { _ in Signal() }
    }

    // MARK: Producer

    var hasFree: Bool { state.withLock { !$0.free.isEmpty || $0.failure != nil } }

    func waitForFree() async {
        while !hasFree { await producerSignal.wait() }
    }

    /// A buffer to fill. Nothing when none is free or a consumer has failed.
    func takeFree() -> Buffer? {
        state.withLock { $0.failure == nil ? $0.free.popLast() : nil }
    }

    func put(_ load: Load) {
        state.withLock { state in
            state.holders[ObjectIdentifier(load.buffer)] = state.queues.count
            for index in state.queues.indices { state.queues[index].append(load) }
        }
        for signal in consumerSignals { signal.fire() }
    }

    /// Nothing more will be put on.
    func finish() {
        state.withLock { $0.isFinished = true }
        for signal in consumerSignals { signal.fire() }
    }

    // MARK: Consumers

    /// The next load for this consumer; nothing when all has been seen or another consumer has failed.
    func next(for consumer: Int) async -> Load? {
        while true {
            let (load, isOver) = state.withLock { state -> (Load?, Bool) in
                if state.failure != nil { return (nil, true) }
                guard !state.queues[consumer].isEmpty else { return (nil, state.isFinished) }
                return (state.queues[consumer].removeFirst(), false)
            }
            if load != nil || isOver { return load }
            await consumerSignals[consumer].wait()
        }
    }

    func done(_ load: Load) {
        let isFree = state.withLock { state in
            let key = ObjectIdentifier(load.buffer)
            let holders = (state.holders[key] ?? 1) - 1
            state.holders[key] = holders
            if holders == 0 { state.free.append(load.buffer) }
            return holders == 0
        }
        if isFree { producerSignal.fire() }
    }

    /// The first failure counts; producer and consumers stop.
    func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
        producerSignal.fire()
        for signal in consumerSignals { signal.fire() }
    }

    var failure: (any Error)? { state.withLock { $0.failure } }
}
