import PTP
import PacketCapture
import TestSupport
import Testing

@Suite struct ExplainerTests {
    @Test("what a terminal would obey in a camera's texts is shown instead, in packets and in datasets")
    func harmless() throws {
        let recordings = try RecordingTests()
        var info = DeviceInfo()
        info.model = "Z\u{1B}[2J9"
        let data = info.encoded
        let id = TransactionID(rawValue: 1)
        let path = try recordings.record("a.pcap") { command, _ in
            func say(_ packet: Packet, _ direction: RecordedConnection.Direction) {
                packet.encoded.withUnsafeBytes { command.moved($0, direction) }
            }
            say(.initCommandRequest(InitCommandRequest(guid: .zero, name: "us")), .toServer)
            say(
                .initCommandAck(InitCommandAck(connectionNumber: 1, guid: .zero, name: "cam\u{1B}[1m")),
                .toClient)
            say(.operationRequest(OperationRequest(code: .getDeviceInfo, transaction: id)), .toServer)
            say(.startData(StartData(transaction: id, totalLength: UInt64(data.count))), .toClient)
            say(.endData(PayloadHeader(transaction: id, length: UInt32(data.count))), .toClient)
            data.withUnsafeBytes { command.moved($0, .toClient) }
            say(.operationResponse(OperationResponse(code: .ok, transaction: id)), .toClient)
        }
        let conversation = try #require(try PcapFile.conversations(in: path).conversations.first)
        var explainer = Explainer(conversation)
        let lines = conversation.entries.flatMap { explainer.lines(for: $0) }
        #expect(lines.contains { $0.contains("\"cam\\u{1B}[1m\"") })
        #expect(lines.contains { $0.contains("DeviceInfo:") && $0.contains("Z\\u{1B}[2J9") })
        #expect(!lines.joined().unicodeScalars.contains("\u{1B}"))
    }
}
