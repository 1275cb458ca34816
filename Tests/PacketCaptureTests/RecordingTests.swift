import Link
import PTP
import PacketCapture
import Posix
import TestSupport
import Testing

@Suite struct RecordingTests {
    let folder: TemporaryFolder
    static let client = IPEndpoint(address: [192, 168, 1, 2], port: 40_000)
    static let camera = IPEndpoint(address: [192, 168, 1, 1], port: 15_740)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Records what `body` moves over two connections.
    func record(
        _ name: String, withoutPhotos: Bool = false, client: IPEndpoint = client, camera: IPEndpoint = camera,
        _ body: (RecordedConnection, RecordedConnection) -> Void
    ) throws -> String {
        let path = folder.file(name)
        let time = Shared<Int64>(0)
        let recorder = try Recorder(
            path: path, leavesOutPhotos: withoutPhotos,
            clock: {
                let now = time.change { time -> Int64 in
                    time += 1
                    return time
                }
                return (1_790_000_000 + now / 1000, now % 1000 * 1000)
            }, onFailure: { Issue.record("\($0)") })
        let command = recorder.connection(client: client, server: camera)
        let event = recorder.connection(
            client: IPEndpoint(address: client.address, port: client.port + 1), server: camera)
        body(command, event)
        recorder.close()
        return path
    }

    static let photo = Seeded(42).sequence(200_000)

    /// Every packet type once, with a photo in the middle.
    static func everyPacket(_ command: RecordedConnection, _ event: RecordedConnection) {
        func say(
            _ connection: RecordedConnection, _ packet: Packet, _ direction: RecordedConnection.Direction
        ) {
            packet.encoded.withUnsafeBytes { connection.moved($0, direction) }
        }
        let id = TransactionID(rawValue: 1)
        let two = TransactionID(rawValue: 2)
        say(command, .initCommandRequest(InitCommandRequest(guid: .zero, name: "us")), .toServer)
        say(
            command, .initCommandAck(InitCommandAck(connectionNumber: 1, guid: .anonymous, name: "cam")),
            .toClient)
        say(event, .initEventRequest(connectionNumber: 1), .toServer)
        say(event, .initEventAck, .toClient)
        say(
            command,
            .operationRequest(
                OperationRequest(code: .openSession, transaction: .outsideSession, parameters: [1])),
            .toServer)
        say(
            command, .operationResponse(OperationResponse(code: .ok, transaction: .outsideSession)), .toClient
        )
        say(
            command, .operationRequest(OperationRequest(code: .getObject, transaction: id, parameters: [7])),
            .toServer)
        say(command, .startData(StartData(transaction: id, totalLength: UInt64(photo.count))), .toClient)
        say(command, .data(PayloadHeader(transaction: id, length: 150_000)), .toClient)
        photo[..<150_000].withUnsafeBytes { command.moved($0, .toClient) }
        say(command, .endData(PayloadHeader(transaction: id, length: 50_000)), .toClient)
        photo[150_000...].withUnsafeBytes { command.moved($0, .toClient) }
        say(command, .operationResponse(OperationResponse(code: .ok, transaction: id)), .toClient)
        say(event, .event(EventPacket(code: .objectAdded, parameters: [8])), .toClient)
        say(event, .probeRequest, .toClient)
        say(event, .probeResponse, .toServer)
        say(command, .operationRequest(OperationRequest(code: .getNumObjects, transaction: two)), .toServer)
        say(event, .cancel(two), .toServer)
        say(command, .cancel(two), .toServer)
        say(
            command, .operationResponse(OperationResponse(code: .transactionCancelled, transaction: two)),
            .toClient)
        command.closed(.toServer, isReset: false)
        event.closed(.toServer, isReset: false)
    }

    static let tsharkIsThere = Tool.isThere("tshark")

    func tshark(_ arguments: [String]) throws -> Tool.Output {
        try #require(Tool("tshark")).run(arguments)
    }

    @Test(
        "without photos tshark finds every packet, one a segment, well-formed, and every type of packet",
        .enabled(if: tsharkIsThere), arguments: [false, true])
    func judgedByTshark(isIPv6: Bool) throws {
        let six = { (last: UInt8) in [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [last] }
        let path = try record(
            "a.pcap", withoutPhotos: true,
            client: isIPv6 ? IPEndpoint(address: six(2), port: 40_000) : Self.client,
            camera: isIPv6 ? IPEndpoint(address: six(1), port: 15_740) : Self.camera, Self.everyPacket)
        let checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
        let types = try tshark(["-r", path, "-Y", "ptpip", "-T", "fields", "-e", "ptpip.pktType"] + checks)
        // Cancel on both connections, two requests and three responses more than one of each.
        let expected = [1, 2, 3, 4, 6, 7, 6, 9, 10, 12, 7, 8, 13, 14, 6, 11, 11, 7]
        #expect(
            types.lines == expected.map { "0x" + String(repeating: "0", count: 7) + String($0, radix: 16) })
        let bad = try tshark(
            [
                "-r", path, "-Y",
                "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0 || tcp.analysis.flags",
            ] + checks)
        #expect(bad.output.isEmpty, "\(bad.text)")
        let experts = try tshark(["-r", path, "-q", "-z", "expert,warn"] + checks)
        #expect(!experts.text.contains("Warn") && !experts.text.contains("Error"), "\(experts.text)")
    }

    @Test("with photos tshark follows the stream to the last byte", .enabled(if: tsharkIsThere))
    func followed() throws {
        let path = try record("a.pcap", Self.everyPacket)
        let followed = try tshark(["-r", path, "-q", "-z", "follow,tcp,raw,0"])
        // The camera's bytes are the indented ones.
        let fromCamera = followed.text.split(separator: "\n").filter { $0.hasPrefix("\t") }.joined()
            .filter { !$0.isWhitespace }
        let photo = Self.photo.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
        let cut = photo.index(photo.startIndex, offsetBy: 300_000)
        #expect(fromCamera.contains(photo[..<cut]))
        #expect(fromCamera.contains(photo[cut...]))
        let experts = try tshark(["-r", path, "-q", "-z", "expert,warn"])
        #expect(!experts.text.contains("Warn") && !experts.text.contains("Error"), "\(experts.text)")
    }

    @Test("what was recorded is read back as it was said")
    func readBack() throws {
        let contents = try PcapFile.conversations(in: try record("a.pcap", Self.everyPacket))
        #expect(contents.conversations.count == 1 && contents.damage == nil)
        let recording = Recording(try #require(contents.conversations.first))
        #expect(recording.ack?.name == "cam")
        #expect(recording.transactions.map(\.request.code) == [.openSession, .getObject, .getNumObjects])
        #expect(try recording.transactions[1].data?.bytes() == Self.photo)
        #expect(recording.transactions[1].packetLengths == [150_000, 50_000])
        #expect(recording.notices.map(\.notice.parameters) == [[8]])
    }

    @Test("a recording without photos says so when one is asked for")
    func leftOut() throws {
        let path = try record("a.pcap", withoutPhotos: true, Self.everyPacket)
        let conversation = try #require(try PcapFile.conversations(in: path).conversations.first)
        var answers = RecordedAnswers(Recording(conversation))
        guard case .withoutBytes(let missing, let isLeftOut) = answers.answer(.getObject, [7]) else {
            Issue.record("the photo is there")
            return
        }
        #expect(missing == 200_000 && isLeftOut)
        guard case .neverAsked = answers.answer(.getObject, [8]) else {
            Issue.record("object 8 is there")
            return
        }
        guard case .found(let answer) = answers.answer(.getNumObjects, [0, 0, 0]) else {
            Issue.record("the count is not there")
            return
        }
        #expect(answer.response.code == .transactionCancelled)
    }

    @Test("parts of an object that was recorded whole are answered from it")
    func parts() throws {
        let path = try record("a.pcap", Self.everyPacket)
        let conversation = try #require(try PcapFile.conversations(in: path).conversations.first)
        var answers = RecordedAnswers(Recording(conversation))
        guard case .found(let answer) = answers.answer(.getPartialObject, [7, 199_990, 100]) else {
            Issue.record("no part")
            return
        }
        #expect(answer.range == 199_990..<200_000 && answer.response.parameters == [10])
    }

    @Test("a conversation that breaks off is recorded with its break")
    func reset() throws {
        let path = try record("a.pcap") { command, _ in
            Packet.initCommandRequest(InitCommandRequest(guid: .zero, name: "us")).encoded
                .withUnsafeBytes { command.moved($0, .toServer) }
            command.closed(.toClient, isReset: true)
        }
        guard Self.tsharkIsThere else { return }
        let resets = try tshark(["-r", path, "-Y", "tcp.flags.reset == 1"])
        #expect(resets.lines.count == 1)
    }

    @Test("packets that are odd keep nothing from being recorded, read back and explained")
    func oddPackets() throws {
        let oddOnes =
            hex(
                "0C 00 00 00 08 00 00 00 02 40 FF FF"
                    + "D6 00 00 00 08 00 00 00 02 40 FF FF FF FF 09 00 00 00")
            + [UInt8](repeating: 0, count: 196)
            + hex("10 27 00 00 63 00 00 00") + [UInt8](repeating: 7, count: 9992)
        let path = try record("a.pcap") { command, event in
            Packet.initCommandRequest(InitCommandRequest(guid: .zero, name: "us")).encoded
                .withUnsafeBytes { command.moved($0, .toServer) }
            Packet.initEventRequest(connectionNumber: 1).encoded.withUnsafeBytes {
                event.moved($0, .toServer)
            }
            for piece in [oddOnes[..<5], oddOnes[5..<9000], oddOnes[9000...]] {
                Array(piece).withUnsafeBytes { event.moved($0, .toClient) }
            }
            Packet.probeRequest.encoded.withUnsafeBytes { event.moved($0, .toClient) }
        }
        let conversation = try #require(try PcapFile.conversations(in: path).conversations.first)
        var explainer = Explainer(conversation)
        let lines = conversation.entries.flatMap { explainer.lines(for: $0) }
        #expect(lines.filter { $0.contains("ODD: ") }.count == 3, "\(lines)")
        #expect(lines.contains { $0.contains("type 99") && $0.contains("10000 bytes long") })
        #expect(lines.filter { $0.contains("Event ObjectAdded") }.count == 1)
        #expect(lines.last?.contains("Probe Request") == true)
        #expect(Recording(conversation).notices.count == 1)
    }

    @Test("bytes that are no PTP/IP are recorded all the same")
    func otherBytes() throws {
        let garbage = Seeded(9).sequence(70_000)
        let path = try record("a.pcap") { command, _ in
            garbage.withUnsafeBytes { command.moved($0, .toServer) }
            garbage.withUnsafeBytes { command.moved($0, .toClient) }
        }
        #expect(try PcapFile.conversations(in: path).conversations.isEmpty)
        #expect(try readFile(path).count > 140_000)
    }

    @Test("a full disk stops the recording, says so once, and harms nothing else")
    func fullDisk() throws {
        let said = Shared<[String]>([])
        let recorder = try Recorder(
            path: "/dev/full", leavesOutPhotos: false, clock: { (0, 0) },
            onFailure: { text in said.change { $0.append(text) } })
        let connection = recorder.connection(client: Self.client, server: Self.camera)
        for _ in 0..<100 { Self.photo.withUnsafeBytes { connection.moved($0, .toServer) } }
        recorder.close()
        #expect(said.value.count == 1)
        #expect(said.value.first?.contains("No space left on device") == true)
    }

    @Test("a place that cannot be written to is refused with its name")
    func unwritable() {
        let error = #expect(throws: Recorder.CannotRecord.self) {
            try Recorder(
                path: "/nowhere/a.pcap", leavesOutPhotos: false, clock: { (0, 0) }, onFailure: { _ in })
        }
        #expect(error?.description.contains("/nowhere/a.pcap") == true)
    }
}

extension Seeded {
    func sequence(_ count: Int) -> [UInt8] {
        var copy = self
        return copy.bytes(count)
    }
}
