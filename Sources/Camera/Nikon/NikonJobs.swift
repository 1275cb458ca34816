import PTP

/// The photos that a body in picture-transfer mode gives, one after the other.
///
/// "A job protocol: the host calls, it blocks until a picture is queued, then its answer describes the next object
/// allowed; call again with the status of the finished job." A value: the driver asks and says what came.
struct NikonJobs: Equatable, Sendable {
    enum State: Equatable, Sendable {
        /// The body gives what it lists. Left for `asking` when it refused everything on its cards.
        case unlocked
        /// The next question says how the job before ended. Left for `given` with an object, for `pausing` without.
        case asking(NikonTransferJob.Status)
        /// The body had nothing, or did not want to be asked. Left for `asking` at that time.
        case pausing(until: Duration, NikonTransferJob.Status)
        /// This object may be described and fetched. Left for `asking` when it has come, or when it was not begun with until
        /// that time.
        case given(ObjectHandle, until: Duration)
    }

    private(set) var state = State.unlocked
    /// Everything that was given in this connection.
    private(set) var handles: Set<ObjectHandle> = []

    /// A photo that is wanted is begun with long before.
    static let mostIdle = Duration.seconds(60)
    static let pause = Duration.seconds(3)
    /// More than a body gives in one connection; what was given first is forgotten then.
    static let mostHandles = 100_000

    var isLocked: Bool { state != .unlocked }

    mutating func locked() {
        if state == .unlocked { state = .asking(.none) }
    }

    mutating func answered(_ job: NikonTransferJob?, at now: Duration) {
        guard case .asking(let status) = state else { return }
        guard let job else {
            state = .pausing(until: now + Self.pause, status)
            return
        }
        if handles.count >= Self.mostHandles { handles = [] }
        handles.insert(job.handle)
        state = .given(job.handle, until: now + Self.mostIdle)
    }

    /// Something of it was asked for.
    mutating func used(_ handle: ObjectHandle, at now: Duration) {
        if case .given(handle, _) = state { state = .given(handle, until: now + Self.mostIdle) }
    }

    mutating func came(_ handle: ObjectHandle) {
        if case .given(handle, _) = state { state = .asking(.taken) }
    }

    mutating func timePassed(at now: Duration) {
        switch state {
        case .pausing(let until, let status) where until <= now: state = .asking(status)
        case .given(_, let until) where until <= now: state = .asking(.notTaken)
        case .unlocked, .asking, .pausing, .given: break
        }
    }
}
