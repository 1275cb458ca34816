import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// Photos on their way from Nikons: each noticed once, each byte for byte.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonShootingTests {
    private func follow(
        _ stand: GenericStand, until count: Int, _ shoot: @escaping @Sendable () async -> Void = {}
    ) async throws -> NikonFollower {
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand, known: try await driver.references())
            await shoot()
            try await follower.follow(until: count, told: count)
            return follower
        }
    }

    private func expectAll(_ follower: NikonFollower, _ stand: GenericStand) async throws {
        let names = Dictionary(
            uniqueKeysWithValues: follower.photos.map { path, bytes in
                (path.split(separator: "/").last.map(String.init) ?? path, bytes)
            })
        #expect(names == (try await stand.photos()))
        #expect(follower.told.values.allSatisfy { $0 == 1 }, "\(follower.told)")
    }

    @Test(
        "thirty shots in RAW and JPEG, each file told once and byte for byte",
        arguments: NikonBodyUnderTest.chosen)
    func thirty(body: NikonBodyUnderTest) async throws {
        let stand = try body.stand(photos: 0, size: 20_000) { _, card in card.hasRawToo = true }
        let follower = try await follow(stand, until: 60) {
            for _ in 0..<30 { await stand.shoot() }
        }
        try await expectAll(follower, stand)
        #expect(follower.told.count == 60)
        #expect(follower.offers.count { $0.identity.name.hasSuffix(".NEF") } == 30)
        #expect(follower.offers.allSatisfy { $0.identity.name.hasPrefix("DSC_") })
    }

    @Test("a shot that is pushed while the body is still greeted is told once", arguments: 0..<5)
    func pushedEarly(attempt: Int) async throws {
        let stand = try NikonBodyUnderTest.all[1].stand(photos: 0) { settings, _ in
            // The first of them comes before the driver is at work, or while it begins.
            (settings.shots, settings.interval) = (4, .microseconds(200 + 300 * attempt))
        }
        let follower = try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            try await follower.follow(until: 4, told: 4)
            // One more round of questions and answers.
            await stand.shoot()
            try await follower.follow(until: 5, told: 5)
            return follower
        }
        try await expectAll(follower, stand)
    }

    @Test(
        "a burst of twenty at 50 ms, while they are fetched",
        arguments: NikonBodyUnderTest.chosen)
    func burst(body: NikonBodyUnderTest) async throws {
        let stand = try body.stand(photos: 0, size: 100_000) { settings, _ in
            (settings.shots, settings.interval) = (20, .milliseconds(50))
        }
        let follower = try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            try await follower.follow(until: 20, told: 20)
            return follower
        }
        try await expectAll(follower, stand)
    }

    @Test(
        "after 9999 comes 0001 in the next folder, with the handle that such bodies give it")
    func wrap() async throws {
        let stand = try NikonBodyUnderTest.all[0].stand(photos: 0, "first-number value=9999")
        let follower = try await follow(stand, until: 2) {
            for _ in 0..<2 { await stand.shoot() }
        }
        #expect(Set(follower.photos.keys) == ["DCIM/100D7200/DSC_9999.JPG", "DCIM/101D7200/DSC_0001.JPG"])
        // Folder 101 and file 1, as in the golden handle 0x09194A01 of folder 101 and file 2561.
        #expect(Set(follower.told.keys) == [PhotoReference("0x0919270F"), PhotoReference("0x09194001")])
        try await expectAll(follower, stand)
    }

    @Test(
        "another card in the slot uses the same handles and names, and its photos are others")
    func cardSwap() async throws {
        let stand = try NikonBodyUnderTest.all[2].stand(photos: 0, "card-swap shots=2 handles=reused")
        let photos = try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            await stand.shoot()
            try await follower.follow(until: 1)
            let first = try await stand.photos()
            #expect(Set(follower.photos.values) == Set(first.values))
            await stand.shoot()
            try await follower.follow(until: 2)
            #expect(follower.cards > 0)
            return (first, follower.photos)
        }
        let second = try await stand.photos()
        #expect(photos.0.keys == second.keys && photos.0 != second)
        #expect(Set(photos.1.values) == Set(photos.0.values).union(second.values))
    }

    @Test("a body that slept has what was shot meanwhile, and is the same body")
    func sleepAndWake() async throws {
        let stand = try NikonBodyUnderTest.all[2].stand()
        let before = try await stand.connector().met(knowing: nil) { driver in
            (await driver.body, try await driver.references())
        }
        await stand.switchOff()
        await stand.rig.camera.powerOn()
        await stand.shoot()
        let after = try await stand.connector().met(knowing: before.0) { driver in
            (await driver.body, try await driver.references())
        }
        #expect(after.0.identity == before.0.identity && after.0.driver == GenericDriver.name)
        #expect(after.1.subtracting(before.1).count == 1 && after.1.isSuperset(of: before.1))
    }

    @Test("a link that is cut at any place costs nothing of the photo")
    func cuts() async throws {
        var random = Mixer(20)
        let size: UInt64 = 2_500_000
        for _ in 0..<(Cases.isFull ? 20 : 2) {
            let part = UInt64.random(in: 0..<3, using: &random)
            let place = UInt64.random(in: 1..<(part < 2 ? 1 << 20 : size - 2 << 20), using: &random)
            let stand = try NikonBodyUnderTest.all[2].stand(
                photos: 1, "cut after=\(place) operation=0x101B skip=\(part) times=1", size: size)
            let sink = ArraySink()
            for connection in 0..<2 {
                do {
                    try await stand.connector().met(knowing: nil) { driver in
                        let offer = try #require(try await ConformanceCheck.offers(driver).first)
                        try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
                    }
                    #expect(connection == 1, "it was cut")
                } catch let failure as CameraFailure {
                    #expect(connection == 0 && ConformanceCheck.mayBeItsDoing(failure), "\(failure)")
                    #expect(UInt64(sink.bytes.count) == part << 20 | place)
                }
            }
            #expect(try await stand.photos().values.first == sink.bytes)
        }
    }

    @Test(
        "two bodies with the same names at the same time are two, and each photo is its own")
    func two() async throws {
        let stands = try ["0001", "0002"].map { serial in
            try NikonBodyUnderTest.all[2].stand(photos: 0) { settings, card in
                (card.serial, card.seed) = (serial, UInt64(serial) ?? 0)
                settings.seed = card.seed
            }
        }
        let followed = try await withThrowingTaskGroup(of: NikonFollower.self) { group in
            for stand in stands {
                group.addTask {
                    try await follow(stand, until: 5) {
                        for _ in 0..<5 { await stand.shoot() }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(followed.map { $0.offers.map(\.identity.path).sorted() }).count == 1, "the same names")
        #expect(Set(followed.flatMap { $0.offers.map(\.identity) }).count == 10)
        #expect(Set(followed.flatMap(\.photos.values)).count == 10)
    }
}
