import Posix
import TestSupport
import Testing

/// Several tasks at one signal.
@Suite struct SignalTests {
    private let signal = Signal()
    private let clock = ManualClock()

    @Test("a signal that is fired before a task waits is remembered once")
    func remembered() async {
        signal.fire()
        signal.fire()
        await signal.wait()
        let second = Task { [signal] in await signal.wait() }
        signal.fire()
        await second.value
    }

    @Test("a task that is cancelled already does not wait, though its cancellation wakes another one")
    func cancelledBefore() async {
        let other = await waiting()
        let cancelled = Task { [signal] in
            withUnsafeCurrentTask { $0?.cancel() }
            await signal.waitUnlessCancelled()
        }
        await cancelled.value
        signal.fire()
        await other.value
    }

    @Test("a deadline that has passed is not waited for, though it wakes another task")
    func tooLate() async {
        let other = await waiting()
        await signal.wait(until: clock.now, of: clock)
        signal.fire()
        await other.value
    }

    /// A task that is about to wait.
    private func waiting() async -> Task<Void, Never> {
        let isReady = Signal()
        let task = Task { [signal] in
            isReady.fire()
            await signal.wait()
        }
        await isReady.wait()
        return task
    }
}
