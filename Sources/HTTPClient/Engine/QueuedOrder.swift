import Synchronization

/// With this a caller takes its order back, even before it has begun.
final class CancellationHandle: Sendable {
    private let takenBack = Atomic(false)

    var isTakenBack: Bool { takenBack.load(ordering: .acquiring) }

    func takeBack() {
        takenBack.store(true, ordering: .releasing)
    }
}

/// An order on its way to the thread.
struct QueuedOrder: Sendable {
    let order: Order
    let claim: CancellationHandle
    let continuation: CheckedContinuation<TransferResult, Never>

    func end(_ ending: TransferResult) {
        continuation.resume(returning: ending)
    }
}
