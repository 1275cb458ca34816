public import Basics
import CLinux
import Glibc
import Synchronization

/// The thread on which everything of one camera happens: an executor that, when it has nothing to run, waits
/// for sockets, for time, and to be woken, all in one `poll(2)`.
///
/// Bytes are received, decoded and acted upon without a change of threads, and no task ever blocks in a
/// system call, so that closing and cancelling take effect at once.
///
/// A library that has a loop of its own may be its guest (``EventLoopClient``): then what is asked of the library, what it
/// does, and what follows from that happen on this one thread.
public final class Reactor: SerialExecutor, TaskExecutor, TimeSource, Sendable {
    /// What ended a wait.
    package enum Wakening: Equatable, Sendable {
        case ready
        case deadline
        /// The descriptor is being closed.
        case closed
        case cancelled
    }

    private let name: String
    private let wakeUp: WakeUp
    private let guest: (any EventLoopClient)?
    private let state = Mutex(ReactorState())

    /// After so many rounds of jobs in a row the descriptors are looked at all the same.
    private static let roundsWithoutLooking = 32

    public convenience init(name: String) throws(SystemError) {
        try self.init(name: name, guest: nil)
    }

    package init(name: String, guest: (any EventLoopClient)?) throws(SystemError) {
        self.name = name
        self.guest = guest
        wakeUp = try WakeUp()
        start()
    }

    public var now: Duration { MonotonicClock.now }

    // MARK: Jobs

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        attend(to: state.withLock { $0.take(job) })
    }

    /// The guest has something to do.
    package func call() {
        attend(to: state.withLock { $0.call() })
    }

    private func attend(to reception: ReactorState.Reception) {
        switch reception {
        case .taken, .cancelledEarly: break
        case .sleeperNeedsWaking: wakeUp.fire()
        case .threadIsGone: start()
        }
    }

    /// Ends the thread when nothing is queued and no task waits. Called once, by the owner.
    public func shutDown() {
        state.withLock { $0.isEnding = true }
        wakeUp.fire()
    }

    // MARK: Waiting

    public func sleep(until deadline: Duration) async throws(CancellationError) {
        if await wait(Interest(descriptor: -1, events: 0, deadline: deadline)) == .cancelled {
            throw CancellationError()
        }
    }

    package func waitReadable(_ descriptor: Int32, until deadline: Duration?) async -> Wakening {
        await wait(Interest(descriptor: descriptor, events: Int16(POLLIN), deadline: deadline))
    }

    package func waitWritable(_ descriptor: Int32, until deadline: Duration?) async -> Wakening {
        await wait(Interest(descriptor: descriptor, events: Int16(POLLOUT), deadline: deadline))
    }

    /// Until the peer is gone for good; one that only sends no more is still there.
    package func waitHungUp(_ descriptor: Int32, until deadline: Duration?) async -> Wakening {
        // poll(2) reports a hang-up also without requested events.
        await wait(Interest(descriptor: descriptor, events: 0, deadline: deadline))
    }

    /// Before a descriptor is closed: tasks that wait for it get `closed`.
    package func forget(_ descriptor: Int32) {
        finish(state.withLock { $0.remove { $0.interest.descriptor == descriptor } }, with: .closed)
    }

    private func wait(_ interest: Interest) async -> Wakening {
        let waiter = Waiter(interest)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.continuation = continuation
                let reception = state.withLock { $0.add(waiter) }
                if reception == .cancelledEarly {
                    continuation.resume(returning: .cancelled)
                } else {
                    attend(to: reception)
                }
            }
        } onCancel: {
            finish(state.withLock { $0.cancel(waiter) }, with: .cancelled)
        }
    }

    private func finish(_ waiters: [Waiter], with wakening: Wakening) {
        for waiter in waiters { waiter.continuation?.resume(returning: wakening) }
    }

    // MARK: The thread

    private func start() {
        Thread.start(name: name) { [self] in
            guest?.comeOnThread()
            var poller = Poller()
            var jobs: [UnownedJob] = []
            var roundsSinceLook = 0
            while true {
                jobs.removeAll(keepingCapacity: true)
                state.withLock { $0.takeJobs(&jobs) }
                for job in jobs {
                    job.runSynchronously(
                        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
                }
                roundsSinceLook += 1
                if !jobs.isEmpty, roundsSinceLook < Self.roundsWithoutLooking { continue }
                roundsSinceLook = 0
                guard look(with: &poller) else { return }
            }
        }
    }

    /// Waits for the next thing to happen, or only looks when there are jobs. False when it is over.
    private func look(with poller: inout Poller) -> Bool {
        state.withLock { $0.isCalled = false }
        let guest = guest.flatMap { $0.isOver ? nil : $0 }
        let guestsMoment = guest?.turn()
        let mayEnd = guest?.isOver ?? true
        let plan = state.withLock { $0.planSleep(&poller, until: guestsMoment, mayEnd: mayEnd) }
        switch plan {
        case .over:
            return false
        case .look:
            // The guest has looked at its own descriptors.
            poller.poll(wakeUp.descriptor, until: .zero)
        case .sleep(let until):
            poller.poll(wakeUp.descriptor, until: until, with: guest)
        }
        if poller.wasWoken { wakeUp.clear() }
        let now = now
        let (ready, overdue) = state.withLock { $0.afterSleep(poller, at: now) }
        finish(ready, with: .ready)
        finish(overdue, with: .deadline)
        return true
    }
}
