import Glibc

/// What a task waits for: a descriptor, a time, or both.
struct Interest: Sendable {
    /// Negative for time alone.
    let descriptor: Int32
    let events: Int16
    let deadline: Duration?
}

/// One wait. Its fields are touched only under the reactor's lock, or before another task knows it.
final class Waiter: @unchecked Sendable {
    let interest: Interest
    var continuation: CheckedContinuation<Reactor.Wakening, Never>?
    /// Cancelled before it was added: it must not be added at all.
    var wasCancelledEarly = false
    var isWaiting = false

    init(_ interest: Interest) {
        self.interest = interest
    }
}

/// Everything of a ``Reactor`` that more than one thread touches.
struct ReactorState: ~Copyable {
    enum Reception {
        case taken
        case sleeperNeedsWaking
        /// The thread has ended: a new one has to run this.
        case threadIsGone
        /// Cancelled before it could begin to wait.
        case cancelledEarly
    }

    enum SleepPlan {
        /// There are jobs: look at the descriptors without waiting.
        case look
        case sleep(until: Duration?)
        case over
    }

    private var jobs: [UnownedJob] = []
    private var waiters: [Waiter] = []
    private var isAsleep = false
    private var isAttended = true
    var isEnding = false
    /// The guest has been called since its last turn.
    var isCalled = false

    mutating func take(_ job: UnownedJob) -> Reception {
        jobs.append(job)
        return reception()
    }

    mutating func add(_ waiter: Waiter) -> Reception {
        if waiter.wasCancelledEarly { return .cancelledEarly }
        waiter.isWaiting = true
        waiters.append(waiter)
        return reception()
    }

    mutating func call() -> Reception {
        isCalled = true
        return reception()
    }

    private mutating func reception() -> Reception {
        guard isAttended else {
            isAttended = true
            return .threadIsGone
        }
        guard isAsleep else { return .taken }
        // One ring is enough; the next caller finds it awake.
        isAsleep = false
        return .sleeperNeedsWaking
    }

    mutating func remove(where isMeant: (Waiter) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        waiters.removeAll { waiter in
            guard isMeant(waiter) else { return false }
            waiter.isWaiting = false
            removed.append(waiter)
            return true
        }
        return removed
    }

    mutating func cancel(_ waiter: Waiter) -> [Waiter] {
        guard waiter.isWaiting else {
            waiter.wasCancelledEarly = true
            return []
        }
        return remove { $0 === waiter }
    }

    /// Gives the jobs and keeps the empty array's memory: no allocation from one round to the next.
    mutating func takeJobs(_ emptied: inout [UnownedJob]) {
        isAsleep = false
        swap(&jobs, &emptied)
    }

    mutating func planSleep(_ poller: inout Poller, until moment: Duration?, mayEnd: Bool) -> SleepPlan {
        if isEnding, mayEnd, jobs.isEmpty, waiters.isEmpty {
            isAttended = false
            return .over
        }
        poller.set(waiters)
        guard jobs.isEmpty, !isCalled else { return .look }
        isAsleep = true
        let first = waiters.compactMap(\.interest.deadline).min()
        return .sleep(until: [first, moment].compactMap { $0 }.min())
    }

    mutating func afterSleep(_ poller: borrowing Poller, at now: Duration) -> (
        ready: [Waiter], overdue: [Waiter]
    ) {
        isAsleep = false
        let ready = poller.ready.isEmpty ? [] : remove { poller.ready.contains(ObjectIdentifier($0)) }
        var overdue = remove { $0.interest.deadline.map { $0 <= now } ?? false }
        // A late look finds several: they go in the order in which they should have gone.
        overdue.sort { ($0.interest.deadline ?? .zero) < ($1.interest.deadline ?? .zero) }
        return (ready, overdue)
    }
}
