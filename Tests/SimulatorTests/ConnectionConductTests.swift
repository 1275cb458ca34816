import PTP
import Simulator
import TestSupport
import Testing

/// Sessions, identities, silence, and what is said without having been asked for.
@Suite struct ConnectionConductTests {
    static let photo: UInt32 = 0x0001_0003

    @Test("only the one number that a camera wants opens a session")
    func sessionID() async throws {
        let bench = try HandBench("session-id wanted=7 code=0x2002 times=1\nsession-id wanted=7")
        let client = try await bench.greeted()
        #expect(try await client.ask(0x1002, [1]).code == 0x2002)
        #expect(try await client.ask(0x1002, [8]).code == 0x201D)
        #expect(try await client.ask(0x1007, [0xFFFF_FFFF]).code == 0x2003)
        #expect(try await client.ask(0x1002, [7]).code == 0x2001)
        #expect(try await client.ask(0x1007, [0xFFFF_FFFF]).code == 0x2001)
    }

    @Test("a camera whose GUID is another at each connection, or always the same")
    func unstableGUID() async throws {
        func guids(_ script: String) async throws -> Set<[UInt8]> {
            let bench = try HandBench(script)
            var guids: Set<[UInt8]> = []
            for _ in 0..<3 {
                let client = try await bench.connected()
                guids.insert(client.guid)
                client.command.close()
                _ = await client.event.rest()
            }
            return guids
        }
        #expect(try await guids("").count == 1)
        let changing = try await guids("unstable-guid")
        #expect(changing.count == 3)
        #expect(try await guids("unstable-guid") == changing, "the seed says which")
    }

    @Test("a camera that hangs answers nothing on any link, lets no client in, and goes on where it was")
    func hang() async throws {
        let clock = ManualClock()
        let bench = try HandBench("hang operation=0x1008 for=9s times=1", clock: clock)
        let client = try await bench.connected()
        #expect(try await client.ask(0x1001).code == 0x2001)
        try await client.request(0x1008, [Self.photo])
        try await client.event.say(Bytes.packet(13))
        let stranger = bench.link()
        try await stranger.say(Bytes.initCommandRequest)
        let heard = Shared<[String]>([])
        async let info = { () -> UInt16 in
            let code = try await client.answer().code
            heard.change { $0.append("info") }
            return code
        }()
        async let probe = { () -> [UInt8] in
            let packet = try await client.event.packet()
            heard.change { $0.append("probe") }
            return packet
        }()
        await clock.waitForSleeper(until: .seconds(9))
        await bench.camera.shoot()
        #expect(heard.value.isEmpty)
        clock.advance(by: .seconds(9))
        #expect(try await info == 0x2001)
        // Its own news come before the answer to what it has read since.
        #expect(try await [Bytes.packet(14), Bytes.event(0x4002, [0x0001_0006])].contains(probe))
        #expect(try await client.ask(0x1008, [Self.photo]).code == 0x2001)
    }

    @Test("a camera that hangs for ever is cured by switching it off, and by nothing else")
    func hangForEver() async throws {
        let bench = try HandBench("hang operation=0x1009 times=1")
        let client = try await bench.connected()
        try await client.request(0x1009, [Self.photo])
        await bench.waitForLog("hanging")
        client.command.close()
        client.event.close()
        let stranger = bench.link()
        try await stranger.say(Bytes.initCommandRequest)
        await bench.camera.powerOff()
        await #expect(throws: HandLink.Ended.self) { try await stranger.packet() }
        await bench.camera.powerOn()
        #expect(try await bench.connected().ask(0x1009, [Self.photo]).code == 0x2001)
    }

    @Test(
        "whole frames with odd content on the event link, and the shot is told of all the same",
        arguments: [
            ("odd-events", 8, 12), ("odd-events bytes=214", 8, 214), ("unknown-packets", 200, 12),
        ])
    func oddFrames(script: String, type: UInt64, length: Int) async throws {
        let bench = try HandBench(script)
        let client = try await bench.connected()
        await bench.camera.shoot()
        let odd = try await client.event.packet()
        #expect(Bytes.number(odd[4..<8]) == type && odd.count == length)
        #expect(try await client.event.packet() == Bytes.event(0x4002, [0x0001_0006]))
        #expect(try await client.ask(0x100E).code == 0x2001)
        #expect(try await client.event.packet() == Bytes.event(0x400D, []))
        #expect(try await client.event.packet().count == length)
        #expect(try await client.event.packet() == Bytes.event(0x4002, [0x0001_0007]))
    }

    static let floods: [(kind: String, channel: String, packet: [UInt8])] = [
        ("events", "event", Bytes.event(0x4006, [0x5001])), ("probes", "event", Bytes.packet(13)),
        ("objects", "event", Bytes.event(0x4002, [0x7F00_0000])),
        ("data", "command", Bytes.packet(10, Bytes.u32(0))),
        ("events", "command", Bytes.event(0x4006, [0x5001])), ("probes", "command", Bytes.packet(13)),
        ("data", "event", Bytes.packet(10, Bytes.u32(0))),
    ]

    @Test("what is said without end begins with the session, and others are served", arguments: floods)
    func flood(kind: String, channel: String, packet: [UInt8]) async throws {
        let bench = try HandBench("flood kind=\(kind) channel=\(channel)")
        let client = try await bench.connected()
        let link = channel == "event" ? client.event : client.command
        #expect(try await link.packet() == packet)
        for _ in 0..<5000 { #expect(try await link.packet().count == packet.count) }
        await bench.camera.shoot()
        // More was made than the link holds, and no more than that: it is given away only as the client takes it.
        client.command.close()
        client.event.close()
        #expect(try await bench.connected().ack.count > 12)
    }

    @Test("so many a second, and only for a while")
    func floodRate() async throws {
        let clock = ManualClock()
        let bench = try HandBench("flood kind=objects rate=10 for=1s", clock: clock)
        let client = try await bench.connected()
        _ = try await client.event.packet()
        for _ in 0..<12 {
            if let next = clock.nextDeadline { clock.advance(by: next - clock.now) }
            await Task.yield()
            _ = try await client.ask(0x1001)
        }
        clock.advance(by: .seconds(60))
        _ = try await client.ask(0x1001)
        await bench.camera.shoot()
        var rest: [[UInt8]] = []
        repeat {
            rest.append(try await client.event.packet())
        } while rest.last != Bytes.event(0x4002, [0x0001_0006])
        #expect((6...11).contains(rest.count), "\(rest.count)")
        #expect(Set(rest).count == rest.count, "each is another object's")
    }

    @Test("a flood that an operation sets off, beside its answer or in its place")
    func floodFromOperation() async throws {
        let bench = try HandBench(
            "flood kind=probes operation=0x1001 times=1\nflood kind=data object=0x00010004 operation=0x1009")
        let client = try await bench.connected()
        #expect(try await client.ask(0x1009, [Self.photo]).data.count == 20_000)
        #expect(try await client.ask(0x1001).code == 0x2001)
        for _ in 0..<1000 { #expect(try await client.event.packet() == Bytes.packet(13)) }
        let transaction = try await client.request(0x1009, [Self.photo + 1])
        #expect(try await client.command.packet().count == 20)
        for _ in 0..<20_000 {
            #expect(try await client.command.packet() == Bytes.packet(10, Bytes.u32(transaction)))
        }
        client.command.close()
        client.event.close()
        let again = try await bench.connected()
        #expect(try await again.ask(0x1009, [Self.photo]).data.count == 20_000)
    }
}
