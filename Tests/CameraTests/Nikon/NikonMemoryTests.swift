import Basics
import Bridge
import PTP
import Simulator
import TestSupport
import Testing

@testable import Camera

/// Photos that a Nikon keeps in its memory, one behind the other under one handle: none is lost behind one that the body
/// does not give up, nor with a connection.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonMemoryTests {
    private func scene(_ script: String = "") throws -> HangScene {
        try HangScene(
            "nikon-paired\nnikon-in-memory\n\(script)", photos: 0, size: 200_000,
            model: try #require(CameraModel.named("nikon-z6ii")))
    }

    /// What the body has, whatever it calls it.
    private func expected(_ scene: HangScene, _ count: Int) async throws -> Set<[UInt8]> {
        let photos = Set(try await scene.stand.rig.camera.photos().map { try $0.bytes() })
        try #require(photos.count == count)
        return photos
    }

    @Test(
        "a burst comes whole from a body that refuses for a moment to free its memory",
        arguments: ["0x2019 times=2", "0x2002 times=3", "0x200F times=1"])
    func refusesToFree(refusal: String) async throws {
        let scene = try scene("refuse operation=0x90C3 code=\(refusal)")
        let met = try await scene.tried { [scene] driver in
            var follower = NikonFollower(driver, scene.stand)
            for _ in 0..<3 { await scene.stand.shoot() }
            let expected = try await expected(scene, 3)
            try await follower.follow(until: 3)
            #expect(Set(follower.photos.values) == expected)
            // The last of them may have been refused.
            try await scene.clock.sleep(until: scene.clock.now + .seconds(5))
            #expect(await scene.stand.rig.camera.photos().isEmpty, "the body has its memory back")
        }
        #expect(met.failure == nil)
    }

    @Test(
        "a photo that is ours while the body does not give it up is not among what there is, and comes once")
    func notListed() async throws {
        let scene = try scene("refuse operation=0x90C3 code=0x2019")
        let met = try await scene.tried { [scene] driver in
            var follower = NikonFollower(driver, scene.stand)
            await scene.stand.shoot()
            try await follower.follow(until: 1)
            let left = try await driver.references()
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(left.allSatisfy { NikonInMemory.handle($0) == nil } && survey.offers.isEmpty)
            #expect(follower.told.count == 1)
        }
        #expect(met.failure == nil)
    }

    @Test("what was left in the memory by an earlier connection is found in the next one's first survey")
    func leftBehind() async throws {
        let scene = try scene()
        let first = try await scene.tried { [scene] driver in
            let changes = driver.changes.makeAsyncIterator()
            for _ in 0..<3 { await scene.stand.shoot() }
            while let change = await changes.next() { if case .added = change { break } }
        }
        #expect(first.failure == nil)
        let second = try await scene.tried(knowing: scene.left.value) { [scene] driver in
            let expected = try await expected(scene, 3)
            let photos = try await all(3, of: driver, scene)
            #expect(photos == expected)
            #expect(await scene.stand.rig.camera.photos().isEmpty)
        }
        #expect(second.failure == nil)
    }

    @Test("a body that slept has lost what was in its memory: it is looked for, and what is shot since comes")
    func slept() async throws {
        let scene = try scene()
        let first = try await scene.tried { [scene] driver in
            let changes = driver.changes.makeAsyncIterator()
            await scene.stand.shoot()
            while let change = await changes.next() { if case .added = change { break } }
        }
        #expect(first.failure == nil)
        await scene.stand.switchOff()
        await scene.stand.switchOn()
        let second = try await scene.tried(knowing: scene.left.value) { [scene] driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.isEmpty && survey.unreadable.isEmpty)
            var follower = NikonFollower(driver, scene.stand)
            await scene.stand.shoot()
            let expected = try await expected(scene, 1)
            try await follower.follow(until: 1)
            #expect(Set(follower.photos.values) == expected)
        }
        #expect(second.failure == nil)
    }

    @Test("a link that is cut in a photo from the memory costs no photo of it", arguments: [1000, 199_000])
    func cut(place: Int) async throws {
        let scene = try scene("cut after=\(place) operation=0x101B times=1")
        let cut = try await scene.tried { [scene] driver in
            for _ in 0..<3 { await scene.stand.shoot() }
            var follower = NikonFollower(driver, scene.stand)
            try await follower.follow(until: 3)
        }
        #expect(ConformanceCheck.mayBeItsDoing(cut.failure))
        let again = try await scene.tried(knowing: scene.left.value) { [scene] driver in
            let expected = try await expected(scene, 3)
            let photos = try await all(3, of: driver, scene)
            #expect(photos == expected)
        }
        #expect(again.failure == nil)
    }

    @Test(
        "a body whose memory is empty is looked at once and nothing comes of it, whatever it answers",
        arguments: [
            "", "refuse operation=0x1008 code=0x2002 object=0xFFFF0001",
            "refuse operation=0x1008 code=0x201D object=0xFFFF0001",
        ])
    func empty(script: String) async throws {
        let scene = try scene(script)
        let met = try await scene.tried { driver in
            for _ in 0..<2 {
                let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
                #expect(survey.offers.isEmpty && survey.unreadable.isEmpty && survey.putOff.isEmpty)
                #expect(survey.references.isEmpty)
            }
            let left = try await driver.references()
            #expect(left.isEmpty)
        }
        #expect(met.failure == nil && met.time < .seconds(2))
    }

    // MARK: Event by event

    private func noticing() -> NikonNoticing {
        var device = DeviceInfo()
        device.manufacturer = "Nikon Corporation"
        device.model = "Z 6II"
        device.operations = [.nikonGetEventEx]
        return NikonNoticing(device, onlyPushed: false, at: .zero)
    }

    private static let shot = EventPacket(code: .nikonObjectAddedInMemory, parameters: [0])

    @Test("what the body refuses to free is asked for again after 250 ms, then less and less often")
    func pauses() throws {
        var noticing = noticing()
        guard case .added(let photo) = noticing.pushed(Self.shot, at: .zero).first else {
            return #expect(Bool(false), "it is told")
        }
        #expect(noticing.toFree(at: .seconds(9)) == nil, "it is still to be fetched")
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<6 {
            #expect(noticing.released(photo, .refused, at: now).isEmpty && noticing.inMemory.isEmpty)
            _ = noticing.answered(NikonEventList(), at: now)
            let before = now
            while noticing.toFree(at: now) == nil {
                // Its events are asked for meanwhile.
                now += max(noticing.nextAt - now, .milliseconds(1))
                _ = noticing.answered(NikonEventList(), at: now)
            }
            #expect(noticing.toFree(at: now) == photo)
            pauses.append(now - before)
        }
        let expected = [250, 500, 1000, 2000, 2000, 2000].map { Duration.milliseconds($0) }
        #expect(pauses == expected)
    }

    @Test(
        "what was shot meanwhile is told when the place is free, or when the body has kept it for half a minute"
    )
    func behindOneThatStays() {
        for isFreed in [true, false] {
            var noticing = noticing()
            guard case .added(let first) = noticing.pushed(Self.shot, at: .zero).first else {
                return #expect(Bool(false), "it is told")
            }
            #expect(noticing.released(first, .refused, at: .zero).isEmpty)
            #expect(noticing.pushed(Self.shot, at: .seconds(1)).isEmpty, "it lies behind the first")
            #expect(noticing.released(first, .refused, at: NikonNoticing.freeWithin - .seconds(1)).isEmpty)
            let told = noticing.released(first, isFreed ? .free : .refused, at: NikonNoticing.freeWithin)
            guard case .added(let second) = told.first else {
                return #expect(Bool(false), "it is looked what lies there")
            }
            #expect(
                second != first && noticing.inMemory == [second] && noticing.toFree(at: .seconds(99)) == nil)
        }
        // One that has no operation for it may free the place by itself.
        var reading = self.noticing()
        if case .added(let first) = reading.pushed(Self.shot, at: .zero).first {
            _ = reading.pushed(Self.shot, at: .zero)
            #expect(reading.released(first, .notOffered, at: .zero).count == 1)
            #expect(reading.inMemory.count == 1 && !reading.inMemory.contains(first))
        }
        // Without another shot nothing is expected there.
        var noticing = self.noticing()
        if case .added(let only) = noticing.pushed(Self.shot, at: .zero).first {
            _ = noticing.released(only, .refused, at: .zero)
            #expect(noticing.released(only, .refused, at: NikonNoticing.freeWithin).isEmpty)
        }
        #expect(noticing.inMemory.isEmpty && noticing.toFree(at: .seconds(99)) == nil)
    }

    @Test(
        "a look into the memory is told to nobody, makes no object unready, and comes before no shot that is known"
    )
    func look() {
        var noticing = noticing()
        let looked = noticing.look()
        #expect(looked.map { noticing.inMemory == [$0] } == true && noticing.look() == nil)
        #expect(noticing.notReady(.nikonInMemory, at: .zero) == nil)
        if let looked { #expect(noticing.gone(looked, at: .zero).isEmpty) }
        // A shot in the middle of it is told, whatever is answered of what was looked for.
        if let again = noticing.look() {
            #expect(noticing.pushed(Self.shot, at: .zero).isEmpty)
            #expect(noticing.gone(again, at: .zero).count == 1)
        }
        #expect(noticing.look() == nil)
    }

    // MARK: Help

    /// What a survey finds, and what is told behind that as the memory is given back.
    private func all(
        _ count: Int, of driver: any CameraDriver, _ scene: HangScene
    ) async throws -> Set<[UInt8]> {
        let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
        let offer = try #require(survey.offers.first, "it lies in the memory")
        #expect(survey.offers.count == 1 && offer.isInMemory && offer.isOnlyCopy)
        #expect(survey.references.contains(offer.reference))
        let sink = ArraySink()
        try await ConformanceCheck.fetch(offer, driver, into: sink, scene.stand)
        try await driver.release(offer)
        var follower = NikonFollower(driver, scene.stand)
        try await follower.follow(until: count - 1)
        return Set(follower.photos.values).union([sink.bytes])
    }
}
