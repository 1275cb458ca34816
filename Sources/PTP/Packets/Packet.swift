/// One PTP/IP packet. The payload of Data and End Data is not in it: see ``PacketDecoder``.
public enum Packet: Equatable, Sendable {
    case initCommandRequest(InitCommandRequest)
    case initCommandAck(InitCommandAck)
    case initEventRequest(connectionNumber: UInt32)
    case initEventAck
    case initFail(InitFailReason)
    case operationRequest(OperationRequest)
    case operationResponse(OperationResponse)
    case event(EventPacket)
    case startData(StartData)
    /// The header of a Data packet; `length` bytes of payload follow it.
    case data(PayloadHeader)
    case cancel(TransactionID)
    /// The header of the last packet of a data phase; `length` bytes of payload follow it.
    case endData(PayloadHeader)
    case probeRequest
    case probeResponse

    public var type: PacketType {
        switch self {
        case .initCommandRequest: .initCommandRequest
        case .initCommandAck: .initCommandAck
        case .initEventRequest: .initEventRequest
        case .initEventAck: .initEventAck
        case .initFail: .initFail
        case .operationRequest: .operationRequest
        case .operationResponse: .operationResponse
        case .event: .event
        case .startData: .startData
        case .data: .data
        case .cancel: .cancel
        case .endData: .endData
        case .probeRequest: .probeRequest
        case .probeResponse: .probeResponse
        }
    }
}

/// "I am this initiator; let me in": the first packet on the command connection.
public struct InitCommandRequest: Equatable, Sendable {
    public var guid: GUID
    public var name: String
    /// Nothing where the packet ended before it.
    public var version: ProtocolVersion?

    public init(guid: GUID, name: String, version: ProtocolVersion? = .v1) {
        self.guid = guid
        self.name = name
        self.version = version
    }
}

/// "Come in": sent at once, or when a person has pressed OK on the camera.
public struct InitCommandAck: Equatable, Sendable {
    /// To be echoed on the event connection. Most cameras say 1, a Nikon J5 says 0.
    public var connectionNumber: UInt32
    public var guid: GUID
    public var name: String
    /// A Sony RX100M7 leaves it out.
    public var version: ProtocolVersion?

    public init(connectionNumber: UInt32, guid: GUID, name: String, version: ProtocolVersion? = .v1) {
        self.connectionNumber = connectionNumber
        self.guid = guid
        self.name = name
        self.version = version
    }
}

/// Major number in the high half, minor in the low half.
public struct ProtocolVersion: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let v1 = ProtocolVersion(rawValue: 0x0001_0000)

    public var major: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }
    public var minor: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

extension ProtocolVersion: CustomStringConvertible {
    public var description: String { "\(major).\(minor)" }
}

/// Why a camera did not let us in. Numbers above 3 are a vendor's own.
public struct InitFailReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The camera does not know our GUID: a person has to pair again.
    public static let rejectedInitiator = InitFailReason(rawValue: 1)
    /// Another client holds the camera's only slot.
    public static let busy = InitFailReason(rawValue: 2)
    public static let unspecified = InitFailReason(rawValue: 3)
}

extension InitFailReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rejectedInitiator: "rejected initiator"
        case .busy: "busy"
        case .unspecified: "unspecified"
        default: "reason \(Hex.code(rawValue))"
        }
    }
}

/// What the request says about a data phase.
///
/// "No data" and "data from the camera" share the value 1; real clients also send 0 and 3.
public struct DataPhaseInfo: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let noneOrIncoming = DataPhaseInfo(rawValue: 1)
    public static let outgoing = DataPhaseInfo(rawValue: 2)
    public static let unknown = DataPhaseInfo(rawValue: 3)
}

public struct OperationRequest: Equatable, Sendable {
    public var dataPhase: DataPhaseInfo
    public var code: OperationCode
    public var transaction: TransactionID
    public var parameters: [UInt32]

    public init(
        dataPhase: DataPhaseInfo = .noneOrIncoming, code: OperationCode, transaction: TransactionID,
        parameters: [UInt32] = []
    ) {
        self.dataPhase = dataPhase
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }
}

public struct OperationResponse: Equatable, Sendable {
    public var code: ResponseCode
    public var transaction: TransactionID
    public var parameters: [UInt32]

    public init(code: ResponseCode, transaction: TransactionID, parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }
}

/// A notice from the camera. Never called an event elsewhere: that word is the wedding.
public struct EventPacket: Equatable, Sendable {
    public var code: EventCode
    public var transaction: TransactionID
    public var parameters: [UInt32]

    public init(code: EventCode, transaction: TransactionID = .none, parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }
}

/// Opens a data phase and says how long it will be.
public struct StartData: Equatable, Sendable {
    public var transaction: TransactionID
    /// What the sender promised. Only for progress: End Data decides where the phase ends.
    public var totalLength: UInt64

    public init(transaction: TransactionID, totalLength: UInt64) {
        self.transaction = transaction
        self.totalLength = totalLength
    }

    /// "0xFFFFFFFFFFFFFFFF: the length is not known" (CIPA DC-X005 §2.3.9).
    public static let unknownLength: UInt64 = .max

    /// Some senders fill only the low half to say the same.
    public static let unknownLength32: UInt64 = 0xFFFF_FFFF

    public var knownLength: UInt64? {
        totalLength == StartData.unknownLength || totalLength == StartData.unknownLength32 ? nil : totalLength
    }
}

/// What a Data or End Data packet says before its payload.
public struct PayloadHeader: Equatable, Sendable {
    public var transaction: TransactionID
    public var length: UInt32

    public init(transaction: TransactionID, length: UInt32) {
        self.transaction = transaction
        self.length = length
    }

    /// What the packet's 32-bit length field leaves after the twelve bytes in front of the payload.
    public static let longestPayload: UInt32 = .max - 12
}
