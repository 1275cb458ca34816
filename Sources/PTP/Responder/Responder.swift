/// The camera's side of PTP/IP, as a value: the mirror of ``Initiator``.
///
/// A camera listens, so here links come and go: each says with its first packet whether it is a command
/// link or an event link. One client at a time holds the camera. Everything that PTP/IP itself decides is
/// decided here: who may come in, what needs a session, what a cancel does. What an operation means is
/// the body's business: it gets ``Action/perform(_:)`` and gives back an ``Answer``.
public struct Responder: Equatable, Sendable {
    /// The driver's number for a link it has accepted. Never used twice.
    public typealias LinkID = Int

    public enum Happening: Equatable, Sendable {
        case accepted(LinkID)
        case linkLost(LinkID)
        case received(Packet, LinkID)
        case malformed(Malformed, LinkID)
        /// Payload of data that the client sends.
        case collected([UInt8], LinkID)
        /// A person pressed OK, or none had to.
        case admit(LinkID)
        case refuse(LinkID, InitFailReason)
        /// What the body made of the operation it was given.
        case answered(Answer)
        /// All that `sendData` asked for is on its way.
        case dataSent
        /// Sending has ended early, at a packet's end, because `stopData` asked for it.
        case dataStopped
        /// Sending has ended early, at a packet's end, because there is nothing more to send: the card is gone.
        case dataBroken(ResponseCode)
        case notice(EventPacket)
        case timePassed
    }

    public enum Action: Equatable, Sendable {
        case send(Packet, LinkID)
        /// Decide with `admit` or `refuse`, now or when a person has.
        case askForAdmission(InitCommandRequest, LinkID)
        /// Both links of this client stand.
        case connected(InitCommandRequest)
        case sessionOpened(number: UInt32)
        case sessionClosed
        case perform(Operation)
        /// Start Data, the packets of the data, and then say `dataSent`.
        case sendData(DataSource, TransactionID, LinkID)
        case stopData
        case closeLink(LinkID, Parting)
        /// The client is gone; either side may have ended it.
        case disconnected(Parting)
    }

    /// What the body has to do.
    public struct Operation: Equatable, Sendable {
        public let code: OperationCode
        public let parameters: [UInt32]
        public let transaction: TransactionID
        /// What the client sent in a data phase.
        public let data: [UInt8]

        /// The same asked for by another name: for bodies whose own operations do what the standard's do.
        public func `as`(_ code: OperationCode) -> Operation {
            Operation(code: code, parameters: parameters, transaction: transaction, data: data)
        }
    }

    public struct Answer: Equatable, Sendable {
        public var code: ResponseCode
        public var parameters: [UInt32]
        public var data: DataSource

        public init(_ code: ResponseCode, _ parameters: [UInt32] = [], data: DataSource = .none) {
            self.code = code
            self.parameters = parameters
            self.data = data
        }
    }

    public enum DataSource: Equatable, Sendable {
        case none
        case bytes([UInt8])
        /// The driver knows where the bytes are.
        case stream(length: UInt64)
    }

    /// Why a link was closed by this side.
    public enum Parting: Equatable, Sendable {
        case linkLost
        case refused(InitFailReason)
        case silent(during: String)
        case misbehaved(String)
        case malformed(Malformed)
        /// The client asked for nothing for so long that the camera went to sleep.
        case asleep
        /// A new client came and this one did not answer whether it is still there.
        case replaced
    }

    public enum ProbeAnswers: String, Equatable, Sendable, CaseIterable {
        case all
        /// Only while nothing else is asked of it.
        case idle
        case none
        /// It hangs up on a client that asks.
        case hangUp = "hang-up"
    }

    public struct Settings: Equatable, Sendable {
        public var identity: InitCommandAck
        /// "Sony drops if no valid sequence is completed in 30 s".
        public var handshakeLimit: Duration = .seconds(30)
        /// "Canon drops the command link if the event link is not opened within a few seconds".
        public var eventLinkLimit: Duration = .seconds(10)
        /// Whether a client without an event link is none. A Fujifilm in phone mode opens that only for the remote mode.
        public var needsEventLink = true
        /// The one number that a session may have, where a camera insists, and its answer to any other.
        public var onlySession: UInt32?
        public var refusalOfOtherSessions = ResponseCode.invalidParameter
        /// Which of the client's probes it answers. The standard has it answer all of them at once.
        public var answersProbes = ProbeAnswers.all
        /// How late it answers them.
        public var probeAnswerDelay = Duration.zero
        /// Of late answers; what is asked beyond that is not answered.
        public var mostProbeAnswersDue = 100
        public var probeAnswerLimit: Duration = .seconds(10)
        /// How often to ask the client whether it is there, and to drop it when it is not.
        public var probeInterval: Duration?
        public var probesOnCommandLink = false
        public var idleLimit: Duration?
        /// What opens a session.
        public var sessionOpenings: Set<OperationCode> = [.openSession]
        /// Whether transaction ids have to count up by one, as a camera may insist.
        public var countsTransactions = false
        /// Requests that are followed by data whatever their data-phase field says.
        public var operationsWithOutgoingData: Set<OperationCode> = []
        /// What a client may send in one data phase.
        public var longestIncomingData = 1 << 20
        public var maximumLinks = 16
        /// After the Cancel on the event link, how long to wait for its copy on the command link.
        public var cancelCopyLimit: Duration = .seconds(1)

        public init(identity: InitCommandAck) {
            self.identity = identity
        }
    }

    public var settings: Settings
    /// Links that have not become part of the connection.
    var guests: [LinkID: Guest] = [:]
    var connection: Connection?

    public init(settings: Settings) {
        self.settings = settings
    }

    public mutating func handle(_ happening: Happening, at now: Duration) -> [Action] {
        switch happening {
        case .accepted(let link): accepted(link, at: now)
        case .linkLost(let link): linkGone(link, .linkLost)
        case .received(let packet, let link): received(packet, link, at: now)
        case .malformed(let bytes, let link): close(link, .malformed(bytes))
        case .collected(let bytes, let link): collected(bytes, link, at: now)
        case .admit(let link): admit(link, at: now)
        case .refuse(let link, let reason): refuse(link, reason)
        case .answered(let answer): answered(answer, at: now)
        case .dataSent: dataSent(at: now)
        case .dataStopped: dataStopped(at: now)
        case .dataBroken(let code): dataBroken(code, at: now)
        case .notice(let notice): noticed(notice)
        case .timePassed: timePassed(at: now)
        }
    }

    /// Whether a client has a session open.
    public var hasSession: Bool { connection?.session != nil }

    /// Whether a client holds the camera, its event link included.
    public var isConnected: Bool {
        connection.map { $0.eventLink != nil || !settings.needsEventLink } ?? false
    }

    /// The links of the client that holds the camera.
    public var commandLink: LinkID? { connection?.commandLink }
    public var eventLink: LinkID? { connection?.eventLink }

    public var nextDeadline: Duration? {
        let waiting = guests.values.compactMap(\.deadline) + (connection?.deadlines(settings) ?? [])
        return waiting.min()
    }
}
