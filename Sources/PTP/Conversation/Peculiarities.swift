/// What differs from camera to camera, where real peers contradict each other.
public struct Peculiarities: Equatable, Sendable {
    public enum Parameters: Equatable, Sendable {
        /// As many as the operation needs: libgphoto2's virtual camera insists on it.
        case asNeeded
        /// Always five, the rest zero: a Leica M10 does not answer anything else.
        case alwaysFive
    }

    public enum SessionNumber: Equatable, Sendable {
        case fixed(UInt32)
        /// A Nikon J5 gives connection number 0 and wants session 1, otherwise the two must agree.
        case connectionNumberOrOne
    }

    public enum OutgoingPackets: Equatable, Sendable {
        /// Everything in one End Data.
        case oneEnd
        /// Data, then an empty End Data: as Sony's own software sends it.
        case dataThenEmptyEnd
    }

    public enum Cancelling: Equatable, Sendable {
        /// Cancel on both channels, as the standard says, and dropping the links when that does not help.
        case packets
        /// Drop both links at once: a Ricoh Theta does not know Cancel.
        case dropLinks
    }

    public var parameters = Parameters.asNeeded
    public var noneOrIncoming = DataPhaseInfo.noneOrIncoming
    public var outgoing = DataPhaseInfo.outgoing
    public var outgoingPackets = OutgoingPackets.oneEnd
    /// PIMA 15740 §9.3.1 says 0; some cameras were only ever asked with 1.
    public var openSessionTransaction = TransactionID.outsideSession
    public var sessionNumber = SessionNumber.fixed(1)
    /// With which operation.
    public var sessionOpening = SessionOpening.standard
    /// Whether the connection opens a session by itself. Vendors with an operation of their own say no.
    public var opensSession = true
    /// Canon EOS bodies since about 2016 answer nothing after a CloseSession.
    public var closesSession = true
    /// Some Nikons hang without a probe right after the event connection stands.
    public var probesAfterHandshake = false
    /// How often to ask an idle camera whether it is there. The standard advises against asking at all.
    public var probeInterval: Duration?
    /// A Leica M10 wants to be asked and never answers.
    public var answersProbes = true
    /// It has answered one, now or in an earlier connection: only then is its silence a sign of anything.
    public var hasAnsweredProbes = false
    /// One that has answered probes may be deaf while it lists its card.
    public var answersProbesInCalls = true
    public var cancelling = Cancelling.packets
    /// What this body says when it cannot do something just now. Vendors have codes of their own for it: a Canon says 0xA102
    /// of an object that it has not finished, a Nikon 0x2002 of one that it has only just announced.
    public var retries = [RetryRule.busy]

    public init() {}
}

/// How a session is opened: a maker may have an operation of its own for it, which takes more than the session's number.
public struct SessionOpening: Equatable, Sendable {
    public let operation: OperationCode
    /// Behind the number.
    public let further: [UInt32]

    public init(_ operation: OperationCode, further: [UInt32] = []) {
        self.operation = operation
        self.further = further
    }

    public static let standard = SessionOpening(.openSession)
}
