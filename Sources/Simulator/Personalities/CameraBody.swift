package import PTP

/// What stands behind the protocol: what a camera makes of an operation, and what it tells by itself. Owned by the
/// simulator's actor.
///
/// Notices are Event packets to be pushed. A maker's body that has its client ask for them gives none, and keeps its
/// records for the operation that asks.
package protocol CameraBody: Sendable {
    /// What its operations are.
    var operations: OperationTable { get }

    /// A client has connected; `isFirst` for the first one since the camera was made.
    mutating func connected(isFirst: Bool, _ faults: inout Faults)
    /// A client wants a session.
    mutating func sessionAsked(by code: OperationCode, _ parameters: [UInt32], _ faults: inout Faults)
    mutating func perform(_ operation: Responder.Operation, _ faults: inout Faults, at now: Duration)
        -> BodyAnswer
    /// How long a client has for what bodies of this make want to hear before anything else; nothing for those that wait.
    var greetingLimit: Duration? { get }
    /// Whether it has said so.
    var isGreeted: Bool { get }
    /// All the data of the last answer has gone out.
    mutating func delivered()
    /// Presses the shutter.
    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot
    /// What the camera tells by itself once a session is open, and how long after.
    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)]
    /// What cannot be done is told to the operator of the simulator.
    mutating func takeComplaints() -> [String]
    /// The power is gone, and with it what is only in memory. The card is not.
    mutating func switchedOff(_ faults: Faults)
    /// The card is taken out, or put in again. What there is to tell of it; nothing where there is no card that could be.
    mutating func pullCard() -> [EventPacket]?
    mutating func insertCard() -> [EventPacket]?
    /// What is on the card, for a test to hold against what has arrived.
    var photos: [CardPhoto] { get }
}

extension CameraBody {
    package var greetingLimit: Duration? { nil }
    package var isGreeted: Bool { true }
    package mutating func sessionAsked(
        by code: OperationCode, _ parameters: [UInt32], _ faults: inout Faults
    ) {}
    package mutating func switchedOff(_ faults: Faults) {}
    package mutating func pullCard() -> [EventPacket]? { nil }
    package mutating func insertCard() -> [EventPacket]? { nil }
    package var photos: [CardPhoto] { [] }
}

/// What came of pressing the shutter.
package struct Shot: Sendable {
    /// What is new on the card.
    package var objects: [ObjectHandle] = []
    /// What there is to tell of it, in order.
    package var notices: [EventPacket] = []

    package var isTaken: Bool { !objects.isEmpty }

    package init() {}
}

extension BodyAnswer {
    /// To a client that has pressed the shutter.
    init(_ shot: Shot, orElse refusal: ResponseCode = .storeFull) {
        guard shot.isTaken else {
            self.init(code: refusal)
            return
        }
        self.init(code: .ok, notices: shot.notices)
        isPhotoTaken = true
    }
}

/// An answer with its data wherever it is.
package struct BodyAnswer: Sendable {
    package enum Data: Sendable {
        case none
        /// A dataset.
        case bytes([UInt8])
        /// A part of an object.
        case content(any ObjectContent, Range<UInt64>)
    }

    package var code: ResponseCode
    package var parameters: [UInt32] = []
    package var data = Data.none
    /// To be told after the response.
    package var notices: [EventPacket] = []
    /// Whether the shutter was pressed for it, and there is a photo.
    package var isPhotoTaken = false
    /// How the data was cut into packets, where a recording says so.
    package var packets: Packetisation?
    /// What Start Data promised, where a recording says so.
    package var announced: UInt64?
    /// There is no answer yet: it is performed again after the next shot.
    package var isLater = false
    /// Its Wi-Fi goes away then, and every client with it, and comes back.
    package var restart: Restart?

    package struct Restart: Equatable, Sendable {
        package var after: Duration
        package var lasting: Duration
    }

    package init(
        code: ResponseCode, parameters: [UInt32] = [], data: Data = .none, notices: [EventPacket] = []
    ) {
        self.code = code
        self.parameters = parameters
        self.data = data
        self.notices = notices
    }

    package var hasData: Bool {
        if case .none = data { false } else { true }
    }

    package static func refusal(_ code: ResponseCode) -> BodyAnswer { BodyAnswer(code: code) }

    package static func dataset(_ bytes: [UInt8]) -> BodyAnswer { BodyAnswer(code: .ok, data: .bytes(bytes)) }
}
