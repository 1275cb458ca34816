import PTP
import TestSupport
import Testing

/// Packets that are whole and not as the standard has them, written out by hand.
@Suite struct OddPacketTests {
    static let probe = "08 00 00 00 0D 00 00 00"

    /// What comes of the bytes, and that the packet behind them is found.
    func decode(_ text: String) throws -> (odd: OddPacket?, packet: Packet?) {
        let pieces = try decodeAll(hex(text + Self.probe))
        #expect(pieces.last == .packet(.probeRequest))
        var result: (odd: OddPacket?, packet: Packet?) = (nil, nil)
        for piece in pieces.dropLast() {
            switch piece {
            case .odd(let odd): result.odd = odd
            case .packet(let packet): result.packet = packet
            case .payload: Issue.record("payload out of nothing")
            }
        }
        return result
    }

    @Test("an event of 214 bytes is an event, and what stands behind its five parameters is dropped")
    func longEvent() throws {
        let (odd, packet) = try decode(
            "D6 00 00 00 08 00 00 00 02 40 FF FF FF FF 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 00 00 00"
                + String(repeating: "AB", count: 214 - 34))
        #expect(packet == .event(EventPacket(code: .objectAdded, parameters: [1, 2, 3, 4, 5])))
        #expect(odd?.oddity == .longer && odd?.length == 214 && odd?.type == 8)
        #expect(odd?.isPassedOver == false)
        #expect(odd?.description.contains("event (type 8), 214 bytes long") == true)
        #expect(odd?.description.contains("D6 00 00 00 08 00 00 00 02 40 FF FF") == true)
        #expect(odd?.description.contains("(190 more)") == true)
    }

    @Test("an event of 12 bytes is passed over")
    func shortEvent() throws {
        let (odd, packet) = try decode("0C 00 00 00 08 00 00 00 02 40 FF FF")
        #expect(packet == nil)
        #expect(odd?.oddity == .empty && odd?.isPassedOver == true)
        #expect(odd?.description.contains("too short") == true)
    }

    @Test(
        "a type that the standard does not have is passed over, and no more than its beginning is kept",
        arguments: [0, 15, 0x8000, 0xFFFF_FFFF] as [UInt32], [8, 9, 24, 25, 4096, 0x1_0000] as [Int])
    func unknownTypes(type: UInt32, length: Int) throws {
        var decoder = PacketDecoder()
        var number = type
        var bytes = [UInt8(length & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length >> 16), 0]
        for _ in 0..<4 {
            bytes.append(UInt8(number & 0xFF))
            number >>= 8
        }
        bytes += [UInt8](repeating: 0x77, count: length - 8) + hex(Self.probe)
        var pieces: [Piece] = []
        var left = bytes[...]
        while !left.isEmpty {
            decoder.append(left.prefix(1000))
            left = left.dropFirst(1000)
            try drain(&decoder, into: &pieces)
            #expect(decoder.unread.count < OddPacket.firstBytesLimit)
        }
        guard case .odd(let odd)? = pieces.first, pieces.count == 2 else {
            Issue.record("\(pieces)")
            return
        }
        #expect(odd.oddity == .unknown && odd.type == type && Int(odd.length) == length)
        #expect(odd.firstBytes == Array(bytes.prefix(min(length, OddPacket.firstBytesLimit))))
        #expect(pieces.last == .packet(.probeRequest))
        #expect(!decoder.isInsidePacket)
    }

    @Test("inside a packet that is passed over, the decoder says that it is inside one")
    func insideUnknown() throws {
        var decoder = PacketDecoder()
        decoder.append(hex("20 00 00 00 63 00 00 00" + String(repeating: "00", count: 20)))
        guard case .odd? = try decoder.next() else {
            Issue.record("not odd")
            return
        }
        #expect(try decoder.next() == nil)
        #expect(decoder.isInsidePacket)
        decoder.append([1, 2, 3])
        #expect(try decoder.next() == nil)
        decoder.append([4])
        #expect(try decoder.next() == nil)
        #expect(!decoder.isInsidePacket)
    }

    @Test("a response that holds a code answers; one that does not is passed over")
    func shortResponses() throws {
        for (text, isWhole) in [
            ("0A 00 00 00 07 00 00 00 19 20", false), ("0D 00 00 00 07 00 00 00 19 20 07 00 00", false),
            ("0E 00 00 00 07 00 00 00 19 20 07 00 00 00", true),
        ] {
            let (odd, packet) = try decode(text)
            let transaction = isWhole ? TransactionID(rawValue: 7) : .none
            #expect(
                packet == .operationResponse(OperationResponse(code: .deviceBusy, transaction: transaction)))
            #expect(odd?.oddity == (isWhole ? nil : .shorter))
        }
        let (odd, packet) = try decode("09 00 00 00 07 00 00 00 19")
        #expect(packet == nil && odd?.oddity == .empty)
    }

    @Test("five parameters are taken, more are not, and half a one is none")
    func parameters() throws {
        let words = "01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05 00 00 00"
        let five = OperationResponse(
            code: .ok, transaction: TransactionID(rawValue: 7), parameters: [1, 2, 3, 4, 5])
        let (none, whole) = try decode("22 00 00 00 07 00 00 00 01 20 07 00 00 00" + words)
        #expect(none == nil && whole == .operationResponse(five))
        let (odd, more) = try decode("26 00 00 00 07 00 00 00 01 20 07 00 00 00" + words + "06 00 00 00")
        #expect(odd?.oddity == .longer && more == .operationResponse(five))
        let (half, one) = try decode("14 00 00 00 07 00 00 00 01 20 07 00 00 00 01 00 00 00 02 00")
        #expect(half?.oddity == .longer)
        #expect(
            one
                == .operationResponse(
                    OperationResponse(code: .ok, transaction: TransactionID(rawValue: 7), parameters: [1])))
    }

    @Test("Start Data may have a total of 64 bits, of 32, or none")
    func startData() throws {
        let id = TransactionID(rawValue: 7)
        for (text, total, oddity) in [
            ("14 00 00 00 09 00 00 00 07 00 00 00 05 00 00 00 01 00 00 00", 0x1_0000_0005, nil),
            ("10 00 00 00 09 00 00 00 07 00 00 00 05 00 00 00", 5, .shorter),
            ("10 00 00 00 09 00 00 00 07 00 00 00 FF FF FF FF", StartData.unknownLength32, .shorter),
            ("0C 00 00 00 09 00 00 00 07 00 00 00", StartData.unknownLength, .shorter),
            (
                "1C 00 00 00 09 00 00 00 07 00 00 00 05 00 00 00 00 00 00 00 EE EE EE EE EE EE EE EE", 5,
                .longer
            ),
        ] as [(String, UInt64, OddPacket.Oddity?)] {
            let (odd, packet) = try decode(text)
            #expect(packet == .startData(StartData(transaction: id, totalLength: total)), "\(text)")
            #expect(odd?.oddity == oddity, "\(text)")
        }
        let (odd, packet) = try decode("0A 00 00 00 09 00 00 00 07 00")
        #expect(packet == nil && odd?.oddity == .empty)
    }

    @Test("data without a transaction is passed over, and so is a Cancel without one")
    func withoutTransaction() throws {
        for type in ["0A", "0B", "0C"] {
            let (odd, packet) = try decode("0B 00 00 00 \(type) 00 00 00 07 00 00")
            #expect(packet == nil && odd?.oddity == .empty, "\(type)")
        }
    }

    @Test("in the handshake, what is needed to go on is enough")
    func handshake() throws {
        let (short, ack) = try decode("0C 00 00 00 02 00 00 00 03 00 00 00")
        #expect(short?.oddity == .shorter)
        #expect(
            ack
                == .initCommandAck(
                    InitCommandAck(connectionNumber: 3, guid: .zero, name: "", version: nil)))
        #expect(throws: Malformed.self) { try decodeAll(hex("08 00 00 00 02 00 00 00")) }
        let (reasonless, fail) = try decode("08 00 00 00 05 00 00 00")
        #expect(reasonless?.oddity == .shorter && fail == .initFail(.unspecified))
        let (long, eventAck) = try decode("0C 00 00 00 04 00 00 00 01 00 00 00")
        #expect(long?.oddity == .longer && eventAck == .initEventAck)
        let name = String(repeating: "41 00", count: 1000)
        let (wordy, named) = try decode(
            "EC 07 00 00 02 00 00 00 03 00 00 00" + String(repeating: "05", count: 16) + name)
        #expect(wordy?.oddity == .longer)
        guard case .initCommandAck(let got)? = named else {
            Issue.record("no ack")
            return
        }
        #expect(got.connectionNumber == 3 && got.name == String(repeating: "A", count: 258))
    }

    @Test("every split of odd packets in two gives the same")
    func splits() throws {
        let bytes = hex(
            "0C 00 00 00 08 00 00 00 02 40 FF FF" + "0A 00 00 00 07 00 00 00 01 20"
                + "30 00 00 00 63 00 00 00" + String(repeating: "01", count: 40)
                + "10 00 00 00 09 00 00 00 07 00 00 00 05 00 00 00"
                + "11 00 00 00 0C 00 00 00 07 00 00 00 FF D8 FF E1 00"
                + "26 00 00 00 08 00 00 00 02 40 FF FF FF FF" + String(repeating: "02", count: 24)
                + Self.probe)
        let whole = try decodeAll(bytes)
        #expect(whole.count == 11)
        for cut in 0...bytes.count {
            var decoder = PacketDecoder()
            var pieces: [Piece] = []
            decoder.append(bytes[..<cut])
            try drain(&decoder, into: &pieces)
            decoder.append(bytes[cut...])
            try drain(&decoder, into: &pieces)
            #expect(pieces == whole, "cut at \(cut)")
        }
    }

    @Test("a side that does not put up with an odd packet has an error for it")
    func refusals() throws {
        let (unknown, _) = try decode("0C 00 00 00 63 00 00 00 01 02 03 04")
        #expect(unknown?.refusal.failure.problem == .unexpected(value: 99))
        let (short, _) = try decode("09 00 00 00 07 00 00 00 19")
        #expect(short?.refusal.failure.problem == .outside(value: 9, allowed: 14...34))
    }
}
