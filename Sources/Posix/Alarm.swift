package import Basics

/// Rings a signal at one moment, unless it is cancelled before. Waiting at the signal costs nothing more, however often
/// others ring.
package struct Alarm: Sendable {
    package let moment: Duration
    private let task: Task<Void, Never>

    package init(
        at moment: Duration, of time: any TimeSource, on executor: any TaskExecutor, ringing signal: Signal
    ) {
        self.moment = moment
        task = Task(executorPreference: executor) {
            do {
                try await time.sleep(until: moment)
                signal.fire()
            } catch {
                // It was cancelled: no wakening is wanted any more.
                return
            }
        }
    }

    package func cancel() {
        task.cancel()
    }
}
