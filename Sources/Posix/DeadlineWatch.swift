package import Basics

/// Waits on behalf of a machine's driver until the machine's next deadline has come, while other happenings move it.
///
/// Belongs to the driver: every call is made where the driver runs, so nothing here is guarded.
package final class DeadlineWatch {
    private let time: any TimeSource
    private let executor: any TaskExecutor
    private let signal = Signal()
    private var nap: (until: Duration, task: Task<Void, any Error>)?
    private var isStopped = false

    package init(time: any TimeSource, executor: any TaskExecutor) {
        self.time = time
        self.executor = executor
    }

    /// The machine's next deadline is this now. Wakes the watch when that is nearer than what it sleeps towards.
    package func look(at deadline: Duration?) {
        guard let deadline else { return }
        guard let nap else { return signal.fire() }
        if deadline < nap.until { nap.task.cancel() }
    }

    package func stop() {
        isStopped = true
        signal.fire()
        nap?.task.cancel()
    }

    /// Until it is stopped: sleeps towards `next()` and says `whenDue()` each time it has come.
    package func run(_ next: () -> Duration?, whenDue: () -> Void) async {
        while !isStopped {
            guard let deadline = next() else {
                await signal.wait()
                continue
            }
            let task = Task(executorPreference: executor) { [time] in try await time.sleep(until: deadline) }
            nap = (deadline, task)
            _ = await task.result
            nap = nil
            if Task.isCancelled { return }
            if let due = next(), due <= time.now { whenDue() }
        }
    }
}
