import PTP
import Simulator
import TestSupport
import Testing

/// Cards that come and go, power, and what of an object lasts.
@Suite struct CardConductTests {
    static let photo: UInt32 = 0x0001_0003
    static let stableID: UInt32 = 0xDC41

    /// Everything that needs a card, and what is asked with it.
    static let needCard: [(UInt16, [UInt32])] = [
        (0x1005, [0x0001_0001]), (0x1006, [0xFFFF_FFFF]), (0x1007, [0xFFFF_FFFF]), (0x1008, [photo]),
        (0x1009, [photo]), (0x100A, [photo]), (0x101B, [photo, 0, 10]), (0x9803, [photo, 0xDC04]),
        (0x9805, [0xFFFF_FFFF, 0, 0xFFFF_FFFF]), (0x100E, []),
    ]

    @Test("a card that is pulled is missed by all that need it, and is the same when it is back")
    func pulled() async throws {
        let bench = try HandBench { _, card in card.slots = 2 }
        let client = try await bench.connected()
        let before = try await client.ask(0x1007, [0xFFFF_FFFF]).data
        await bench.camera.pullCard()
        await bench.camera.pullCard()
        #expect(try await client.event.packet() == Bytes.event(0x4005, [0x0001_0001]))
        #expect(try await client.event.packet() == Bytes.event(0x4005, [0x0002_0001]))
        for (code, parameters) in Self.needCard {
            #expect(try await client.ask(code, parameters).code == 0x2013, "\(String(code, radix: 16))")
        }
        #expect(
            try await client.ask(0x1004).data == Bytes.u32(2) + Bytes.u32(0x0001_0000)
                + Bytes.u32(0x0002_0000))
        #expect(try await client.ask(0x1001).code == 0x2001)
        #expect(await bench.camera.shoot().isEmpty)
        #expect(await bench.camera.photos().count == 3)
        await bench.camera.insertCard()
        #expect(try await client.event.packet() == Bytes.event(0x4004, [0x0001_0001]))
        #expect(try await client.ask(0x1007, [0xFFFF_FFFF]).data == before)
        #expect(try await client.ask(0x1009, [Self.photo]).data.count == 20_000)
    }

    @Test("a card that is pulled under a photo on its way breaks it off, and the connection goes on")
    func pulledUnderway() async throws {
        let clock = ManualClock()
        let bench = try HandBench(photos: 1, size: 4_000_000, clock: clock) { settings, _ in
            settings.rate = 1_000_000
        }
        let client = try await bench.connected()
        try await client.request(0x1009, [Self.photo])
        _ = try await client.command.packet()
        await clock.waitForSleepers(1)
        await bench.camera.pullCard()
        clock.advance(by: .seconds(10))
        let answer = try await client.answer()
        #expect(answer.code == 0x2013 && !answer.types.contains(12) && answer.data.count < 4_000_000)
        #expect(try await client.ask(0x1001).code == 0x2001)
    }

    @Test(
        "photos of a card that was changed, and those that were deleted, are remembered where that is wanted")
    func remembered() async throws {
        let bench = try HandBench("card-swap shots=2", photos: 1) { settings, _ in
            settings.remembersPhotos = true
        }
        let client = try await bench.connected()
        await bench.camera.shoot()
        let first = await bench.camera.photos()
        await bench.camera.shoot()
        let second = await bench.camera.photos()
        #expect(first.count == 2 && second.count == 1)
        #expect(try await client.ask(0x100B, [second[0].handle.rawValue]).code == 0x2001)
        #expect(await bench.camera.photos().isEmpty)
        // The one that lay on the card before was not shot.
        let all = try await bench.camera.everyPhoto().map { try $0.bytes() }
        #expect(try all == [first[1].bytes(), second[0].bytes()])
    }

    @Test("a card vanishes after so many shots, or when a photo is asked for, and may come back")
    func vanish() async throws {
        let clock = ManualClock()
        let bench = try HandBench(
            "vanish after-shots=2 for=5s\nvanish operation=0x1009 skip=1 times=1", clock: clock)
        let client = try await bench.connected()
        await bench.camera.shoot()
        #expect(try await client.ask(0x1006, [0xFFFF_FFFF]).parameters == [6])
        await bench.camera.shoot()
        #expect(try await client.ask(0x1006, [0xFFFF_FFFF]).code == 0x2013)
        await clock.waitForSleeper(until: .seconds(5))
        clock.advance(by: .seconds(5))
        var codes: [UInt64] = []
        for _ in 0..<6 { codes.append(Bytes.number(try await client.event.packet()[8..<10])) }
        #expect(codes == [0x4002, 0x400D, 0x4002, 0x400D, 0x4005, 0x4004])
        #expect(try await client.ask(0x1006, [0xFFFF_FFFF]).parameters == [7])
        #expect(try await client.ask(0x1009, [Self.photo]).code == 0x2001)
        #expect(try await client.ask(0x1009, [Self.photo]).code == 0x2013)
        #expect(try await client.ask(0x1007, [0xFFFF_FFFF]).code == 0x2013)
    }

    @Test("what an object is known by outlives new handles and connections, and no two share it")
    func stableIDs() async throws {
        let bench = try HandBench("renumber") { _, card in card.slots = 2 }
        func ids() async throws -> [[UInt8]] {
            let client = try await bench.connected()
            defer {
                client.command.close()
                client.event.close()
            }
            let handles = try HandleList(decoding: try await client.ask(0x1007, [0xFFFF_FFFF]).data[...])
                .handles
            var ids: [[UInt8]] = []
            for handle in handles {
                ids.append(try await client.ask(0x9803, [handle.rawValue, Self.stableID]).data)
            }
            return ids
        }
        let before = try await ids()
        #expect(before.count == 7 && Set(before).count == 7 && before.allSatisfy { $0.count == 16 })
        #expect(before[0][4..<8] == [1, 0, 0, 0])
        #expect(try await ids() == before)
        await bench.camera.powerOff()
        await bench.camera.powerOn()
        #expect(try await ids() == before)
    }

    @Test("the lasting identifier is described, and stands in lists of properties; or it is nowhere")
    func describedIDs() async throws {
        let (bench, bare) = (try HandBench(), try HandBench("no-stable-ids"))
        let client = try await bench.connected()
        #expect(try await client.ask(0x9801, [0x3801]).data.suffix(2) == [0x41, 0xDC])
        let description = try await client.ask(0x9802, [Self.stableID, 0x3801]).data
        #expect(description.prefix(5) == [0x41, 0xDC, 0x0A, 0x00, 0x00])
        let rows = try ObjectPropertyList(
            decoding: try await client.ask(0x9805, [Self.photo, 0, Self.stableID]).data[...]
        ).rows
        #expect(rows.count == 1 && rows.first?.type == .uint128)
        let without = try await bare.connected()
        #expect(try await without.ask(0x9801, [0x3801]).data.suffix(2) == [0x8A, 0xDC])
        #expect(try await without.ask(0x9802, [Self.stableID, 0x3801]).code == 0xA80A)
        #expect(try await without.ask(0x9803, [Self.photo, Self.stableID]).code == 0xA80A)
        #expect(try await without.ask(0x9805, [Self.photo, 0, Self.stableID]).data == [0, 0, 0, 0])
    }

    @Test(
        "a camera that is switched off breaks every link, lets no client in, and has its card when it is back"
    )
    func power() async throws {
        let bench = try HandBench("poison operation=0x1005")
        let client = try await bench.connected()
        #expect(try await client.ask(0x1005, [0x0001_0001]).code == 0x2002)
        await bench.camera.powerOff()
        await bench.camera.powerOff()
        await #expect(throws: HandLink.Ended.self) { try await client.command.packet() }
        await #expect(throws: HandLink.Ended.self) { try await client.event.packet() }
        await #expect(throws: HandLink.Ended.self) { try await bench.link().packet() }
        #expect(await bench.camera.shoot().isEmpty)
        await bench.camera.powerOn()
        let again = try await bench.connected()
        #expect(try await again.ask(0x1006, [0xFFFF_FFFF]).parameters == [5])
        #expect(try await again.ask(0x1009, [Self.photo]).data == bench.camera.photos()[0].bytes())
    }

    @Test("a camera whose Wi-Fi sleeps takes photos all the same, and has them when it is back")
    func sleep() async throws {
        let bench = try HandBench()
        let client = try await bench.connected()
        await bench.camera.fallAsleep()
        await #expect(throws: HandLink.Ended.self) { try await client.command.packet() }
        await #expect(throws: HandLink.Ended.self) { try await bench.link().packet() }
        #expect(await bench.camera.shoot().count == 1)
        await bench.camera.wakeUp()
        let again = try await bench.connected()
        #expect(try await again.ask(0x1006, [0xFFFF_FFFF]).parameters == [6])
    }

    @Test("switched off with a photo on its way, whether the camera waits or the client does")
    func powerUnderway() async throws {
        let clock = ManualClock()
        let bench = try HandBench(
            "stall after=700000 for=1h times=1", photos: 1, size: 4_000_000, clock: clock)
        for _ in 0..<2 {
            let client = try await bench.connected()
            try await client.request(0x1009, [Self.photo])
            _ = try await client.command.packet()
            await bench.camera.powerOff()
            await bench.camera.powerOn()
        }
        let client = try await bench.connected()
        #expect(try await client.ask(0x1009, [Self.photo]).data == bench.camera.photos()[0].bytes())
    }

    @Test("what is only in memory is gone with the power, and what is on the card is listed as it is given")
    func photos() async throws {
        let memory = try HandBench("in-memory")
        await memory.camera.powerOff()
        #expect(await memory.camera.photos().isEmpty)
        let bench = try HandBench { _, card in card.hasRawToo = true }
        await bench.camera.shoot()
        let photos = await bench.camera.photos()
        #expect(photos.map(\.name).suffix(2) == ["TETH0004.JPG", "TETH0004.DNG"])
        #expect(Set(photos.map(\.uniqueID)).count == 8)
        let client = try await bench.connected()
        for photo in photos {
            let given = try await client.ask(0x1009, [photo.handle.rawValue]).data
            #expect(try photo.bytes() == given && photo.size == UInt64(given.count))
            #expect(try photo.bytes(100..<200) == Array(given[100..<200]))
        }
    }
}
