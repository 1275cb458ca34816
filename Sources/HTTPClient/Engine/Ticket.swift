import Synchronization

/// With this a caller takes its order back, even before it has begun.
final class Claim: Sendable {
    private let takenBack = Atomic(false)

    var isTakenBack: Bool { takenBack.load(ordering: .acquiring) }

    func takeBack() {
        takenBack.store(true, ordering: .releasing)
    }
}

/// An order on its way to the thread.
struct Ticket: Sendable {
    let order: Order
    let claim: Claim
    let continuation: CheckedContinuation<Ending, Never>

    func end(_ ending: Ending) {
        continuation.resume(returning: ending)
    }
}
