import PTP
import TestSupport
import Testing

/// Layouts of CIPA DC-X005, written out by hand; no byte here comes from our own encoder.
@Suite struct PacketBytesTests {
    static let forward = GUID(Array(0x00...0x0F))
    static let backward = GUID(Array((0x00...0x0F).reversed()))

    static func golden() throws -> [(Packet, String)] {
        let forward = try #require(forward)
        let backward = try #require(backward)
        return [
            (
                .initCommandRequest(InitCommandRequest(guid: forward, name: "AB")),
                """
                22 00 00 00 01 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F
                41 00 42 00 00 00 00 00 01 00
                """
            ),
            (
                .initCommandAck(InitCommandAck(connectionNumber: 1, guid: backward, name: "AB")),
                """
                26 00 00 00 02 00 00 00 01 00 00 00 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00
                41 00 42 00 00 00 00 00 01 00
                """
            ),
            (.initEventRequest(connectionNumber: 1), "0C 00 00 00 03 00 00 00 01 00 00 00"),
            (.initEventAck, "08 00 00 00 04 00 00 00"),
            (.initFail(.rejectedInitiator), "0C 00 00 00 05 00 00 00 01 00 00 00"),
            (
                .operationRequest(
                    OperationRequest(code: .openSession, transaction: .outsideSession, parameters: [1])),
                "16 00 00 00 06 00 00 00 01 00 00 00 02 10 00 00 00 00 01 00 00 00"
            ),
            (
                .operationResponse(OperationResponse(code: .ok, transaction: .outsideSession)),
                "0E 00 00 00 07 00 00 00 01 20 00 00 00 00"
            ),
            (
                .operationRequest(
                    OperationRequest(
                        code: .getPartialObject, transaction: TransactionID(rawValue: 7),
                        parameters: [0x5191_1B02, 1 << 20, 1 << 20])),
                """
                1E 00 00 00 06 00 00 00 01 00 00 00 1B 10 07 00 00 00
                02 1B 91 51 00 00 10 00 00 00 10 00
                """
            ),
            (
                .startData(StartData(transaction: TransactionID(rawValue: 7), totalLength: 5)),
                "14 00 00 00 09 00 00 00 07 00 00 00 05 00 00 00 00 00 00 00"
            ),
            (
                .operationResponse(
                    OperationResponse(code: .ok, transaction: TransactionID(rawValue: 7), parameters: [5])),
                "12 00 00 00 07 00 00 00 01 20 07 00 00 00 05 00 00 00"
            ),
            (
                .event(EventPacket(code: .objectAdded, parameters: [0x5191_1B02])),
                "12 00 00 00 08 00 00 00 02 40 FF FF FF FF 02 1B 91 51"
            ),
            (.cancel(TransactionID(rawValue: 7)), "0C 00 00 00 0B 00 00 00 07 00 00 00"),
            (.probeRequest, "08 00 00 00 0D 00 00 00"),
            (.probeResponse, "08 00 00 00 0E 00 00 00"),
            (
                .data(PayloadHeader(transaction: TransactionID(rawValue: 7), length: 0)),
                "0C 00 00 00 0A 00 00 00 07 00 00 00"
            ),
        ]
    }

    @Test("every packet has the bytes of the standard, both ways")
    func goldenPackets() throws {
        for (packet, text) in try Self.golden() {
            #expect(packet.encoded == hex(text), "\(packet.type)")
            #expect(try decodeAll(hex(text)) == [Piece.packet(packet)])
        }
        #expect(Set(try Self.golden().map(\.0.type)).union([.endData]) == Set(PacketType.allCases))
    }

    @Test("End Data carries its payload behind the transaction id")
    func endDataWithPayload() throws {
        let bytes = hex("11 00 00 00 0C 00 00 00 07 00 00 00 FF D8 FF E1 00")
        let header = Packet.endData(PayloadHeader(transaction: TransactionID(rawValue: 7), length: 5))
        #expect(try decodeAll(bytes) == [.packet(header), .payload(hex("FF D8 FF E1 00"))])
        #expect(header.encoded + hex("FF D8 FF E1 00") == bytes)
    }

    @Test("an Init Command Ack without a version, as a Sony RX100M7 sends it, keeps its name")
    func ackWithoutVersion() throws {
        let name = "44 00 53 00 43 00 2D 00 52 00 58 00 31 00 30 00 30 00 4D 00 37 00 00 00"
        let bytes = hex(
            "34 00 00 00 02 00 00 00 01 00 00 00 38 38 31 30 42 39 39 36 36 38 38 34 31 38 39 34" + name)
        guard case .packet(.initCommandAck(let ack)) = try decodeAll(bytes).first else {
            Issue.record("not an ack")
            return
        }
        #expect(ack.name == "DSC-RX100M7")
        #expect(ack.version == nil)
        #expect(ack.connectionNumber == 1)
    }

    @Test("a name without its NUL is everything that is left")
    func nameWithoutEnd() throws {
        let bytes = hex(
            "20 00 00 00 02 00 00 00 00 00 00 00" + String(repeating: "00", count: 16) + "41 00 42 00")
        guard case .packet(.initCommandAck(let ack)) = try decodeAll(bytes).first else {
            Issue.record("not an ack")
            return
        }
        #expect(ack.name == "AB")
        #expect(ack.connectionNumber == 0)
    }

    @Test("half a surrogate pair in a name becomes the replacement character")
    func badUnits() throws {
        let bytes = hex(
            "24 00 00 00 02 00 00 00 01 00 00 00" + String(repeating: "00", count: 16)
                + "41 00 3D D8 42 00 00 00")
        guard case .packet(.initCommandAck(let ack)) = try decodeAll(bytes).first else {
            Issue.record("not an ack")
            return
        }
        #expect(ack.name == "A\u{FFFD}B")
    }

    @Test("a name too long for the standard is cut at a character")
    func longNames() throws {
        let name = String(repeating: "x", count: 38) + "📷 and more"
        let request = InitCommandRequest(guid: .anonymous, name: name)
        guard
            case .packet(.initCommandRequest(let got)) = try decodeAll(
                Packet.initCommandRequest(request).encoded
            ).first
        else {
            Issue.record("not a request")
            return
        }
        // The camera emoji needs two units; one is left beside the NUL.
        #expect(got.name == String(repeating: "x", count: 38))
    }

    @Test("a Windows client's Init Command Request, byte for byte")
    func windowsClient() throws {
        let bytes = hex(
            "2c000000 01000000 0000000000000000ffff080027f5164f 570049004e0037002d0056004d000000 00000100")
        guard case .packet(.initCommandRequest(let request)) = try decodeAll(bytes).first else {
            Issue.record("not a request")
            return
        }
        #expect(request.name == "WIN7-VM")
        #expect(request.guid.description == "00000000-0000-0000-ffff-080027f5164f")
        #expect(Packet.initCommandRequest(request).encoded == bytes)
    }

    @Test("the version is major and minor")
    func version() {
        #expect(ProtocolVersion.v1.description == "1.0")
        #expect(ProtocolVersion(rawValue: 0x0001_0001).minor == 1)
    }

    @Test("a GUID is read with or without dashes and printed with them")
    func guidText() {
        let text = "ffffffff-5254-00b6-fda9-ffff523c2807"
        #expect(GUID(text: text)?.description == text)
        #expect(GUID(text: "FF FF FF FF:52540 0b6fda9ffff523c2807")?.description == text)
        #expect(GUID(text: "ffffffff-5254-00b6-fda9-ffff523c28") == nil)
        #expect(GUID(text: text + "00") == nil)
        #expect(GUID(text: "gfffffff-5254-00b6-fda9-ffff523c2807") == nil)
    }

    @Test("transaction ids count from 1 and wrap past the two invalid ones")
    func transactionIDs() {
        #expect(TransactionID.outsideSession.next == .first)
        #expect(TransactionID(rawValue: 0xFFFF_FFFE).next == .first)
        #expect(TransactionID(rawValue: 4).isEarlier(than: TransactionID(rawValue: 5)))
        #expect(!TransactionID(rawValue: 5).isEarlier(than: TransactionID(rawValue: 5)))
        #expect(TransactionID(rawValue: 0xFFFF_FFFE).isEarlier(than: .first))
        #expect(!TransactionID.first.isEarlier(than: TransactionID(rawValue: 0xFFFF_FFFE)))
    }
}
