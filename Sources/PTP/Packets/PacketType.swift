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

    /// The shortest such packet that says everything.
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

    /// The longest such packet that the standard has, or that cameras with nothing else wrong with them send.
    ///
    /// Payload is never kept here, so data packets have no limit but their 32-bit length.
    public var maximumLength: UInt32 {
        switch self {
        case .initCommandRequest: 8 + 16 + PacketLimits.friendlyNameBytes + 4
        case .initCommandAck: 8 + 4 + 16 + PacketLimits.friendlyNameBytes + 4
        // The standard gives an event three parameters; bodies with five exist.
        case .operationRequest, .operationResponse, .event: minimumLength + 4 * PacketLimits.parameters
        case .initEventRequest, .initEventAck, .initFail, .startData, .cancel, .probeRequest, .probeResponse:
            minimumLength
        case .data, .endData: .max
        }
    }

    /// The shortest such packet that says enough to go on with; a shorter one is passed over.
    var leastLength: UInt32 {
        switch self {
        // The connection number is what the second link needs; a GUID and a name are not there, then.
        case .initCommandAck: 8 + 4
        // Refused is refused, whatever the reason.
        case .initFail: 8
        // A call that has an answer need not wait for another until its deadline.
        case .operationResponse: 8 + 2
        // "The length is not known" is something that a whole packet may say, too.
        case .startData: 8 + 4
        case .initCommandRequest, .initEventRequest, .initEventAck, .operationRequest, .event, .data, .cancel,
            .endData, .probeRequest, .probeResponse:
            minimumLength
        }
    }

    /// The length fields that can be true behind a type's number, known or not. Anything else is no PTP/IP, or not any more.
    public static func possibleLengths(of number: UInt32) -> ClosedRange<UInt32> {
        let header = UInt32(headerLength)
        return switch PacketType(rawValue: number) {
        case .data?, .endData?: header...(.max)
        // Without this packet there is nothing to go on with, and nothing to wait for.
        case .initCommandAck?: PacketType.initCommandAck.leastLength...PacketLimits.oddPacketBytes
        default: header...PacketLimits.oddPacketBytes
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

    /// As many 32-bit parameters as the length has room for.
    var endsInParameters: Bool {
        switch self {
        case .operationRequest, .operationResponse, .event: true
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail, .startData,
            .data, .cancel, .endData, .probeRequest, .probeResponse:
            false
        }
    }
}

/// How much of a packet is believed before its bytes are kept. A peer that claims more is refused.
public enum PacketLimits {
    /// The standard allows 40 UTF-16 units; cameras with longer names exist.
    public static let friendlyNameBytes: UInt32 = 512

    /// "At most five parameters" (PIMA 15740 §9.3.2).
    public static let parameters: UInt32 = 5

    /// A packet without payload that claims more than this is none: only a real frame is skipped, and not
    /// whatever follows a length that was never one.
    public static let oddPacketBytes: UInt32 = 64 << 10
}
