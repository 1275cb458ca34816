import PTP
import Simulator
import TestSupport
import Testing

/// What kind of camera it is, is one value that everything else is built around.
@Suite struct PersonalityTests {
    @Test("every model has a name of its own and a line about it")
    func models() {
        let models = CameraModel.all
        #expect(models.first?.name == "generic")
        #expect(Set(models.map(\.name)).count == models.count)
        for model in models {
            #expect(!model.summary.isEmpty && !model.summary.contains("\n"))
            #expect(CameraModel.named(model.name)?.summary == model.summary)
        }
        #expect(CameraModel.named("genric") == nil)
    }

    @Test("the standard's frames are the standard's, also those of no type")
    func standardFraming() throws {
        var framing: any Framing = StandardFraming()
        #expect(framing.frame(type: 200, [1, 2]) == [10, 0, 0, 0, 200, 0, 0, 0, 1, 2])
        #expect(framing.encode(.probeRequest) == Bytes.packet(13))
        let bytes = Bytes.packet(14) + Bytes.packet(11, Bytes.u32(7))
        for byte in bytes { [byte].withUnsafeBytes { framing.append($0) } }
        #expect(try framing.next() == .packet(.probeResponse))
        #expect(try framing.next() == .packet(.cancel(TransactionID(rawValue: 7))))
        #expect(try framing.next() == nil)
    }

    // MARK: Another kind of camera

    static let introduction =
        Bytes.u32(82) + Bytes.u32(1) + Bytes.u32(0x8F53_E4F2) + [UInt8](repeating: 5, count: 16)
        + Bytes.name("hand") + [UInt8](repeating: 0, count: 54 - 10)

    static func frame(_ kind: UInt16, _ code: UInt16, _ transaction: UInt32, _ content: [UInt8] = [])
        -> [UInt8]
    {
        Bytes.u32(UInt32(12 + content.count)) + Bytes.u16(kind) + Bytes.u16(code) + Bytes.u32(transaction)
            + content
    }

    @Test("frames, first packet, event link, pairing and news that are none of the standard's fit as well")
    func otherwise() async throws {
        let bench = try HandBench("five-parameters operation=0x1003", personality: { PhoneCamera(card: $0) })
        let link = bench.link()
        try await link.say(Self.introduction)
        #expect(try await link.packet()[4] == 2)
        try await link.say(Self.frame(1, 0x1002, 0, Bytes.u32(1)))
        #expect(try await link.packet() == Self.frame(3, 0x2001, 0))
        // A photo: one frame of data, and the response behind it.
        try await link.say(Self.frame(1, 0x1009, 1, Bytes.u32(0x0001_0003)))
        let data = try await link.packet()
        #expect(data.prefix(12) == Self.frame(2, 0x1009, 1, [UInt8](repeating: 0, count: 20_000)).prefix(12))
        #expect(try await Array(data.dropFirst(12)) == bench.camera.photos()[0].bytes())
        #expect(try await link.packet() == Self.frame(3, 0x2001, 1))
        // Nothing is told until it is asked for.
        await bench.camera.shoot()
        try await link.say(Self.frame(1, 0x9116, 2))
        let news =
            Bytes.u16(2) + Bytes.u16(0x4002) + Bytes.u32(0x0001_0006) + Bytes.u16(0x400D) + Bytes.u32(0)
        #expect(try await link.packet() == Self.frame(2, 0x9116, 2, news))
        #expect(try await link.packet() == Self.frame(3, 0x2001, 2))
        // Data of the client's.
        let time = [UInt8(16)] + Bytes.name("20260101T120000")
        try await link.say(Self.frame(1, 0x1016, 3, Bytes.u32(0x5011)) + Self.frame(2, 0x1016, 3, time))
        #expect(try await link.packet() == Self.frame(3, 0x2001, 3))
        // What goes wrong goes wrong with any camera.
        try await link.say(Self.frame(1, 0x1003, 4))
        #expect(try await link.packet() == Self.frame(3, 0x2001, 4, [UInt8](repeating: 0, count: 20)))
    }

    @Test("a camera that pairs remembers with whom for as long as it is there")
    func pairing() async throws {
        let bench = try HandBench(personality: { PhoneCamera(card: $0) })
        let first = bench.link()
        try await first.say(Self.introduction)
        #expect(try await first.packet()[4] == 2)
        await bench.camera.powerOff()
        await bench.camera.powerOn()
        let stranger = bench.link()
        try await stranger.say(Self.introduction.map { $0 == 5 ? 6 : $0 })
        #expect(try await stranger.packet() == Bytes.packet(5, Bytes.u32(0x2019)))
        let again = bench.link()
        try await again.say(Self.introduction)
        #expect(try await again.packet()[4] == 2)
    }
}
