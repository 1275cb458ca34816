/// Our side of one PTP/IP connection, from the first link to the last, as a value.
///
/// The machine is told what happened and answers with what to do; it knows no socket, no clock and no
/// memory but its own. One machine is one connection: after ``State/closed(_:)`` a new one is made.
///
/// A conversation has two links. The command link carries one transaction at a time: a request, perhaps
/// data, a response. The event link carries notices and probes at any time. Losing either ends both.
/// The payload of a transaction never passes through here: after a Data or End Data packet
/// ``payloadDestination`` says where its bytes go, and the driver reports how many went.
///
/// What can be wrong is told apart in ``Ending``: the world, the camera's choice, its slowness, its
/// bytes, its conduct. What a caller must not do is a precondition.
public struct Initiator: Equatable, Sendable {
    public enum Happening: Equatable, Sendable {
        /// Begin: said once.
        case start
        case linkOpened(Channel)
        /// A link could not be opened, because nothing listens there.
        case linkRefused(Channel, port: UInt16, reason: String)
        /// A link could not even be tried, for want of something on this side.
        case linkImpossible(Channel, reason: String)
        /// What stands before the camera does not let us through, and only a person can say otherwise.
        case linkDenied(Channel, reason: String)
        /// A link could not be opened, ended or broke. What came of a packet that is not whole goes with it.
        case linkLost(Channel, reason: String, unread: [UInt8] = [])
        case received(Packet, Channel)
        /// Told before what could be understood of it, if anything.
        case odd(OddPacket, Channel)
        case malformed(Malformed, Channel)
        /// What the caller found odd about an answer and put up with.
        case oddAnswer(String)
        /// Payload that went to ``PayloadDestination/collect``.
        case collected([UInt8])
        /// Payload that went anywhere else.
        case payloadMoved(Int)
        /// The consumer takes no bytes of the photo at the moment: it is not the camera that is slow.
        case consumerBusy
        case consumerReady
        /// Only when ``isReadyForCall``.
        case call(Call)
        /// Take the running call back. Does nothing when there is none.
        case cancelCall
        /// The same, and nothing is wanted of the connection after it: its answer is waited for less long.
        case cancelCallAtEnd
        /// Where the connection does not do so by itself.
        case openSession
        case close
        /// Ask on the event link whether the camera is there, to learn whether it answers that.
        case tryProbe
        /// ``nextDeadline`` has come.
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        case openLink(Channel)
        case send(Packet, Channel)
        /// The payload of the data packet just sent.
        case sendPayload([UInt8])
        /// The camera has not answered yet: it probably shows a question to its photographer.
        case askPerson(waitingUntil: Duration)
        /// Both links stand. A session follows by itself unless the peculiarities say otherwise.
        case connected(Peer)
        /// Calls can be made.
        case sessionOpened
        case notice(EventPacket)
        /// Something odd that was put up with: a sentence for a log.
        case remark(String)
        case finish(Reply)
        /// The camera cannot do it just now: this call is to be made again then. Others may be made before.
        case callAgain(Call, at: Duration)
        case fail(CallFailure)
        /// Both links, initiator first. Nothing follows.
        case closeLinks(Ending)
    }

    public enum PayloadDestination: Equatable, Sendable {
        case collect
        case stream
        case discard
    }

    public enum State: Equatable, Sendable {
        /// Nothing has been asked for. Left by `start`.
        case idle
        /// The command link is being opened; the link itself limits how long. Left when it stands or fails.
        case openingCommandLink
        /// We have said who we are. Left by an ack, a refusal, or when the timeout for a person ends.
        case expectingInitCommandAck(ExpectingAck)
        /// The camera has let us in and waits for the second link, some only for seconds. Left when it stands
        /// or has failed too often.
        case openingEventLink(OpeningEventLink)
        /// The second link has named its connection number. Left by an ack, a refusal or the deadline; a camera
        /// that hangs up was not ready, and is tried again.
        case expectingInitEventAck(OpeningEventLink, until: Duration)
        /// Both links stand. Left when either is lost, by `close`, or when the camera misbehaves.
        case connected(Connection)
        /// Over. Never left.
        case closed(Ending)
    }

    public struct ExpectingAck: Equatable, Sendable {
        let until: Duration
        /// When to tell the operator to look at the camera; nothing once told.
        var askPersonAt: Duration?
    }

    public struct OpeningEventLink: Equatable, Sendable {
        let peer: Peer
        var failures = 0
        /// Set while we pause before another attempt.
        var retryAt: Duration?
    }

    public let identity: InitCommandRequest
    public private(set) var peculiarities: Peculiarities
    public let timeouts: Timeouts
    public internal(set) var state = State.idle
    var remarks = RemarkBook()
    var floodGauge = FloodGauge()
    /// The camera has answered a probe in this connection, and one that was asked in a long call.
    var hasAnsweredProbe = false
    public internal(set) var hasAnsweredProbeInCall = false
    /// A link was lost right after a probe, and the camera has never answered one.
    public internal(set) var wasLostOverProbe = false

    public init(
        identity: InitCommandRequest, peculiarities: Peculiarities = Peculiarities(),
        timeouts: Timeouts = Timeouts()
    ) {
        self.identity = identity
        self.peculiarities = peculiarities
        self.timeouts = timeouts
    }

    public mutating func handle(_ happening: Happening, at now: Duration) -> [Action] {
        switch happening {
        case .start: started()
        case .linkOpened(let channel): linkOpened(channel, at: now)
        case .linkRefused(let channel, let port, let reason):
            linkRefused(channel, port, reason: reason, at: now)
        case .linkImpossible(let channel, let reason): linkImpossible(.unreachable(channel, reason: reason))
        case .linkDenied(_, let reason): linkImpossible(.notAdmitted(reason: reason))
        case .linkLost(let channel, let reason, let unread):
            linkLost(channel, reason: reason, unread, at: now)
        case .received(let packet, let channel): received(packet, channel, at: now)
        case .odd(let packet, let channel): odd(packet, channel, at: now)
        case .malformed(let bytes, let channel): malformed(bytes, channel)
        case .oddAnswer(let sentence): remark(sentence)
        case .collected(let bytes): collected(bytes, at: now)
        case .payloadMoved(let count): payloadMoved(count, at: now)
        case .consumerBusy: consumer(isBusy: true, at: now)
        case .consumerReady: consumer(isBusy: false, at: now)
        case .call(let call): begin(call, at: now)
        case .cancelCall: cancelCall(answeredBy: now + timeouts.cancelAnswer)
        case .cancelCallAtEnd: cancelCall(answeredBy: now + timeouts.cancelAnswerAtEnd)
        case .openSession: openSession(at: now)
        case .close: close(at: now)
        case .tryProbe: tryProbe(at: now)
        case .timePassed: timePassed(at: now)
        }
    }

    /// What is known of the camera by now. What has been said in the greeting stays said.
    public mutating func adopt(_ peculiarities: Peculiarities) {
        self.peculiarities = peculiarities
    }

    /// Whether a call may be made now.
    public var isReadyForCall: Bool {
        guard case .connected(let connection) = state else { return false }
        guard connection.exchange == nil else { return false }
        switch connection.session {
        case .none: return !peculiarities.opensSession
        case .open: return true
        case .opening, .closing: return false
        }
    }

    /// The number that the camera accepted for its session, while that stands.
    public var sessionNumber: UInt32? {
        guard case .connected(let connection) = state, case .open(let number) = connection.session else {
            return nil
        }
        return number
    }

    /// Where the payload of the data packet just received goes.
    public var payloadDestination: PayloadDestination {
        guard case .connected(let connection) = state else { return .discard }
        return connection.payloadDestination
    }

    /// When `timePassed` has to be said, if nothing else happens before.
    public var nextDeadline: Duration? {
        switch state {
        case .idle, .openingCommandLink, .closed: nil
        case .expectingInitCommandAck(let waiting): min(waiting.until, waiting.askPersonAt ?? waiting.until)
        case .openingEventLink(let opening): opening.retryAt
        case .expectingInitEventAck(_, let until): until
        case .connected(let connection): connection.nextDeadline(timeouts, peculiarities)
        }
    }
}

/// Who let us in.
public struct Peer: Equatable, Sendable {
    public let connectionNumber: UInt32
    public let guid: GUID
    public let name: String
    public let version: ProtocolVersion?

    init(_ ack: InitCommandAck) {
        connectionNumber = ack.connectionNumber
        guid = ack.guid
        name = ack.name
        version = ack.version
    }
}
