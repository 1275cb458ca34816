public import Basics

/// The life of one camera's connection, from the first try to the last. What is known of the body's make counts by
/// ``Settings``, which are other ones as soon as more is known.
///
/// A value: it is told what happened and says what to do. It never gives up by itself; a camera that was carried out of
/// the room is waited for all evening.
public struct ConnectionLife: Equatable, Sendable {
    public enum State: Equatable, Sendable {
        /// Nothing has been tried. Left by `start`.
        case idle
        /// Sockets and session are being opened. Left for `waitingForOK`, `confirmingCode`, `ready`, `waiting`.
        case connecting
        /// The camera has not answered: it probably shows a question. Left for `ready` when a person presses OK, for
        /// `confirmingCode` where a code follows, for `waiting` when no person does.
        case waitingForOK
        /// The camera has let us in, and shows a code that a person has to compare and confirm. Left for `waiting`: bodies
        /// end that connection, and are paired in the next; for `ready` by those that do not.
        case confirmingCode
        /// The session stands and photos can be fetched. Left for `waiting` when it is lost.
        case ready
        /// There is no connection; the next try is at `until`. Left for `connecting`.
        case waiting(until: Duration, because: Loss)
        /// We ended it. Never left.
        case ended
    }

    /// Why there is no connection, by what can be done about it.
    public enum Loss: Equatable, Sendable {
        /// It was there, or another host answered wrongly: it may be back in a moment.
        case lost(String)
        /// No host answers at that address.
        case unreachable(String)
        /// Another client holds the camera, or its slot has not been freed yet after a lost link.
        case busy(String)
        /// A person has to do something on the body.
        case needsPerson(String)
        /// It has closed the connection while nothing was asked of it: it may sleep.
        case asleep(String)
        /// It sent so much of no use that it was hung up on.
        case flood(String)

        /// The same where nothing was to be done: a camera that goes to sleep does just that. It may be said otherwise then.
        func whileIdle(saying other: String? = nil) -> Loss {
            if case .lost(let reason) = self { .asleep(other ?? reason) } else { self }
        }

        /// As programs read it.
        public var word: String {
            switch self {
            case .lost: "lost"
            case .unreachable: "unreachable"
            case .busy: "busy"
            case .needsPerson: "needsPerson"
            case .asleep: "asleep"
            case .flood: "flood"
            }
        }

        public var reason: String {
            switch self {
            case .lost(let reason), .unreachable(let reason), .busy(let reason), .needsPerson(let reason),
                .asleep(let reason), .flood(let reason):
                reason
            }
        }
    }

    public enum Happening: Equatable, Sendable {
        case start
        case cameraAsks
        case cameraShowsCode
        case connected
        /// `afterProgress`: photos, or parts of some, had come further in that connection than ever before. `whenAsleep`:
        /// what is said where a body is not reached that went to sleep.
        case lost(Loss, afterProgress: Bool = false, whenAsleep: String? = nil)
        case timePassed
        case stop
    }

    public enum Action: Equatable, Sendable {
        case connect
        case report(State)
    }

    public struct Settings: Equatable, Sendable {
        public var backoff = Backoff(first: .seconds(1), longest: .seconds(15))
        /// A camera that brought photos is lost over one of them, or by the network: the others wait.
        public var afterProgress = Backoff(first: .milliseconds(200), longest: .milliseconds(200))
        /// "Nikon slot hold after lost FIN: 30 s or more": asking before keeps some bodies from letting go.
        public var busyPause = Duration.seconds(30)
        /// The person at the body sees no command of ours, so it is tried again all the same, but not often.
        public var personPause = Duration.seconds(60)
        /// A camera that floods us is left alone longer each time, also when it behaves for a while in between.
        public var floodBackoff = Backoff(first: .seconds(5), longest: .seconds(300))
        /// A connection that has stood for so long was a good one.
        public var steady = Duration.seconds(10)
        /// So long a camera that has answered is left alone before it is asked again, whatever the reason.
        public var settle = Duration.zero
        /// After so many greetings in a row that it let fail, a person is needed rather than another try.
        public var mostGreetings = Int.max

        public init() {}
    }

    public private(set) var state = State.idle
    private var settings: Settings
    /// Greetings in a row that came to nothing, though the camera answered.
    private var failedGreetings = 0
    /// Tries since it was last of use, or ready for long enough.
    private var failures = 0
    private var floods = 0
    /// It went while nothing was to be done, and has not been reached since.
    private var isAsleep = false
    private var readySince = Duration.zero

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// More is known of the body. What is being waited for already is not changed by that.
    public mutating func adopt(_ settings: Settings) {
        self.settings = settings
    }

    public var nextDeadline: Duration? {
        guard case .waiting(let until, _) = state else { return nil }
        return until
    }

    public mutating func handle(
        _ happening: Happening, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch happening {
        case .start: start()
        case .cameraAsks: cameraAsks()
        case .cameraShowsCode: cameraShowsCode()
        case .connected: connected(at: now)
        case .lost(let loss, let afterProgress, let whenAsleep):
            lost(loss, afterProgress, whenAsleep, at: now, using: &random)
        case .timePassed: timePassed(at: now)
        case .stop: move(to: .ended)
        }
    }

    private mutating func start() -> [Action] {
        switch state {
        case .idle: move(to: .connecting) + [.connect]
        case .connecting, .waitingForOK, .confirmingCode, .ready, .waiting, .ended: []
        }
    }

    private mutating func cameraAsks() -> [Action] {
        switch state {
        case .connecting: move(to: .waitingForOK)
        case .idle, .waitingForOK, .confirmingCode, .ready, .waiting, .ended: []
        }
    }

    private mutating func cameraShowsCode() -> [Action] {
        switch state {
        case .connecting, .waitingForOK: move(to: .confirmingCode)
        case .idle, .confirmingCode, .ready, .waiting, .ended: []
        }
    }

    private mutating func connected(at now: Duration) -> [Action] {
        switch state {
        case .connecting, .waitingForOK, .confirmingCode:
            readySince = now
            isAsleep = false
            failedGreetings = 0
            return move(to: .ready)
        case .idle, .ready, .waiting, .ended: return []
        }
    }

    private mutating func lost(
        _ loss: Loss, _ afterProgress: Bool, _ whenAsleep: String?, at now: Duration,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch state {
        case .connecting, .waitingForOK, .confirmingCode, .ready:
            let loss = seen(afterGreetings(loss), whenAsleep)
            // A camera that lets us in and hangs up at once is not asked again and again at full pace.
            let wasOfUse = state == .ready && afterProgress
            if wasOfUse || (state == .ready && now - readySince >= settings.steady) { failures = 0 }
            failures += wasOfUse ? 0 : 1
            let backoff = wasOfUse ? settings.afterProgress : settings.backoff
            let usual = backoff.pause(afterFailures: max(1, failures), using: &random)
            let pause =
                switch loss {
                case .lost, .unreachable, .asleep: usual
                case .busy: max(settings.busyPause, usual)
                case .needsPerson: max(settings.personPause, usual)
                case .flood: pauseAfterFlood()
                }
            return move(to: .waiting(until: now + max(pause, least(after: loss)), because: loss))
        case .idle, .waiting, .ended: return []
        }
    }

    /// A host that does not answer needs no rest.
    private func least(after loss: Loss) -> Duration {
        if case .unreachable = loss { .zero } else { settings.settle }
    }

    private mutating func afterGreetings(_ loss: Loss) -> Loss {
        guard case .lost(let reason) = loss, state != .ready, state != .confirmingCode else { return loss }
        failedGreetings += 1
        return failedGreetings < settings.mostGreetings ? loss : .needsPerson(reason)
    }

    /// Who sleeps does not answer.
    private mutating func seen(_ loss: Loss, _ whenAsleep: String?) -> Loss {
        switch loss {
        case .asleep: isAsleep = true
        case .unreachable(let reason) where isAsleep: return .asleep(whenAsleep ?? reason)
        case .lost, .unreachable, .busy, .needsPerson, .flood: isAsleep = false
        }
        return loss
    }

    private mutating func pauseAfterFlood() -> Duration {
        floods += 1
        return settings.floodBackoff.ceiling(afterFailures: floods)
    }

    private mutating func timePassed(at now: Duration) -> [Action] {
        switch state {
        case .waiting(let until, _):
            until <= now ? move(to: .connecting) + [.connect] : []
        case .idle, .connecting, .waitingForOK, .confirmingCode, .ready, .ended: []
        }
    }

    private mutating func move(to next: State) -> [Action] {
        guard next != state else { return [] }
        state = next
        return [.report(next)]
    }
}
