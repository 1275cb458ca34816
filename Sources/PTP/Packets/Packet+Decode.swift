extension Packet {
    /// Decodes one packet whose header has been checked.
    ///
    /// Of Data and End Data `bytes` holds only what stands before the payload.
    /// Bytes after the last known field are ignored, because cameras append; what a packet may lack has a value
    /// that says so.
    static func decode(
        _ type: PacketType, length: UInt32, bytes: ArraySlice<UInt8>
    ) throws(ReadFailure) -> Packet {
        var reader = ByteReader(bytes)
        _ = try reader.take(PacketType.headerLength, "header")
        switch type {
        case .initCommandRequest:
            let guid = try reader.guid()
            let name = try FriendlyName.decode(&reader)
            return .initCommandRequest(
                InitCommandRequest(guid: guid, name: name, version: try reader.versionIfPresent()))
        case .initCommandAck:
            let number: UInt32 = try reader.integer("connection number")
            let guid = reader.remaining < GUID.length ? GUID.zero : try reader.guid()
            let name = try FriendlyName.decode(&reader)
            return .initCommandAck(
                InitCommandAck(
                    connectionNumber: number, guid: guid, name: name, version: try reader.versionIfPresent()))
        case .initEventRequest:
            return .initEventRequest(connectionNumber: try reader.integer("connection number"))
        case .initEventAck:
            return .initEventAck
        case .initFail:
            guard reader.remaining >= 4 else { return .initFail(.unspecified) }
            return .initFail(InitFailReason(rawValue: try reader.integer("reason")))
        case .operationRequest, .operationResponse, .event:
            return try decodeConversation(type, &reader)
        case .startData:
            let transaction = try reader.transaction()
            return .startData(StartData(transaction: transaction, totalLength: try reader.totalLength()))
        case .data:
            return .data(PayloadHeader(transaction: try reader.transaction(), length: length - 12))
        case .endData:
            return .endData(PayloadHeader(transaction: try reader.transaction(), length: length - 12))
        case .cancel:
            return .cancel(try reader.transaction())
        case .probeRequest:
            return .probeRequest
        case .probeResponse:
            return .probeResponse
        }
    }

    /// The three packets that end in as many 32-bit parameters as their length has room for.
    private static func decodeConversation(
        _ type: PacketType, _ reader: inout ByteReader
    ) throws(ReadFailure) -> Packet {
        switch type {
        case .operationRequest:
            let phase = DataPhaseInfo(rawValue: try reader.integer("data phase"))
            let code = OperationCode(rawValue: try reader.integer("operation code"))
            let transaction = try reader.transaction()
            return .operationRequest(
                OperationRequest(
                    dataPhase: phase, code: code, transaction: transaction,
                    parameters: try reader.parameters()))
        case .operationResponse:
            let code = ResponseCode(rawValue: try reader.integer("response code"))
            let transaction = reader.remaining < 4 ? TransactionID.none : try reader.transaction()
            return .operationResponse(
                OperationResponse(code: code, transaction: transaction, parameters: try reader.parameters()))
        default:
            let code = EventCode(rawValue: try reader.integer("event code"))
            let transaction = try reader.transaction()
            return .event(
                EventPacket(code: code, transaction: transaction, parameters: try reader.parameters()))
        }
    }
}

extension ByteReader {
    fileprivate mutating func guid() throws(ReadFailure) -> GUID {
        let at = offset
        guard let guid = GUID(try take(GUID.length, "GUID")) else {
            throw ReadFailure(
                field: "GUID", offset: at, problem: .tooShort(needs: GUID.length, has: remaining))
        }
        return guid
    }

    fileprivate mutating func transaction() throws(ReadFailure) -> TransactionID {
        TransactionID(rawValue: try integer("transaction id"))
    }

    fileprivate mutating func versionIfPresent() throws(ReadFailure) -> ProtocolVersion? {
        guard remaining >= 4 else { return nil }
        return ProtocolVersion(rawValue: try integer("protocol version"))
    }

    /// Some senders have 32 bits for it, or nothing.
    fileprivate mutating func totalLength() throws(ReadFailure) -> UInt64 {
        switch remaining {
        case ..<4: return StartData.unknownLength
        case ..<8: return UInt64(try integer("total data length", as: UInt32.self))
        default: return try integer("total data length")
        }
    }

    /// "p is implied by the length": there is no count, and one to three odd bytes are ignored.
    fileprivate mutating func parameters() throws(ReadFailure) -> [UInt32] {
        var parameters: [UInt32] = []
        while remaining >= 4, parameters.count < PacketLimits.parameters {
            parameters.append(try integer("parameter"))
        }
        return parameters
    }
}
