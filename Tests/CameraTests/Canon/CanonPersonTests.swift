import Basics
import Bridge
import Camera
import Link
import PTP
import Simulator
import TestSupport
import Testing

/// What the person beside a Canon is told, and how long it stays awake for us.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonPersonTests {
    /// Of a photo of two megabytes; twenty of them drawn from a seed where everything is wanted.
    private static let places: [Int] = {
        var random = Mixer(7)
        let drawn = (0..<20).map { _ in Int.random(in: 0..<2_000_000, using: &random) }
        return [0, 1, 70_000, 1_048_576, 1_999_999] + (Cases.isFull ? drawn : [])
    }()

    private static let known = KnownBody(
        identity: CameraIdentity(manufacturer: "Canon Inc.", model: "Canon EOS R6", body: "1"),
        driver: GenericDriver.name, serial: "1")

    @Test("a body that knows another computer says how its connection is made anew")
    func unknownGUID() async throws {
        let stand = try CanonBody.stand("canon-r6")
        try await stand.connector().met(knowing: nil) { _ in }
        let other = try #require(ClientIdentity(id: String(repeating: "7", count: 32), name: "other"))
        let choice = try #require(DriverChoice("canon"))
        // As the body is known from before, and as the operator says.
        for (known, driver) in [(Self.known, DriverChoice.automatic), (nil, choice)] {
            let failure = await ConformanceCheck.failure {
                try await stand.connector {
                    $0.identity = other
                    $0.driver = driver
                }.met(knowing: known) { _ in }
            }
            #expect(failure?.outcome == .notPermitted)
            #expect(failure?.advice.contains("'Remote control (EOS Utility)'") == true)
            #expect(failure?.advice.contains("'Start pairing'") == true)
            guard case .connectionOver(.needsPerson(let sentence), _) = failure?.trouble else {
                return #expect(Bool(false), "a person is needed")
            }
            #expect(sentence.contains("press OK when its screen shows our name"))
        }
        // It was let in before, and still is.
        try await stand.connector().met(knowing: nil) { _ in }
    }

    @Test("while a person has to press OK, it is said where, and the connection is waited for")
    func waiting() async throws {
        let clock = ManualClock()
        let model = try #require(CameraModel.named("canon-m50"))
        let stand = GenericStand(try Rig("hold-ack for=60s", clock: clock, model: model))
        let sentences = Shared<[String]>([])
        let isOver = Shared(false)
        let connecting = Task {
            defer { isOver.change { $0 = true } }
            try await stand.connector(time: clock).connected(
                knowing: Self.known,
                onStep: { step in
                    if case .waitingForPerson(let sentence) = step {
                        sentences.change { $0.append(sentence) }
                    }
                }, { _ in })
        }
        let ticking = Task {
            // The question has to be said before the clock goes on to the person's answer.
            while !isOver.value {
                await clock.waitForSleepers(2)
                guard !isOver.value else { return }
                clock.advance(by: .milliseconds(500))
                await Task.yield()
            }
        }
        try await connecting.value
        // The loop above may be waiting for two that sleep: these are.
        let last = (0..<2).map { _ in Task { try await clock.sleep(until: .seconds(1 << 40)) } }
        await ticking.value
        for sleeper in last { sleeper.cancel() }
        #expect(clock.now >= .seconds(60))
        #expect(
            sentences.value.contains { $0.contains("press OK on the body") && $0.contains("EOS Utility") })
    }

    @Test(
        "refusals are explained in the words of its menus",
        arguments: ["0x2002", "0xA101", "0xA005"])
    func refusals(code: String) async throws {
        let stand = try CanonBody.stand("canon-r6", "refuse operation=0x1008 code=\(code)", photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let failure = await ConformanceCheck.failure {
                _ = try await driver.describe(PhotoReference(CanonBody.firstPhoto), withRating: false)
            }
            #expect(failure?.trouble == .notNow)
            #expect(failure?.advice.contains("EOS R6") == true)
        }
    }

    @Test("a body whose timer runs out is kept on")
    func keptOn() async throws {
        let stand = try CanonBody.stand("canon-r6", "canon-shutdown after=0s", photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            // Two seconds may not pass before that: it says so as soon as it is asked.
            while !Task.isCancelled, !stand.rig.log.value.contains("kept on") {
                await stand.shoot()
                _ = await changes.next()
            }
        }
        #expect(stand.rig.log.value.contains("will soon switch itself off"))
    }

    @Test("a body that does not want to be kept on is not asked again, and says so once")
    func notKeptOn() async throws {
        let script = "canon-shutdown after=0s\nrefuse operation=0x911D code=0x2005"
        let stand = try CanonBody.stand("canon-r6", script)
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            var remarks: [String] = []
            var photos = 0
            while photos < 50, let change = await changes.next() {
                if case .remark(let sentence) = change { remarks.append(sentence) }
                if case .added = change { photos += 1 }
                if photos > 0 || !remarks.isEmpty { await stand.shoot() }
            }
            #expect(remarks.count == 1 && remarks[0].contains("KeepDeviceOn"), "\(remarks)")
        }
    }

    @Test("what a body tells can be looked at record by record")
    func records() async throws {
        let stand = try CanonBody.stand("canon-r6", "canon-properties count=1")
        let hasShot = Shared(false)
        try await stand.connector().met(knowing: nil) { driver in
            await driver.rawNotices { notice in
                guard notice.name == "ObjectAddedEx64" else {
                    // The settings come first.
                    let isFirst = hasShot.change { hasShot in
                        defer { hasShot = true }
                        return !hasShot
                    }
                    if isFirst { await stand.shoot() }
                    return true
                }
                #expect(notice.code == "0xC1A7" && notice.text.contains("IMG_0001.JPG"))
                #expect(notice.parameters.first == UInt64(CanonBody.firstPhoto.rawValue))
                return false
            }
        }
    }

    @Test("a body that slept is the same one, with the same photos, when it is awake")
    func sleepAndWake() async throws {
        let stand = try CanonBody.stand("canon-80d", photos: 2)
        let before = try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            await stand.switchOff()
            for await _ in driver.changes {}
            return offers
        }
        await stand.rig.camera.powerOn()
        try await stand.connector().met(knowing: nil) { driver in
            let after = try await ConformanceCheck.offers(driver)
            #expect(after == before)
        }
    }

    @Test(
        "a photo whose link is cut anywhere goes on where it stopped",
        arguments: places)
    func cut(at place: Int) async throws {
        let model = try #require(CameraModel.named("canon-r6"))
        let script = "cut after=\(place % (1 << 20)) operation=0x9107 skip=\(place >> 20) times=1"
        let stand = GenericStand(try Rig(script, photos: 1, size: 2_000_000, model: model))
        let photos = try await stand.photos()
        let sink = ArraySink()
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                let offer = try #require(try await ConformanceCheck.offers(driver).first)
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            }
        }
        #expect(ConformanceCheck.mayBeItsDoing(failure))
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await ConformanceCheck.offers(driver).first)
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
        }
        #expect(sink.bytes == photos["IMG_0001.JPG"])
    }
}
