/// What a PTP/IP packet is, by the number in bytes 4 to 7 of its header.
public enum PacketType: UInt32, CaseIterable, Sendable {
    case initCommandRequest = 1
    case initCommandAck = 2
    case initEventRequest = 3
    case initEventAck = 4
    case initFail = 5
    case operationRequest = 6
    case operationResponse = 7
    case event = 8
    case startData = 9
    case data = 10
    case cancel = 11
    case endData = 12
    case probeRequest = 13
    case probeResponse = 14

    /// Length and type: the first eight bytes of every packet.
    public static let headerLength = 8

    /// The shortest length field that can be true for this type.
    public var minimumLength: UInt32 {
        switch self {
        // GUID and a lone NUL; real cameras leave the version out.
        case .initCommandRequest: 8 + 16 + 2
        case .initCommandAck: 8 + 4 + 16
        case .initEventRequest, .initFail, .cancel: 12
        case .initEventAck, .probeRequest, .probeResponse: 8
        case .operationRequest: 18
        case .operationResponse, .event: 14
        case .startData: 20
        case .data, .endData: 12
        }
    }

    /// The longest length field that is believed before a byte of the packet is kept.
    ///
    /// Payload is never kept here, so data packets have no limit but their 32-bit length.
    public var maximumLength: UInt32 {
        switch self {
        case .initCommandRequest, .initCommandAck: 8 + 4 + 16 + PacketLimits.friendlyNameBytes + 4
        case .operationRequest, .operationResponse, .event: PacketLimits.shortPacketBytes
        case .initEventRequest, .initEventAck, .initFail, .startData, .cancel, .probeRequest, .probeResponse:
            PacketLimits.shortPacketBytes
        case .data, .endData: .max
        }
    }

    /// Data and End Data: twelve bytes of header, then payload that is streamed and never collected.
    public var carriesPayload: Bool {
        switch self {
        case .data, .endData: true
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail,
            .operationRequest, .operationResponse, .event, .startData, .cancel, .probeRequest, .probeResponse:
            false
        }
    }
}

/// How much of a packet is believed before its bytes are kept. A peer that claims more is refused.
public enum PacketLimits {
    /// The standard allows 40 UTF-16 units; cameras with longer names exist.
    public static let friendlyNameBytes: UInt32 = 512

    /// A response with five parameters has 34 bytes, a request 38. The slack is for bodies that append.
    public static let shortPacketBytes: UInt32 = 96
}
