/// Whether a camera that says nothing is there at all.
///
/// Its system may hold both links open for ever while its firmware hangs. In short calls their limits notice that, two of
/// them in a row. In a long one, such as the list of a full card, it is asked on the event link: long transactions are what
/// the standard advises an initiator's probes for (CIPA DC-X005 §2.4). Silence there says something only of a body that
/// has answered a probe before; photos are never probed, they have a pace.
extension Initiator {
    /// When anything came from the camera last; nothing while the links do not both stand.
    public var lastHeard: Duration? {
        guard case .connected(let connection) = state else { return nil }
        return connection.lastHeard
    }

    /// It has answered a probe, in this connection or as far as is known.
    public var hasAnsweredProbes: Bool {
        peculiarities.answersProbes && (peculiarities.hasAnsweredProbes || hasAnsweredProbe)
    }

    /// Silence on probes in a long call means that it hangs.
    public var trustsProbesInCalls: Bool {
        hasAnsweredProbes && (peculiarities.answersProbesInCalls || hasAnsweredProbeInCall)
    }

    /// A body that was never heard to answer one is not gone because it does not.
    var expectsAnswerToProbe: Bool { peculiarities.answersProbes && peculiarities.hasAnsweredProbes }

    mutating func tryProbe(at now: Duration) -> [Action] {
        guard case .connected(var connection) = state, peculiarities.answersProbes, !connection.probe.isAsked
        else { return [] }
        connection.probe.asked(at: now, expectsAnswer: false)
        connection.triedProbeAt = now
        state = .connected(connection)
        return [.send(.probeRequest, .event)]
    }

    /// What was asked last was not answered, and nothing that was too late has come since.
    public var owesAnswer: Bool {
        guard case .connected(let connection) = state else { return false }
        return connection.unansweredCalls > 0
    }

    /// What is left for a call after one that had no answer.
    func cap(in connection: Connection, at now: Duration) -> Duration? {
        guard connection.unansweredCalls > 0, let silence = timeouts.silence else { return nil }
        return max(timeouts.leastAfterSilence, silence - (now - connection.lastHeard))
    }

    /// How to call it when the last call that is waited for had no answer.
    func gone(
        _ exchange: Exchange, _ limit: Duration, _ connection: Connection, at now: Duration
    ) -> Ending {
        let silence = now - connection.lastHeard
        guard timeouts.silence != nil, silence >= timeouts.leastAfterSilence else {
            return .silent(waitingFor: "response to \(exchange.call.operation)", after: limit)
        }
        return .hung(silentFor: silence, over: exchange.call.operation)
    }

    /// What comes behind the call, or later than a probe is waited for, shows nothing of a body that may be deaf in calls.
    mutating func probeAnswered(_ connection: inout Connection, at now: Duration) {
        hasAnsweredProbe = true
        connection.triedProbeAt = nil
        guard connection.awaitsAnswer, connection.exchange?.phase == .expectingAnswer,
            connection.watch.expectsAnswer(at: now, timeouts)
        else { return }
        hasAnsweredProbeInCall = true
    }

    /// A body that has never answered a probe, and hangs up after one, does so because of it.
    mutating func lostPerhapsOverProbe(_ connection: Connection, at now: Duration) {
        guard !hasAnsweredProbes, let tried = connection.triedProbeAt, now - tried < timeouts.probeAnswer
        else { return }
        wasLostOverProbe = true
    }

    enum Watched {
        case nothing
        case asks
        case ends(Ending)
    }

    /// Looks at a long call.
    func watched(_ connection: inout Connection, at now: Duration) -> Watched {
        guard let due = connection.watchDeadline(timeouts, peculiarities), now >= due,
            let exchange = connection.exchange
        else { return .nothing }
        guard connection.watch.asked >= (exchange.call.isProbed ? 1 : timeouts.unansweredProbes) else {
            connection.watch.ask(at: now)
            connection.triedProbeAt = now
            return .asks
        }
        guard trustsProbesInCalls, !exchange.call.isProbed else {
            connection.watch.isOver = true
            return .nothing
        }
        return .ends(.hung(silentFor: now - connection.lastHeard, over: exchange.call.operation))
    }
}

extension Initiator.Connection {
    /// Anything at all shows that the camera is there.
    mutating func heard(at now: Duration) {
        lastHeard = now
        exchange?.heard(at: now)
        if !watch.isOver { watch = SilenceWatch() }
    }

    /// The call under way has come to its end, whatever that was.
    mutating func callEnded() {
        exchange = nil
        watch = SilenceWatch()
    }

    /// An answer that was not waited for any more shows that the call is not unanswered.
    func paidOff(by transaction: TransactionID) -> Initiator.Connection {
        guard transaction == owedSign else { return self }
        var connection = self
        connection.owedSign = nil
        connection.unansweredCalls = max(0, unansweredCalls - 1)
        return connection
    }

    /// When the call under way is to be looked at; nothing for a short one, and for a photo.
    func watchDeadline(_ timeouts: Timeouts, _ peculiarities: Peculiarities) -> Duration? {
        guard let silence = timeouts.silence, peculiarities.answersProbes, !watch.isOver, awaitsAnswer,
            let exchange, exchange.call.isProbed || exchange.mayBeSilent(forLongerThan: silence, timeouts)
        else { return nil }
        return watch.askedAt.map { $0 + timeouts.probeAnswer }
            ?? max(lastHeard, exchange.startedAt) + timeouts.quiet
    }
}

/// The questions on the event link in one long call.
struct SilenceWatch: Equatable, Sendable {
    /// In a row, without anything having come meanwhile.
    private(set) var asked = 0
    private(set) var askedAt: Duration?
    /// This camera answers none, and is waited for as long as the call may take.
    var isOver = false

    mutating func ask(at now: Duration) {
        asked += 1
        askedAt = now
    }

    func expectsAnswer(at now: Duration, _ timeouts: Timeouts) -> Bool {
        guard let askedAt, !isOver else { return false }
        return now - askedAt <= timeouts.probeAnswer
    }
}
