import PTP
import PacketCapture
import TestSupport
import Testing

/// What must not be left of a recorded greeting, and what must.
@Suite struct RedactionTests {
    private static func utf16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    /// "u8 count of units with the NUL, then these."
    private static func counted(_ text: String) -> [UInt8] {
        [UInt8(text.utf16.count + 1)] + utf16(text) + [0, 0]
    }

    private static func little(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func packet(_ type: UInt32, _ body: [UInt8], toCamera: Bool = false, at time: Int64 = 0)
        -> TappedPacket
    {
        TappedPacket(
            link: 1, toCamera: toCamera, microseconds: time,
            bytes: little(UInt32(8 + body.count)) + little(type) + body)
    }

    private static func request(_ code: UInt16) -> TappedPacket {
        packet(
            6, little(1) + [UInt8(truncatingIfNeeded: code), UInt8(code >> 8)] + little(5), toCamera: true)
    }

    /// The payload in two packets, cut anywhere.
    private static func answer(_ payload: [UInt8], cutAt cut: Int) -> [TappedPacket] {
        [
            packet(9, little(5) + little(UInt32(payload.count)) + little(0)),
            packet(10, little(5) + payload.prefix(cut)), packet(12, little(5) + payload.dropFirst(cut)),
            packet(7, [0x01, 0x20] + little(5)),
        ]
    }

    private static let mac: [UInt8] = [0xA4, 0xB1, 0xC7, 0x12, 0x9E, 0x5D]
    private static let canonGUID: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1] + mac
    private static let ourGUID: [UInt8] = (1...16).map { UInt8($0 * 13 & 0xFF) }

    /// Vendor 0xB, nothing supported, Canon, a model, a version, a serial number.
    private static let deviceInfo: [UInt8] =
        [100, 0] + little(0xB) + [100, 0, 0, 0, 0] + little(1) + [0x16, 0x91] + little(0) + little(0)
        + little(0)
        + little(0) + counted("Canon Inc.") + counted("Canon EOS R6") + counted("3-1.8.1")
        + counted("032021004711")

    private static let greeting: [TappedPacket] =
        [
            packet(1, ourGUID + utf16("Annas laptop\0") + [0, 0, 1, 0], toCamera: true),
            packet(2, little(1) + canonGUID + utf16("Annas R6\0") + [0, 0, 1, 0]),
            request(0x1001),
        ] + answer(deviceInfo, cutAt: 40) + [request(0x9116)] + answer(events, cutAt: 101)

    /// A setting with an owner's name in ASCII and one with a network's in UTF-16, the MAC, the serial number, the clock (CameraTime
    /// and UTCTime), and a photo.
    private static let events: [UInt8] =
        record(0xC189, little(0xD115) + Array("Anna Bergström\0\0".utf8))
        + record(0xC189, little(0xD1AF) + Array("032021004711".utf8))
        + record(
            0xC1F6, mac + [0, 0] + utf16("FRITZ!Box 7590\0") + counted("佐藤") + counted("20260912T153000"))
        + record(0xC189, little(0xD113) + little(0x6A97_31C5))
        + record(0xC189, little(0xD17C) + little(0x6A97_15A5) + little(0x6A97_15A5))
        + record(0xC1A7, photo) + record(0, [])

    /// As a real R6 told of 2R7A4528.CR3.
    private static let photo: [UInt8] =
        little(0x5191_1B01) + little(0x0001_0001) + little(0xB108) + little(0) + little(0x20)
        + little(0x017B_BA92)
        + little(0) + little(0x5190_0000) + little(0x5191_1B00) + Array("2R7A4528.CR3\0\0\0\0".utf8)
        + little(0x697B_E82C)

    private static func record(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        little(UInt32(8 + body.count)) + little(type) + body
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.dropLast(max(0, part.count - 1)).contains {
            bytes[$0..<$0 + part.count].elementsEqual(part)
        }
    }

    @Test(
        "nothing is left of a name, a number, a network, a photo or a date, in any writing, wherever the data was cut"
    )
    func nothingIsLeft() throws {
        for cut in 1..<Self.deviceInfo.count {
            var packets = Self.greeting
            packets.replaceSubrange(3..<7, with: Self.answer(Self.deviceInfo, cutAt: cut))
            let left = Redaction.redacted(packets).flatMap(\.bytes)
            for secret in [
                "Anna", "Bergstr", "032021004711", "FRITZ", "7590", "佐藤", "2R7A", "4528", "CR3", "2026",
                "1530",
            ] {
                #expect(!Self.contains(left, Array(secret.utf8)), "\(secret), cut at \(cut)")
                #expect(!Self.contains(left, Self.utf16(secret)), "\(secret) in UTF-16, cut at \(cut)")
            }
            for secret in [
                Self.mac, Self.ourGUID, Self.little(0x697B_E82C), Self.little(0x6A97_31C5),
                Self.little(0x6A97_15A5),
            ] {
                #expect(!Self.contains(left, secret))
            }
        }
    }

    @Test("what a body is, every length, every code and every handle stay as they were")
    func muchStays() throws {
        let redacted = Redaction.redacted(Self.greeting)
        #expect(redacted.map(\.bytes.count) == Self.greeting.map(\.bytes.count))
        for (now, before) in zip(redacted, Self.greeting) {
            #expect(now.bytes.prefix(8) == before.bytes.prefix(8))
        }
        let info = try DeviceInfo(decoding: redacted[4...5].flatMap { $0.bytes.dropFirst(12) }[...])
        #expect(
            info.manufacturer == "Canon Inc." && info.model == "Canon EOS R6"
                && info.deviceVersion == "3-1.8.1")
        #expect(info.serialNumber == "000000000000" && info.operations.map(\.rawValue) == [0x9116])
        let list = CanonEventList(decoding: redacted[9...10].flatMap { $0.bytes.dropFirst(12) }[...])
        #expect(
            list.records.map(\.type) == [0xC189, 0xC189, 0xC1F6, 0xC189, 0xC189, 0xC1A7]
                && list.problem == nil)
        #expect(list.records[3].parameters.first == 0xD113 && list.records[4].parameters.first == 0xD17C)
        #expect(list.records[5].parameters == [0x5191_1B01, 0x0001_0001, 0xB108, 0, 0x20])
    }

    @Test("what no body was seen to do is listed with whether this one did, by what it is")
    func unseen() {
        let met = { (packets: [TappedPacket]) in
            UnseenConduct.all(in: packets).filter(\.isMet).map(\.sentence)
        }
        #expect(met(Self.greeting) == [])
        let long = Self.record(0xC1B6, Self.little(0x5191_1B01)) + Self.record(0, [])
        let more = Self.greeting + [Self.request(0x9116)] + Self.answer(long, cutAt: 3)
        #expect(met(more) == ["record 0xC1B6, a photo with a long name"])
        #expect(
            UnseenConduct.all(in: Self.greeting).allSatisfy { !$0.sentence.contains("0x952B") },
            "a Nikon's affair")
        #expect(met([Self.packet(5, Self.little(4))]) == ["Init Fail with a reason above 3"])
    }

    @Test("nothing is left of what was given up, nor behind a name or a notice, nor among a call's numbers")
    func givenUp() {
        let name = Array("Annas R6".utf8)
        let packets =
            Self.greeting + [
                Self.request(0x1015), Self.packet(10, Self.little(5) + name), Self.request(0x1015),
                Self.packet(2, Self.little(1) + Self.canonGUID + [0, 0, 0, 0, 1, 0] + name),
                Self.packet(8, [0x02, 0x40] + [UInt8](repeating: 0, count: 28) + name),
                Self.packet(7, [0x01, 0x20] + Self.little(5) + [1, 0] + name),
                Self.packet(8, [0x02, 0x40] + Self.little(5) + name + [7, 0, 0, 0]),
                Self.packet(6, Self.little(1) + [0x15, 0x10] + Self.little(5) + name, toCamera: true),
                Self.packet(9, Self.little(5) + name),
            ]
        let redacted = Redaction.redacted(packets)
        #expect(!Self.contains(redacted.flatMap(\.bytes), name))
        #expect(redacted.map(\.bytes.count) == packets.map(\.bytes.count))
        let notice = redacted[packets.count - 3].bytes
        #expect(notice[8..<14].elementsEqual([0x02, 0x40, 5, 0, 0, 0]), "what it is stays")
        #expect(notice.suffix(4).elementsEqual([7, 0, 0, 0]), "and a number that says nothing")
    }

    @Test("whatever comes, it is redacted without a fault, and each packet keeps its length")
    func anything() {
        for seed in Cases.seeds(full: 2000) {
            var random = Seeded(seed)
            let packets = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                var packet = Self.packet(
                    UInt32.random(in: 0...15, using: &random),
                    random.bytes(Int.random(in: 0...90, using: &random)))
                packet.toCamera = random.chance(50)
                return packet
            }
            let redacted = Redaction.redacted(packets)
            #expect(redacted.map(\.bytes.count) == packets.map(\.bytes.count), "seed \(seed)")
            _ = UnseenConduct.all(in: redacted)
        }
    }
}
