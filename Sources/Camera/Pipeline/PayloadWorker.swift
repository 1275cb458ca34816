import Link

/// A consumer of a ``BufferRing`` on a thread of its own: it may block without holding up the camera.
actor PayloadWorker {
    private nonisolated let executor: any CameraSession.Executor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: any CameraSession.Executor) {
        self.executor = executor
    }

    /// Until the ring is finished or has failed.
    func consume(
        _ ring: BufferRing, as consumer: Int,
        _ work: @Sendable (UnsafeRawBufferPointer, UInt64) throws -> Void
    ) async {
        while let load = await ring.next(for: consumer) {
            do {
                try work(UnsafeRawBufferPointer(rebasing: load.buffer.memory[..<load.count]), load.offset)
            } catch {
                ring.fail(error)
            }
            ring.done(load)
        }
    }
}

/// The threads that photos are written and hashed on, and the buffers they travel in. One set per camera,
/// used by one fetch at a time.
public struct PhotoWorkers: Sendable {
    let writer: PayloadWorker
    let hasher: PayloadWorker
    let buffers: BufferPool

    private let onShutDown: @Sendable () -> Void

    public init(
        writing: any CameraSession.Executor, hashing: any CameraSession.Executor,
        sharing budget: BufferBudget = BufferBudget(), onShutDown: @escaping @Sendable () -> Void = {}
    ) {
        self.onShutDown = onShutDown
        writer = PayloadWorker(executor: writing)
        hasher = PayloadWorker(executor: hashing)
        buffers = BufferPool(budget)
    }

    public func shutDown() {
        onShutDown()
    }
}
