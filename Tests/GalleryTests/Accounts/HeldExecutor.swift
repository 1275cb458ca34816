import Posix
import Synchronization

/// Runs what it is given only when a test says so.
final class HeldExecutor: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let signal = Signal()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        signal.fire()
    }

    func wait(for count: Int) async {
        while state.withLock({ $0.jobs.count < count }) { await signal.wait() }
    }

    func release() {
        let held = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in held { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Nothing more will come.
    func finish() {
        state.withLock { $0.isFinished = true }
        signal.fire()
    }

    /// Runs all that comes until ``finish()``.
    func releaseUntilFinished() async {
        while true {
            release()
            if state.withLock(\.isFinished) { return }
            await signal.wait()
        }
    }
}
