extension Packet {
    /// The packet as it goes onto the wire. For Data and End Data this is the header; the payload of the
    /// announced length has to follow.
    public var encoded: [UInt8] {
        var body = ByteWriter()
        var payloadLength: UInt32 = 0
        switch self {
        case .initCommandRequest(let request):
            body.append(contentsOf: request.guid.bytes)
            body.append(contentsOf: FriendlyName.encode(request.name))
            if let version = request.version { body.append(version.rawValue) }
        case .initCommandAck(let ack):
            body.append(ack.connectionNumber)
            body.append(contentsOf: ack.guid.bytes)
            body.append(contentsOf: FriendlyName.encode(ack.name))
            if let version = ack.version { body.append(version.rawValue) }
        case .initEventRequest(let number):
            body.append(number)
        case .initEventAck, .probeRequest, .probeResponse:
            break
        case .initFail(let reason):
            body.append(reason.rawValue)
        case .operationRequest(let request):
            body.append(request.dataPhase.rawValue)
            body.append(request.code.rawValue)
            body.append(request.transaction.rawValue)
            for parameter in request.parameters { body.append(parameter) }
        case .operationResponse(let response):
            body.append(response.code.rawValue)
            body.append(response.transaction.rawValue)
            for parameter in response.parameters { body.append(parameter) }
        case .event(let event):
            body.append(event.code.rawValue)
            body.append(event.transaction.rawValue)
            for parameter in event.parameters { body.append(parameter) }
        case .startData(let start):
            body.append(start.transaction.rawValue)
            body.append(start.totalLength)
        case .data(let header), .endData(let header):
            body.append(header.transaction.rawValue)
            payloadLength = header.length
        case .cancel(let transaction):
            body.append(transaction.rawValue)
        }
        var packet = ByteWriter(reserving: PacketType.headerLength + body.bytes.count)
        packet.append(UInt32(PacketType.headerLength + body.bytes.count) + payloadLength)
        packet.append(type.rawValue)
        packet.append(contentsOf: body.bytes)
        return packet.bytes
    }
}
