import Basics
import Bridge
import PTP
import Simulator
import TestSupport
import Testing

@testable import Camera

/// Each thing that real Nikons were seen to do.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonQuirkTests {
    private let d7200 = NikonBodyUnderTest.all[0]
    private let z6 = NikonBodyUnderTest.all[1]
    private let z6ii = NikonBodyUnderTest.all[2]

    /// What is told first of a shot.
    private func firstTold(_ driver: any CameraDriver) async -> PhotoReference? {
        let changes = driver.changes.makeAsyncIterator()
        while let change = await changes.next() {
            if case .added(let reference) = change { return reference }
        }
        return nil
    }

    @Test(
        "GetObjectInfo too soon after ObjectAdded: it is asked again until the photo is ready")
    func notReady() async throws {
        let stand = try d7200.stand()
        try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            let reference = try #require(await firstTold(driver))
            #expect(try await driver.describe(reference, withRating: false)?.identity.name == "DSC_0004.JPG")
        }
        // Plain PTP says that it is not ready now.
        let plain = try d7200.stand()
        try await plain.connector { $0.driver = .generic }.met(knowing: nil) { driver in
            await plain.shoot()
            let failure = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference("0x09190004"), withRating: false)
            }
            #expect(failure?.trouble == .notNow)
        }
    }

    @Test("an object that was not told just now is not asked for again by itself")
    func oldAndUnreadable() async throws {
        let stand = try z6ii.stand("refuse code=0x2002 operation=0x1008 object=0x09190001 times=1")
        try await stand.connector().met(knowing: nil) { driver in
            let first = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference("0x09190001"), withRating: false)
            }
            #expect(first?.trouble == .notNow)
            let second = try await driver.describe(PhotoReference("0x09190001"), withRating: false)
            #expect(second?.identity.name == "DSC_0001.JPG")
        }
    }

    @Test(
        "photos come in parts of 1 MiB always: a whole object would stall the body")
    func parts() async throws {
        let stand = try d7200.stand(photos: 1, "refuse code=0x2002 operation=0x1009", size: 2_500_000)
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            let sink = ArraySink()
            let fetched = try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(fetched.parts == 3)
            #expect(try await stand.photos().values.first == sink.bytes)
        }
    }

    @Test(
        "behind 4 GiB a video is read with 64 bits of offset, and its size is asked for")
    func huge() async throws {
        let size: UInt64 = 5_000_000_000
        let stand = try z6ii.stand(photos: 0, "huge-object size=\(size)")
        try await stand.connector().met(knowing: nil) { driver in
            await stand.shoot()
            let reference = try #require(await firstTold(driver))
            let offer = try #require(try await driver.describe(reference, withRating: false))
            #expect(offer.identity.size == size)
            #expect(await driver.canResume(offer))
            let photo = try #require(await stand.rig.camera.photos().first)
            for start in [UInt64(1) << 32 - 100, 1 << 32, size - 5000] {
                let range = start..<min(size, start + 5000)
                #expect(try await driver.bytes(of: offer, range, noProgress: nil) == photo.bytes(range))
            }
        }
    }

    @Test(
        "a list of events that makes no sense: what is on the card is noticed all the same")
    func brokenEvents() async throws {
        let stand = try d7200.stand(photos: 0, "nikon-broken-events")
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            await stand.shoot()
            try await follower.follow(until: 1)
            #expect(follower.photos.count == 1 && follower.told.isEmpty)
            #expect(follower.remarks.contains { $0.contains("make no sense") && $0.contains("GetEvent") })
        }
    }

    @Test("where the list of events is not to be relied on, what is pushed counts")
    func pushed() async throws {
        let stand = try z6.stand(photos: 0)
        try await stand.connector { $0.traits = ["events": "pushed"] }.met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            await stand.shoot()
            try await follower.follow(until: 1)
            #expect(follower.told.count == 1)
        }
    }

    @Test(
        "a shot that is told twice by the list and twice on the event link is one photo")
    func duplicates() async throws {
        let stand = try z6.stand(photos: 0, "duplicate-notices")
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            for _ in 0..<3 { await stand.shoot() }
            try await follower.follow(until: 3, told: 3)
            #expect(follower.told.count == 3 && follower.told.values.allSatisfy { $0 == 1 })
        }
    }

    @Test(
        "a shot in the body's memory, told with handle 0, is fetched and its memory given back")
    func inMemory() async throws {
        let stand = try z6ii.stand(photos: 0, "nikon-in-memory")
        try await stand.connector().met(knowing: nil) { driver in
            var follower = NikonFollower(driver, stand)
            for shot in 1...2 {
                await stand.shoot()
                let expected = try #require(await stand.rig.camera.photos().first).bytes()
                try await follower.follow(until: shot)
                #expect(follower.photos.values.contains(expected))
                #expect(follower.offers.last?.isInMemory == true)
                #expect(await stand.rig.camera.photos().isEmpty, "the body has its memory back")
            }
            #expect(Set(follower.offers.map(\.reference)).count == 2)
        }
    }

    @Test(
        "a lock on everything is explained with the way to the other mode, and is not asked again and again")
    func locked() async throws {
        let stand = try z6ii.stand("access-lock operation=0x1008\naccess-lock operation=0x101B")
        try await stand.connector().met(knowing: nil) { driver in
            let failure = await ConformanceCheck.failure {
                _ = try await driver.survey(SurveyOptions(), onDescribed: {})
            }
            guard case .connectionOver(.needsPerson(let sentence), mayBeItsDoing: false) = failure?.trouble
            else {
                return #expect(Bool(false), "\(failure.debugDescription)")
            }
            #expect(sentence.contains("picture-transfer mode") && sentence.contains("Camera control"))
            ConformanceCheck.expectSentences(failure)
            let one = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference("0x09190001"), withRating: false)
            }
            #expect(one?.advice.contains("picture-transfer mode") == true)
        }
    }

    @Test(
        "in picture-transfer mode each photo that the body has queued is taken, where the operator wants that"
    )
    func jobs() async throws {
        let stand = try z6ii.stand(photos: 2, "nikon-picture-transfer")
        let unwanted = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) {
                _ = try await $0.survey(SurveyOptions(), onDescribed: {})
            }
        }
        #expect(unwanted?.advice.contains("picture-transfer mode") == true)
        try await stand.connector { $0.traits = ["transfer-jobs": "yes"] }.met(knowing: nil) { driver in
            let survey = try await driver.survey(SurveyOptions(), onDescribed: {})
            #expect(survey.offers.isEmpty && survey.unreadable.isEmpty && survey.references.isEmpty)
            var follower = NikonFollower(driver, stand)
            for shot in 1...3 {
                await stand.shoot()
                try await follower.follow(until: shot)
            }
            #expect(follower.told.count == 3 && follower.told.values.allSatisfy { $0 == 1 })
            let expected = try await stand.photos()
            for offer in follower.offers {
                #expect(follower.photos[offer.identity.path] == expected[offer.identity.name])
            }
        }
        let ends = stand.rig.log.value.filter { $0.contains("was sent with status 0x00002001") }
        #expect(ends.count >= 2, "each job's end is told with the question for the next")
    }

    @Test("connection number 0, and no other session than 1: as a J5")
    func connectionNumberZero() async throws {
        let stand = try d7200.stand("connection-number value=0\nsession-id wanted=1")
        try await stand.connector().met(knowing: nil) { driver in
            let count = try await driver.references().count
            #expect(count == 5)
        }
    }

    @Test(
        "the probe after the event connection is sent from the second connection on, by what is known of the body"
    )
    func probe() async throws {
        let stand = try z6ii.stand()
        let body = try await stand.connector().met(knowing: nil) { await $0.body }
        #expect(body.traits["probe-after-handshake"] == "yes")
        let again = try await stand.connector().met(knowing: body) { await $0.body }
        #expect(again.traits == body.traits)
    }

    @Test("after a link that was lost without a goodbye its slot is left alone")
    func slot() async throws {
        let stand = try z6ii.stand("stall after=50000 operation=0x101B")
        let connector = try stand.connector { $0.noProgress = .milliseconds(300) }
        let lost = await ConformanceCheck.failure {
            try await connector.met(knowing: nil) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
            }
        }
        guard case .connectionOver(.lost, _) = lost?.trouble else {
            return #expect(Bool(false), "\(lost.debugDescription)")
        }
        let links = stand.rig.log.value.count { $0.contains("wants to connect") }
        let held = await ConformanceCheck.failure { try await connector.met(knowing: nil) { _ in } }
        guard case .connectionOver(.busy(let sentence), mayBeItsDoing: false) = held?.trouble else {
            return #expect(Bool(false), "\(held.debugDescription)")
        }
        #expect(sentence.contains("holds its one place"))
        #expect(stand.rig.log.value.count { $0.contains("wants to connect") } == links)
    }

    @Test("its slot is held for half a minute after a silence, and not after an end that the body knows of")
    func slotTime() {
        let body = CameraIdentity(manufacturer: "Nikon Corporation", model: "Z 8", body: "1")
        let silent = Ending.hung(silentFor: .seconds(28), over: .nikonGetEventEx)
        let experience = Experience()
        _ = experience.of(body, holdsSlot: true)
        experience.ended(silent, Experience.Lesson(), at: .seconds(100))
        #expect(experience.slotIsHeld(at: .seconds(101)) == .seconds(29))
        #expect(experience.slotIsHeld(at: .seconds(130)) == nil)
        for (holds, ending) in [
            (false, silent), (true, .linkLost(.command, reason: "closed")), (true, .closed),
        ] {
            let other = Experience()
            _ = other.of(body, holdsSlot: holds)
            other.ended(ending, Experience.Lesson(), at: .seconds(100))
            #expect(other.slotIsHeld(at: .seconds(101)) == nil)
        }
    }

    @Test("a body that drops idle clients is asked often enough to keep it")
    func idle() async throws {
        let clock = ManualClock()
        let stand = try d7200.stand(clock: clock)
        let running = Task {
            try await stand.connector(time: clock).met(knowing: nil) { driver in
                try await clock.sleep(until: .seconds(120))
                try await driver.throwIfEnded()
                let count = try await driver.references().count
                #expect(count == 5)
            }
        }
        try await clock.ticking(until: running)
        #expect(clock.now >= .seconds(120))
    }
}

extension ManualClock {
    /// Lets time pass, as far as the next thing that waits for it, until the task is done.
    func ticking<Result: Sendable>(until task: Task<Result, any Error>) async throws -> Result {
        let ticking = Task {
            while !Task.isCancelled {
                await waitForSleepers(1)
                // What is waited for longer is a limit, and what comes in time meets none.
                if let pause = nextDeadline.map({ $0 - now }), pause <= .milliseconds(250) {
                    advance(by: max(.zero, pause))
                }
                await Task.yield()
            }
        }
        defer { ticking.cancel() }
        return try await task.value
    }
}
