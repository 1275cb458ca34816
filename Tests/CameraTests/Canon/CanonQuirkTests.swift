import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What Canon bodies were seen to do, each by its name.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonQuirkTests {
    /// The photos that a camera tells of, in the order in which they are told.
    static func told(
        _ count: Int, by changes: CameraChanges.Iterator
    ) async -> [PhotoReference] {
        var told: [PhotoReference] = []
        while told.count < count, let change = await changes.next() {
            if case .added(let reference) = change { told.append(reference) }
        }
        return told
    }

    @Test("thirty shots of RAW and JPEG are told once each, RAW first, and come byte for byte")
    func pairs() async throws {
        let stand = try CanonBody.stand("canon-r6") { $1.hasRawToo = true }
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            for _ in 0..<30 { await stand.shoot() }
            let told = await Self.told(60, by: changes)
            #expect(Set(told).count == 60)
            let expected = (1...30).flatMap { [CanonBody.photo($0, part: .raw), CanonBody.photo($0)] }
            #expect(told == expected.map { PhotoReference($0) })
            let photos = try await stand.photos()
            #expect(photos.keys.contains("IMG_0001.CR3") && photos.keys.contains("IMG_0030.JPG"))
            for reference in told {
                let offer = try #require(try await driver.describe(reference, withRating: false))
                let sink = ArraySink()
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
                #expect(sink.bytes == photos[offer.identity.name])
            }
        }
    }

    @Test("a burst is told shot by shot, and nothing of it twice")
    func burst() async throws {
        let clock = ManualClock()
        let model = try #require(CameraModel.named("canon-80d"))
        let stand = GenericStand(
            try Rig(photos: 0, clock: clock, model: model), farewell: "event mode 0")
        let burst = Task {
            try await stand.connector(time: clock).met(knowing: nil) { driver in
                let changes = driver.changes.makeAsyncIterator()
                return await Self.told(20, by: changes)
            }
        }
        let ticking = Task {
            var shots = 0
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                // The pause until the body is asked again; any other is a limit, and none is met here.
                if let pause = clock.nextDeadline.map({ $0 - clock.now }), pause <= .milliseconds(200) {
                    if shots < 20 {
                        await stand.shoot()
                        shots += 1
                    }
                    clock.advance(by: min(pause, .milliseconds(50)))
                }
                await Task.yield()
            }
        }
        let told = try await burst.value
        ticking.cancel()
        #expect(told == (1...20).map { PhotoReference(CanonBody.photo($0)) })
    }

    @Test(
        "without being told so, no body is put into remote mode: its screen and dials stay the photographer's"
    )
    func noRemoteMode() async throws {
        for model in ["canon-r6", "canon-80d", "canon-m50"] {
            let stand = try CanonBody.stand(model, photos: 1)
            try await stand.connector().met(knowing: nil) { _ in }
            let log = stand.rig.log.value
            #expect(log.contains("event mode 1") && !log.contains { $0.contains("remote mode") })
            #expect(!log.contains { $0.contains("screen is black") })
        }
    }

    @Test(
        "in remote mode a body gets the parameter it wants, and at the end event mode goes off before it",
        arguments: [("canon-r6", 1), ("canon-m50", 0x15)])
    func remoteMode(model: String, parameter: Int) async throws {
        let stand = try CanonBody.stand(model, photos: 1)
        let choice = try #require(DriverChoice("canon:remote"))
        try await stand.connector { $0.driver = choice }.met(knowing: nil) { _ in }
        let modes = stand.rig.log.value.filter { $0.contains(" mode ") }
        #expect(modes == ["remote mode \(parameter)", "event mode 1", "event mode 0", "remote mode 0"])
    }

    @Test("a body that is told to be plain PTP is asked for nothing of Canon's")
    func plain() async throws {
        let stand = try CanonBody.stand("canon-r6", photos: 1)
        try await stand.connector { $0.driver = .generic }.met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(offers.count == 1)
        }
        #expect(!stand.rig.log.value.contains { $0.contains("event mode") })
    }

    @Test("a body of no maker stays with plain PTP, also when it is told to be a Canon, and that is said")
    func noCanon() async throws {
        let stand = GenericStand(try Rig())
        let choice = try #require(DriverChoice("canon"))
        try await stand.connector { $0.driver = choice }.met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(offers.count == 3)
            let first = await driver.changes.makeAsyncIterator().next()
            guard case .remark(let sentence) = first else {
                return #expect(Bool(false), "\(first.debugDescription)")
            }
            #expect(sentence.contains("'canon'") && sentence.contains("plain PTP"))
        }
    }

    @Test("no session is closed, because a body answers 0x2005 to everything afterwards")
    func noCloseSession() async throws {
        let stand = try CanonBody.stand("canon-80d")
        for _ in 0..<2 {
            let body = try await stand.connector().met(knowing: nil) { await $0.body }
            #expect(body.traits["close-session"] == "no")
        }
        #expect(stand.farewells == 2)
    }

    @Test("a body that is busy right after connecting, as a 2000D is, is waited for")
    func busyAtFirst() async throws {
        let stand = try CanonBody.stand("canon-80d", "busy operation=0x9115 times=3", photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            await stand.shoot()
            #expect(await Self.told(1, by: changes) == [PhotoReference(CanonBody.photo(2))])
        }
    }

    @Test("a body that refuses event mode is worked with all the same, and that is said")
    func noEventMode() async throws {
        let stand = try CanonBody.stand("canon-80d", "refuse operation=0x9115 code=0x2005", photos: 2)
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            #expect(offers.count == 2)
            guard case .remark(let sentence) = await driver.changes.makeAsyncIterator().next() else {
                return #expect(Bool(false), "it is said")
            }
            #expect(sentence.contains("SetEventMode") && sentence.contains("listing the card"))
        }
    }

    @Test("an object that is not ready (0xA102) is waited for, described or fetched")
    func notReady() async throws {
        for operation in ["0x1008", "0x9107"] {
            let script = "refuse operation=\(operation) object=\(CanonBody.firstPhoto) code=0xA102 times=2"
            let stand = try CanonBody.stand("canon-r6", script, photos: 1)
            let photos = try await stand.photos()
            try await stand.connector().met(knowing: nil) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                let sink = ArraySink()
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
                #expect(sink.bytes == photos["IMG_0001.JPG"])
            }
        }
    }

    @Test(
        "a photo that is looked at on the body (0x2002) works in a moment, and its parts are no worse for it")
    func lookedAt() async throws {
        let stand = try CanonBody.stand("canon-r6", "refuse operation=0x9107 code=0x2002 times=3", photos: 1)
        let photos = try await stand.photos()
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            for _ in 0..<3 {
                let failed = await ConformanceCheck.failure {
                    try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
                }
                #expect(failed?.trouble == .notNow)
                #expect(failed?.advice.contains("asked for it again") == true)
                #expect(await driver.canResume(offer))
            }
            let sink = ArraySink()
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(sink.bytes == photos["IMG_0001.JPG"])
            #expect(await driver.body.traits["parts"] == nil)
        }
    }

    @Test("settings that flood an answer hide no photo")
    func settingsFlood() async throws {
        let stand = try CanonBody.stand("canon-r6", "canon-properties count=20000")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            for _ in 0..<3 { await stand.shoot() }
            let expected = (1...3).map { PhotoReference(CanonBody.photo($0)) }
            #expect(await Self.told(3, by: changes) == expected)
        }
    }

    @Test("an answer without data, bytes behind its end and records without names lose no photo")
    func oddAnswers() async throws {
        for script in [
            "canon-event-tail bytes=100", "canon-long-names",
            "busy operation=0x9116 times=4", "refuse operation=0x9116 code=0x2002 times=3",
        ] {
            let stand = try CanonBody.stand("canon-r6", script)
            try await stand.connector().met(knowing: nil) { driver in
                let changes = driver.changes.makeAsyncIterator()
                await stand.shoot()
                let told = await Self.told(1, by: changes)
                #expect(told == [PhotoReference(CanonBody.photo(1))], "\(script)")
                let offer = try await driver.describe(told[0], withRating: false)
                #expect(offer?.identity.name == "IMG_0001.JPG")
            }
        }
    }

    @Test("answers without data cost what they would have told, and nothing of what comes later")
    func answersWithoutData() async throws {
        let stand = try CanonBody.stand("canon-r6", "no-data-phase operation=0x9116 times=5")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            let shooting = Task {
                while !Task.isCancelled {
                    await stand.shoot()
                    _ = try await driver.references()
                }
            }
            #expect(await Self.told(1, by: changes).count == 1)
            shooting.cancel()
            _ = await shooting.result
        }
    }

    @Test("no shutter is released from here, which locks an M200 for good")
    func noShutter() async throws {
        let stand = try CanonBody.stand("canon-m50", "canon-locks")
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            for number in 1...3 {
                await stand.shoot()
                #expect(await Self.told(1, by: changes) == [PhotoReference(CanonBody.photo(number))])
            }
            let offers = try await ConformanceCheck.offers(driver)
            #expect(offers.count == 3)
        }
    }

    @Test(
        "a body that freezes while it is asked for its events, as a 5DS R does, is known within half a minute"
    )
    func freezes() async throws {
        let clock = ManualClock()
        let model = try #require(CameraModel.named("canon-80d"))
        let stand = GenericStand(
            try Rig("hang operation=0x9116 skip=4", photos: 1, clock: clock, model: model))
        let frozenAt = Shared<Duration?>(nil)
        let ticking = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                let isFrozen = stand.rig.log.value.contains("hanging")
                if isFrozen, frozenAt.value == nil { frozenAt.change { $0 = clock.now } }
                // Before that only the pauses between two questions pass.
                if let pause = clock.nextDeadline.map({ $0 - clock.now }),
                    isFrozen || pause <= .milliseconds(200)
                {
                    clock.advance(by: pause)
                }
                await Task.yield()
            }
        }
        let failure = await ConformanceCheck.failure {
            try await stand.connector(time: clock).met(knowing: nil) { driver in
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        ticking.cancel()
        guard case .connectionOver = failure?.trouble, let frozen = frozenAt.value else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(clock.now - frozen <= .seconds(30))
    }
}
