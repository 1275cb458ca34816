import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What is particular about Sony bodies, each by itself.
@Suite struct SonyQuirkTests {
    private func camera(_ script: String, model: String = "sony-a7m4") -> SonyCamera {
        SonyCamera(model: model, script: script)
    }

    /// Connects, takes so many photos, and gives what came.
    private func taken(_ count: Int, from stand: GenericStand) async throws -> [HandedOver] {
        let taken = try await stand.connector().met(knowing: nil) { try await stand.take(count, from: $0) }
        let photos = try await stand.photos()
        for photo in taken { #expect(photo.bytes == photos[photo.name]) }
        #expect(stand.complaints.isEmpty)
        return taken
    }

    // MARK: The greeting

    @Test("a body that has no data for 0x9202 yet is asked until it has", arguments: SonyCamera.models)
    func emptyInfo(model: String) async throws {
        let stand = try await camera("sony-empty-info times=3", model: model).make(photos: 1)
        #expect(try await taken(1, from: stand).count == 1)
    }

    @Test("a body that does not know the newer rules is asked for the older ones")
    func olderRules() async throws {
        let stand = try await camera("refuse operation=0x9202 code=0xA104 times=1").make(photos: 1)
        #expect(try await taken(1, from: stand).count == 1)
    }

    @Test("one that is never ready is left within half a minute, with what to do on it")
    func neverReady() async throws {
        let stand = try await camera("sony-empty-info").make()
        let clock = ManualClock()
        let meeting = Task {
            await ConformanceCheck.failure {
                try await stand.connector(time: clock).met(knowing: nil) { _ in }
            }
        }
        let ticking = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                // Pauses pass; what is waited for longer is a limit, and the body answers everything.
                if let pause = clock.nextDeadline.map({ $0 - clock.now }), pause <= .milliseconds(400) {
                    clock.advance(by: pause)
                }
                await Task.yield()
            }
        }
        let failure = await meeting.value
        ticking.cancel()
        #expect(clock.now >= .seconds(29) && clock.now < .seconds(32))
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("30") && reason.contains("PC Remote"))
    }

    @Test("an operation that the body does not list is not sent, whatever is asked of the driver")
    func onlyListed() async throws {
        let stand = try await camera("").make(photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            for attempt in 0..<3 {
                let failure = await ConformanceCheck.failure {
                    switch attempt {
                    case 0: try await driver.delete(offer.reference)
                    case 1: _ = try await driver.thumbnail(offer.reference)
                    default: _ = try await driver.bytes(of: offer, 0..<10, noProgress: nil)
                    }
                }
                #expect(failure?.trouble == .never)
            }
            _ = try await driver.facts()
            _ = try await driver.clock()
            #expect(try await driver.stableID(of: offer) == nil)
            #expect(await driver.canResume(offer) == false)
        }
        #expect(stand.complaints.isEmpty)
    }

    // MARK: The memory

    @Test("nothing is asked of a photo that is not ready", arguments: SonyCamera.models)
    func notReady(model: String) async throws {
        let stand = try await camera("not-ready for=400ms", model: model).make(photos: 3)
        #expect(try await taken(3, from: stand).count == 3)
    }

    @Test(
        "a RAW that comes behind a JPEG under one notice is found all the same", arguments: SonyCamera.models)
    func pairAsOne(model: String) async throws {
        let stand = try await camera("sony-pair-as-one", model: model).make(photos: 3) { $1.hasRawToo = true }
        let taken = try await taken(6, from: stand)
        #expect(taken.map(\.offer.sequence) == [1, 1, 2, 2, 3, 3])
        #expect(taken.map(\.offer.identity.kind) == [.picture, .raw, .picture, .raw, .picture, .raw])
    }

    @Test(
        "a body that tells nothing by itself, or everything twice, gives each photo once",
        arguments: ["sony-silent", "duplicate-notices"])
    func notices(script: String) async throws {
        let stand = try await camera(script).make()
        let taken = try await stand.connector().met(knowing: nil) { driver in
            async let shooting: Void = {
                for _ in 0..<4 { await stand.shoot() }
            }()
            let taken = try await stand.take(4, from: driver)
            await shooting
            #expect(try await driver.references().isEmpty)
            return taken
        }
        #expect(taken.map(\.name) == (1...4).map { "DSC0000\($0).JPG" })
    }

    @Test("names with an underscore are names")
    func adobeRGB() async throws {
        let stand = try await camera("sony-adobe-rgb").make(photos: 1)
        #expect(try await taken(1, from: stand).map(\.name) == ["_DSC0001.JPG"])
    }

    @Test("the next photo is not asked for before the last one is durable")
    func durableFirst() async throws {
        let stand = try await camera("").make(photos: 2)
        try await stand.connector().met(knowing: nil) { driver in
            let first = try #require(try await stand.nextOffer(driver))
            try await ConformanceCheck.fetch(first, driver, into: ArraySink(), stand)
            // It has been given away; the body has said that there is another one.
            for _ in 0..<5 { try await driver.keepAlive() }
            #expect(try await driver.references().isEmpty)
            let again = await ConformanceCheck.failure {
                _ = try await driver.describe(first.reference, withRating: false)
            }
            #expect(again?.trouble == .gone)
            try await driver.release(first)
            let second = try #require(try await stand.nextOffer(driver))
            #expect(second.identity.name == "DSC00002.JPG" && second.reference != first.reference)
        }
    }

    @Test("what is not wanted is read and thrown away, and the next one comes")
    func unwanted() async throws {
        let stand = try await camera("").make(photos: 2) { $1.hasRawToo = true }
        let raws = try await stand.connector().met(knowing: nil) { driver in
            var raws: [String] = []
            while raws.count < 2, let offer = try await stand.nextOffer(driver) {
                if offer.identity.kind == .raw {
                    try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
                    raws.append(offer.identity.name)
                }
                try await driver.release(offer)
            }
            return raws
        }
        #expect(raws == ["DSC00001.ARW", "DSC00002.ARW"])
    }

    @Test("a photo that is refused costs nothing but time")
    func refused() async throws {
        let stand = try await camera("refuse operation=0x1009 code=0x2002 times=1").make(photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            let failure = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
            }
            #expect(failure?.trouble == .notNow && failure?.sentence.contains("DSC00001.JPG") == true)
            let sink = ArraySink()
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            #expect(try await sink.bytes == stand.photos()["DSC00001.JPG"])
        }
    }

    // MARK: Cuts

    @Test(
        "a cut says what was lost and where it still is, and the others come in the next connection",
        arguments: ["both", "host"], [0, 1, 7_777, 19_999])
    func cut(saves: String, after: Int) async throws {
        let stand = try await camera("sony-saves to=\(saves)\ncut after=\(after) operation=0x1009 times=1")
            .make(photos: 2)
        let sink = ArraySink()
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                let offer = try #require(try await stand.nextOffer(driver))
                try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            }
        }
        let photos = try await stand.photos()
        #expect(try sink.bytes == Array(#require(photos["DSC00001.JPG"]).prefix(after)))
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: true) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("DSC00001.JPG: only \(after) of 20000 bytes came"))
        #expect(reason.contains("still on the card in the camera") == (saves == "both"))
        #expect(reason.contains("there is no copy on a card") == (saves == "host"))
        ConformanceCheck.expectSentences(failure)
        let rest = try await taken(1, from: stand)
        #expect(rest.map(\.name) == ["DSC00002.JPG"])
    }

    @Test("a body that still has what broke off gives it again, under its own name")
    func keepsCut() async throws {
        let stand = try await camera("sony-keeps-cut").make(photos: 1, size: 8 << 20)
        let sink = ArraySink()
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            let full = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(limit: 10), stand)
            }
            #expect(full?.trouble == .taker)
            let again = try #require(try await stand.nextOffer(driver))
            #expect(again == offer)
            try await ConformanceCheck.fetch(again, driver, into: sink, stand)
            try await driver.release(again)
        }
        #expect(try await sink.bytes == stand.photos()["DSC00001.JPG"])
    }

    // MARK: The connection

    @Test(
        "a body that hangs up on clients that ask nothing is asked often enough",
        .enabled(if: Cases.isFull, "it takes seconds, and the queue's pace is tested by itself"),
        arguments: SonyCamera.models)
    func keepsAlive(model: String) async throws {
        let stand = try await camera("sleep after=4s", model: model).make { settings, _ in
            (settings.shots, settings.interval) = (1, .seconds(7))
        }
        // Twice as long as it bears to be asked nothing.
        #expect(try await taken(1, from: stand).count == 1)
    }

    @Test("it is answered on the command link as well, where it asks there whether we are there")
    func probes() async throws {
        let stand = try await camera("probe-on-command every=50ms within=200ms").make { settings, _ in
            (settings.shots, settings.interval) = (3, .milliseconds(300))
        }
        #expect(try await taken(3, from: stand).count == 3)
    }

    @Test("a body that refuses everything is left, because it does not recover in this connection")
    func poisoned() async throws {
        let stand = try await camera("refuse operation=0x9209 code=0x2002 skip=3").make()
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                while true { try await driver.keepAlive() }
            }
        }
        guard case .connectionOver(.lost(let reason), mayBeItsDoing: false) = failure?.trouble else {
            return #expect(Bool(false), "\(failure.debugDescription)")
        }
        #expect(reason.contains("refuses everything"))
    }
}

extension SonyQuirkTests {
    @Test("what a person can do on a Sony is said in its menus' words")
    func words() async throws {
        let refused = try await SonyCamera(model: "sony-a7m4", script: "init-fail reason=1").make()
        let known = KnownBody(
            identity: CameraIdentity(manufacturer: "Sony Corporation", model: "ILCE-7M4", body: "1"),
            driver: "generic")
        let unknown = await ConformanceCheck.failure {
            try await refused.connector().met(knowing: known) { _ in }
        }
        #expect(unknown?.advice.contains("PC Remote") == true && unknown?.advice.contains("GUID") == true)
        let stand = try await SonyCamera(model: "sony-a7m4", script: "refuse operation=0x1009 code=0xA106")
            .make(photos: 1)
        try await stand.connector().met(knowing: nil) { driver in
            let offer = try #require(try await stand.nextOffer(driver))
            let failure = await ConformanceCheck.failure {
                try await ConformanceCheck.fetch(offer, driver, into: ArraySink(), stand)
            }
            #expect(failure?.reason.contains("CameraStatusError") == true)
            #expect(failure?.advice.contains("leave its menu") == true)
        }
    }
}
