import Posix
import Synchronization

/// Threads that wait for the disk, so that nobody else does.
///
/// Several, because a file system writes its journal once for all who wait for it at the moment.
package final class DiskHands: Sendable {
    private let executors: [ThreadExecutor]
    private let hands: [Hand]
    private let next = Atomic<Int>(0)

    package init(count: Int = 4) {
        precondition(count > 0, "somebody has to do it")
        executors = (0..<count).map { ThreadExecutor(name: "disk \($0)") }
        hands = executors.map(Hand.init)
    }

    deinit {
        for executor in executors { executor.shutDown() }
    }

    package func perform<Result: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return try await hands[Int(UInt(bitPattern: turn) % UInt(hands.count))].perform(work)
    }

    private actor Hand {
        private nonisolated let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: ThreadExecutor) {
            self.executor = executor
        }

        func perform<Result: Sendable, Failure: Error>(
            _ work: @Sendable () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try work()
        }
    }
}
