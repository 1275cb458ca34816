import PTP
import TestSupport
import Testing

@Suite struct PacketDecoderTests {
    /// Every kind of packet in a row, with payload in Data and in End Data.
    static func conversation() throws -> [UInt8] {
        var bytes: [UInt8] = []
        for (_, text) in try PacketBytesTests.golden() { bytes += hex(text) }
        bytes += hex("10 00 00 00 0A 00 00 00 07 00 00 00 FF D8 FF E1")
        bytes += hex("0F 00 00 00 0C 00 00 00 07 00 00 00 45 78 69")
        bytes += hex("0C 00 00 00 0C 00 00 00 07 00 00 00")
        return bytes
    }

    @Test("every split of a conversation in two gives the same packets")
    func everySplitInTwo() throws {
        let bytes = try Self.conversation()
        let whole = try decodeAll(bytes)
        for cut in 0...bytes.count {
            var decoder = PacketDecoder()
            var pieces: [Piece] = []
            decoder.append(bytes[..<cut])
            try drain(&decoder, into: &pieces)
            decoder.append(bytes[cut...])
            try drain(&decoder, into: &pieces)
            #expect(pieces == whole, "cut at \(cut)")
            #expect(!decoder.isInsidePacket)
        }
    }

    @Test("fed a byte at a time, the packets are the same, each as soon as its last byte is there")
    func dripFed() throws {
        let bytes = try Self.conversation()
        var decoder = PacketDecoder()
        var pieces: [Piece] = []
        for byte in bytes {
            decoder.append(CollectionOfOne(byte))
            try drain(&decoder, into: &pieces)
        }
        #expect(pieces == (try decodeAll(bytes)))
    }

    @Test("every truncation waits for more and never guesses")
    func truncations() throws {
        let bytes = try Self.conversation()
        let whole = try decodeAll(bytes)
        for length in 0..<bytes.count {
            let pieces = try decodeAll(Array(bytes[..<length]))
            #expect(pieces.count <= whole.count)
            for (got, expected) in zip(pieces.dropLast(), whole) { #expect(got == expected) }
        }
    }

    @Test("random splits of a long conversation give the same packets")
    func randomSplits() throws {
        let bytes = try (0..<4).flatMap { _ in try Self.conversation() }
        let whole = try decodeAll(bytes)
        for seed in Cases.seeds(full: 2000) {
            var random = Seeded(seed)
            var decoder = PacketDecoder()
            var pieces: [Piece] = []
            var position = 0
            while position < bytes.count {
                let count = min(bytes.count - position, Int.random(in: 0...40, using: &random))
                decoder.append(bytes[position..<position + count])
                if random.chance(70) { try drain(&decoder, into: &pieces) }
                position += count
            }
            try drain(&decoder, into: &pieces)
            #expect(pieces == whole, "seed \(seed)")
        }
    }

    @Test("payload that the driver takes from the link itself is skipped exactly")
    func payloadTakenElsewhere() throws {
        var decoder = PacketDecoder()
        decoder.append(hex("14 00 10 00 0C 00 00 00 07 00 00 00 AA BB"))
        #expect(
            try decoder.next()
                == .packet(
                    .endData(PayloadHeader(transaction: TransactionID(rawValue: 7), length: 0x10_0008))))
        #expect(try decoder.next() == .payload([0xAA, 0xBB]))
        #expect(try decoder.next() == nil)
        #expect(decoder.payloadRemaining == 0x10_0006)
        decoder.payloadTaken(0x10_0000)
        decoder.append(hex("01 02 03 04 05 06 08 00 00 00 0D 00 00 00"))
        #expect(try decoder.next() == .payload([1, 2, 3, 4, 5, 6]))
        #expect(try decoder.next() == .packet(.probeRequest))
    }

    static let refused: [(String, ReadFailure.Problem)] = [
        ("00 00 00 00 0D 00 00 00", .outside(value: 0, allowed: 8...0x1_0000)),
        ("07 00 00 00 0D 00 00 00", .outside(value: 7, allowed: 8...0x1_0000)),
        ("FF FF FF FF 07 00 00 00", .outside(value: 0xFFFF_FFFF, allowed: 8...0x1_0000)),
        ("01 00 01 00 08 00 00 00", .outside(value: 0x1_0001, allowed: 8...0x1_0000)),
        ("07 00 00 00 0C 00 00 00", .outside(value: 7, allowed: 8...0xFFFF_FFFF)),
        ("0B 00 00 00 02 00 00 00", .outside(value: 11, allowed: 12...0x1_0000)),
        ("00 00 00 00 00 00 00 00", .outside(value: 0, allowed: 8...0x1_0000)),
        ("01 00 01 00 0F 00 00 00", .outside(value: 0x1_0001, allowed: 8...0x1_0000)),
        ("FF FF FF FF FF FF FF FF", .outside(value: 0xFFFF_FFFF, allowed: 8...0x1_0000)),
    ]

    @Test("a length that no packet of the type can have is refused from the header alone", arguments: refused)
    func refusesHeaders(text: String, problem: ReadFailure.Problem) throws {
        let error = #expect(throws: Malformed.self) { try decodeAll(hex(text)) }
        #expect(error?.subject == .packetHeader)
        #expect(error?.failure.problem == problem)
        #expect(error?.hex.isEmpty == false)
    }

    @Test("after bytes that make no sense a decoder stays broken")
    func staysBroken() throws {
        var decoder = PacketDecoder()
        decoder.append(hex("00 00 00 00 0D 00 00 00"))
        #expect(throws: Malformed.self) { try decoder.next() }
        decoder.append(hex("08 00 00 00 0D 00 00 00"))
        #expect(throws: Malformed.self) { try decoder.next() }
    }

    @Test("every change of one byte of a conversation decodes or is refused with its place")
    func mutations() throws {
        let bytes = try Self.conversation()
        for index in bytes.indices {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, bytes[index] ^ 0x10] as [UInt8] {
                var changed = bytes
                changed[index] = value
                do {
                    // A first packet that became longer may wait for more, or swallow the rest.
                    _ = try decodeAll(changed)
                } catch {
                    #expect(error.description.contains("offset"))
                }
            }
        }
    }
}
