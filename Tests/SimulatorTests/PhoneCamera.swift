import PTP
import Simulator

/// A camera that differs from the standard in everything that a personality decides, made up for these tests after
/// what Fujifilm's phone mode is: a first packet of 82 bytes, frames as on USB, no event link, one client that it has
/// paired with, and news that its client has to ask for.
struct PhoneCamera: Personality {
    let card: VirtualCard

    static let news = OperationCode(rawValue: 0x9116)

    func framing() -> any Framing { PhoneFraming() }

    func greeting(_ settings: SimulatedCamera.Settings, _ faults: Faults) -> any Greeting {
        PhoneGreeting(
            standard: StandardGreeting(name: "phone", guid: settings.guid, seed: settings.seed, faults))
    }

    func body(_ settings: SimulatedCamera.Settings, _ faults: inout Faults) -> any CameraBody {
        PhoneBody(inner: CameraModel.generic.personality(card).body(settings, &faults))
    }
}

private struct PhoneGreeting: Greeting {
    var standard: StandardGreeting
    var paired: GUID?

    func conduct() -> Responder.Settings {
        var conduct = standard.conduct()
        conduct.needsEventLink = false
        return conduct
    }

    mutating func admission(of request: InitCommandRequest, _ faults: inout Faults) -> Admission {
        guard let paired else {
            paired = request.guid
            return standard.admission(of: request, &faults)
        }
        return paired == request.guid
            ? standard.admission(of: request, &faults) : .refused(InitFailReason(rawValue: 0x2019))
    }

    mutating func identity(_ faults: inout Faults) -> InitCommandAck { standard.identity(&faults) }
}

/// The generic body, which tells nothing by itself but keeps it until it is asked.
private struct PhoneBody: CameraBody {
    var inner: any CameraBody
    var queue: [EventPacket] = []

    var operations: OperationTable {
        var table = inner.operations
        table.offered.append(PhoneCamera.news)
        return table
    }

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
        inner.connected(isFirst: isFirst, &faults)
    }

    mutating func perform(
        _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
    ) -> BodyAnswer {
        guard operation.code == PhoneCamera.news else { return inner.perform(operation, &faults, at: now) }
        defer { queue = [] }
        let records = queue.flatMap { Bytes.u16($0.code.rawValue) + Bytes.u32($0.parameters.first ?? 0) }
        return .dataset(Bytes.u16(UInt16(queue.count)) + records)
    }

    mutating func delivered() { inner.delivered() }

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot {
        var shot = inner.shoot(&faults, at: now)
        queue += shot.notices
        shot.notices = []
        return shot
    }

    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { inner.noticesOfSession() }
    mutating func takeComplaints() -> [String] { inner.takeComplaints() }
    var photos: [CardPhoto] { inner.photos }
}

/// A fixed first packet, and then frames of length, kind, code, transaction: one for each phase of an operation.
private struct PhoneFraming: Framing {
    private var buffer: [UInt8] = []
    private var hasIntroducedItself = false
    /// What a frame means is more than one packet of PTP/IP.
    private var meant: [PacketDecoder.Output] = []
    private var codes: [TransactionID: UInt16] = [:]

    mutating func append(_ bytes: UnsafeRawBufferPointer) { buffer += bytes }

    mutating func next() throws(Malformed) -> PacketDecoder.Output? {
        if !meant.isEmpty { return meant.removeFirst() }
        guard buffer.count >= 4 else { return nil }
        let length = Int(Bytes.number(buffer[..<4]))
        guard hasIntroducedItself ? length >= 12 : length == 82 else {
            throw Malformed(
                .packetHeader,
                ReadFailure(field: "length", offset: 0, problem: .unexpected(value: UInt64(length))),
                bytes: buffer[...])
        }
        guard buffer.count >= length else { return nil }
        let frame = Array(buffer[..<length])
        buffer.removeFirst(length)
        meant = hasIntroducedItself ? meaning(of: frame) : introduction(frame)
        hasIntroducedItself = true
        return try next()
    }

    private func introduction(_ frame: [UInt8]) -> [PacketDecoder.Output] {
        let units = stride(from: 28, to: 82, by: 2).map { UInt16(Bytes.number(frame[$0..<$0 + 2])) }
        let name = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        guard let guid = GUID(frame[12..<28]) else { return [] }
        return [.packet(.initCommandRequest(InitCommandRequest(guid: guid, name: name)))]
    }

    private mutating func meaning(of frame: [UInt8]) -> [PacketDecoder.Output] {
        let code = UInt16(Bytes.number(frame[6..<8]))
        let transaction = TransactionID(rawValue: UInt32(Bytes.number(frame[8..<12])))
        let content = Array(frame[12...])
        codes[transaction] = code
        guard frame[4] == 2 else {
            let parameters = stride(from: 0, to: content.count - 3, by: 4)
                .map { UInt32(Bytes.number(content[$0..<$0 + 4])) }
            return [
                .packet(
                    .operationRequest(
                        OperationRequest(
                            dataPhase: .unknown, code: OperationCode(rawValue: code),
                            transaction: transaction,
                            parameters: parameters)))
            ]
        }
        return [
            .packet(.startData(StartData(transaction: transaction, totalLength: UInt64(content.count)))),
            .packet(.endData(PayloadHeader(transaction: transaction, length: UInt32(content.count)))),
            .payload(content[...]),
        ]
    }

    mutating func encode(_ packet: Packet) -> [UInt8] {
        switch packet {
        case .initCommandAck, .initFail:
            return packet.encoded
        case .startData(let start):
            return Self.frame(
                2, codes[start.transaction] ?? 0, start.transaction, announcing: Int(start.totalLength))
        case .operationResponse(let response):
            return Self.frame(
                3, response.code.rawValue, response.transaction, response.parameters.flatMap(Bytes.u32))
        default:
            return []
        }
    }

    static func frame(
        _ kind: UInt16, _ code: UInt16, _ transaction: TransactionID, _ content: [UInt8] = [],
        announcing more: Int = 0
    ) -> [UInt8] {
        Bytes.u32(UInt32(12 + content.count + more)) + Bytes.u16(kind) + Bytes.u16(code)
            + Bytes.u32(transaction.rawValue) + content
    }

    func frame(type: UInt32, _ content: [UInt8]) -> [UInt8] {
        Self.frame(UInt16(truncatingIfNeeded: type), 0, .none, content)
    }
}
