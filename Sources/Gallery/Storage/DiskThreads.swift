import Posix
import Synchronization

/// Threads that wait for the disk, so that no others have to.
///
/// Several, because a file system writes its journal once for all who wait for it at the moment.
package final class DiskThreads: Sendable {
    private let executors: [ThreadExecutor]
    private let threads: [Hand]
    private let next = Atomic<Int>(0)

    package init(count: Int = 4) {
        precondition(count > 0, "without threads nothing would be written")
        executors = (0..<count).map { ThreadExecutor(name: "disk \($0)") }
        threads = executors.map(Hand.init)
    }

    deinit {
        for executor in executors { executor.shutDown() }
    }

    package func perform<Result: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return try await threads[Int(UInt(bitPattern: turn) % UInt(threads.count))].perform(work)
    }

    /// The same for a storage, with what the disk said in its words.
    @discardableResult
    func store<Result: Sendable>(
        _ work: @Sendable () throws(SystemError) -> Result
    ) async throws(StorageProblem) -> Result {
        do throws(SystemError) {
            return try await perform(work)
        } catch {
            throw StorageProblem(error)
        }
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
