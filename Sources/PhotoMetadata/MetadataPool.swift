package import Posix

/// Writes what is said about photos into copies of them, in a process of its own.
package final class MetadataPool: Sendable {
    private let pool: WorkerPool<MetadataJob>

    /// This program itself, whatever it is called.
    package static let ownProgram = "/proc/self/exe"
    /// With these the program calls ``metadataMain()``, and with no others.
    package static let arguments = ["write-metadata"]

    package init(
        program: String = ownProgram, arguments: [String] = MetadataPool.arguments, count: Int = 1,
        limits: WorkerLimits = WorkerLimits(), on reactor: Reactor
    ) {
        pool = WorkerPool(program: program, arguments: arguments, count: count, limits: limits, on: reactor)
    }

    package func make(_ job: MetadataJob) async throws(MetadataProblem) -> MadeFile {
        try await pool.perform(job)
    }

    /// Until the task is cancelled, which ends what is under way.
    package func run() async { await pool.run() }
}
