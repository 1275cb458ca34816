extension Initiator {
    /// What is true while both links stand.
    public struct Connection: Equatable, Sendable {
        public enum Session: Equatable, Sendable {
            /// Only operations that need no session make sense.
            case none
            /// OpenSession with this number is under way, as the exchange.
            case opening(number: UInt32, attempts: Int)
            case open(number: UInt32)
            /// CloseSession is under way, as the exchange; the links follow.
            case closing
        }

        struct LostLink: Equatable, Sendable {
            let reason: String
            /// Put off while bytes come.
            var until: Duration
        }

        public let peer: Peer
        public internal(set) var session = Session.none
        /// The transaction under way: at most one, "pipelining is not allowed" (PIMA 15740 §9.3).
        var exchange: Exchange?
        var nextTransaction: TransactionID
        /// The last one that has begun: whatever is not newer is a late answer.
        var lastTransaction: TransactionID?
        var unansweredCalls = 0
        /// One of these, whose answer would count however late it comes.
        var owedSign: TransactionID?
        /// When anything came from the camera last, on either link.
        public internal(set) var lastHeard: Duration
        /// Of the call under way.
        var watch = SilenceWatch()
        /// When the camera was sent a probe that it has not answered, and need not.
        var triedProbeAt: Duration?
        var stalePackets = 0
        var staleBytes: UInt64 = 0
        /// Whose payload follows the last data packet: not always the exchange's, when a late answer is
        /// still coming in while the next call has begun.
        var payloadOwner: TransactionID?
        /// A caller waits for an answer, and the call has not been cancelled.
        var awaitsAnswer: Bool {
            guard let exchange, case .none = exchange.cancel else { return false }
            switch session {
            case .none, .open: return true
            case .opening, .closing: return false
            }
        }

        /// The event link is lost, and an answer's bytes still come on the other.
        var eventLinkGone: LostLink?
        var probe: ProbeClock

        init(peer: Peer, peculiarities: Peculiarities, at now: Duration) {
            self.peer = peer
            nextTransaction = .first
            lastHeard = now
            probe = ProbeClock(interval: peculiarities.probeInterval, at: now)
        }

        /// The payload that comes is that of the call under way.
        var ownsPayload: Bool { exchange.map { $0.transaction == payloadOwner } ?? false }

        var payloadDestination: PayloadDestination {
            guard let exchange, ownsPayload else { return .discard }
            return exchange.payloadDestination
        }

        func nextDeadline(_ timeouts: Timeouts, _ peculiarities: Peculiarities) -> Duration? {
            [
                exchange?.deadline(timeouts), probe.deadline(timeouts), eventLinkGone?.until,
                watchDeadline(timeouts, peculiarities),
            ].compactMap { $0 }.min()
        }
    }
}

/// When to ask whether the camera is there, and until when it has to answer.
struct ProbeClock: Equatable, Sendable {
    let interval: Duration?
    private var lastSign: Duration
    private var askedAt: Duration?
    private var answersInSecond = 0
    private var secondBegan: Duration

    init(interval: Duration?, at now: Duration) {
        self.interval = interval
        lastSign = now
        secondBegan = now
    }

    /// Anything on the event link shows that the camera is there.
    mutating func signOfLife(at now: Duration) {
        lastSign = now
        askedAt = nil
    }

    mutating func asked(at now: Duration, expectsAnswer: Bool) {
        lastSign = now
        askedAt = expectsAnswer ? now : nil
    }

    /// Whether to answer a probe now: a flood of them is not answered one by one.
    mutating func mayAnswer(at now: Duration, _ timeouts: Timeouts) -> Bool {
        if now - secondBegan >= .seconds(1) {
            secondBegan = now
            answersInSecond = 0
        }
        answersInSecond += 1
        return answersInSecond <= timeouts.probeAnswersPerSecond
    }

    func deadline(_ timeouts: Timeouts) -> Duration? {
        if let askedAt { return askedAt + timeouts.probeAnswer }
        return interval.map { lastSign + $0 }
    }

    var isAsked: Bool { askedAt != nil }

    func isUnanswered(at now: Duration, _ timeouts: Timeouts) -> Bool {
        askedAt.map { now - $0 >= timeouts.probeAnswer } ?? false
    }

    func isDue(at now: Duration) -> Bool {
        guard askedAt == nil, let interval else { return false }
        return now - lastSign >= interval
    }
}
