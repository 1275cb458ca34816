import Bridge
import Camera
import PTP
import Posix
import Simulator
import TestSupport
import Testing

/// A camera whose firmware hangs while its system goes on acknowledging what comes: how long it takes until that is known,
/// and that a slow one is not taken for it. Time is only what the test says.
@Suite struct HangTests {
    @Sendable static func survey(_ driver: any CameraDriver) async throws {
        #expect(try await driver.survey(SurveyOptions(), onDescribed: {}).offers.count == 3)
    }

    static func expectHang(_ failure: CameraFailure?, silentFor seconds: Int) {
        guard case .connectionOver(.lost(let sentence), mayBeItsDoing: true) = failure?.trouble else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(failure?.camera == "rig")
        #expect(sentence.contains("has said nothing for \(seconds) s"))
        #expect(sentence.contains("switch it off and on"))
    }

    // MARK: Noticed

    @Test("while idle: one question of 9 s, and one that has what is left of 28 s, up to 14")
    func idle() async throws {
        let scene = try HangScene("hang operation=0x1004 skip=2")
        let met = try await scene.met { driver in
            try await Self.survey(driver)
            try await driver.keepAlive()
            let first = await #expect(throws: CameraFailure.self) { try await driver.keepAlive() }
            #expect(first?.trouble == .unanswered)
            try await driver.keepAlive()
        }
        #expect(met.time == .seconds(23))
        Self.expectHang(met.failure, silentFor: 23)
    }

    @Test(
        "in the middle of a list, whichever it is: 25 s where the body answers probes, 29 s where its lists are known",
        arguments: [0, 1], ["", "ignore-probes"])
    func inList(skip: Int, probes: String) async throws {
        let scene = try HangScene("hang operation=0x1007 skip=\(skip + 1)\n" + probes)
        // A card was listed before, in a second.
        _ = try await scene.met { try await Self.survey($0) }
        let met = try await scene.met(knowing: scene.left.value) { driver in
            try await Self.survey(driver)
            let unanswered = await #expect(throws: CameraFailure.self) { _ = try await driver.references() }
            if let unanswered, unanswered.trouble != .unanswered { throw unanswered }
            try await driver.keepAlive()
        }
        #expect(met.time == (probes.isEmpty ? .seconds(25) : .seconds(29)))
        Self.expectHang(met.failure, silentFor: probes.isEmpty ? 25 : 29)
    }

    @Test("in the first list of a body that was never met, where it answers probes: 25 s")
    func inFirstList() async throws {
        let scene = try HangScene("hang operation=0x1007")
        let met = try await scene.met { try await Self.survey($0) }
        #expect(met.time == .seconds(25))
        Self.expectHang(met.failure, silentFor: 25)
    }

    @Test("among the objects of a card: two questions")
    func inDescriptions() async throws {
        let scene = try HangScene("hang operation=0x1008 skip=2")
        let met = try await scene.met { try await Self.survey($0) }
        #expect(met.time == .seconds(20))
        Self.expectHang(met.failure, silentFor: 20)
        #expect(met.failure?.object != nil)
    }

    @Test("in a photo: after its 20 s")
    func inPhoto() async throws {
        let scene = try HangScene("hang operation=0x1009 skip=1")
        let bytes = Shared(0)
        let met = try await scene.met { [workers = scene.stand.workers] driver in
            let offers = try await ConformanceCheck.offers(driver)
            for offer in offers {
                let sink = ArraySink()
                defer { bytes.change { $0 += sink.bytes.count } }
                _ = try await driver.fetch(offer, from: 0, into: FetchOptions(into: sink, workers: workers))
            }
        }
        #expect(met.time == .seconds(20))
        #expect(bytes.value == 200_000)
        #expect(met.failure?.reason == "not a byte of the photo came for 20.0 seconds")
    }

    @Test("while idle, after the quiet that is usual: 28 s from when it hangs")
    func idleAndQuiet() async throws {
        let scene = try HangScene("hang operation=0x1004 skip=1")
        let met = try await scene.met { [clock = scene.clock] driver in
            try await Self.survey(driver)
            try await clock.sleep(until: clock.now + .seconds(5))
            await #expect(throws: CameraFailure.self) { try await driver.keepAlive() }
            try await driver.keepAlive()
        }
        #expect(met.time == .seconds(28))
        Self.expectHang(met.failure, silentFor: 28)
    }

    // MARK: Not taken for it

    @Test(
        "a body that is blocked for 22 s while idle, and for 35 where it answers probes meanwhile",
        arguments: [(22, "ignore-probes"), (22, ""), (35, "")])
    func blocked(seconds: Int, probes: String) async throws {
        let scene = try HangScene("stall after=0 for=\(seconds)s operation=0x1004 skip=1 times=1\n" + probes)
        let met = try await scene.met { [clock = scene.clock] driver in
            try await Self.survey(driver)
            try await clock.sleep(until: clock.now + .seconds(5))
            let first = await #expect(throws: CameraFailure.self) { try await driver.keepAlive() }
            #expect(first?.trouble == .unanswered)
            try await driver.keepAlive()
        }
        #expect(met.failure == nil)
    }

    @Test("a body that answers every question for its storages after 12 s is listed, and asked for photos")
    func lateStorages() async throws {
        let scene = try HangScene("stall after=0 for=12s operation=0x1004\nignore-probes")
        let met = try await scene.met { [clock = scene.clock] driver in
            try await Self.survey(driver)
            for _ in 0..<5 {
                try await clock.sleep(until: clock.now + .seconds(5))
                #expect(try await !driver.references().isEmpty)
            }
        }
        #expect(met.failure == nil)
    }

    @Test(
        "a body that lists for 100 s is waited for at its first list, with probes and without",
        arguments: ["", "ignore-probes"])
    func slowList(probes: String) async throws {
        let scene = try HangScene("stall after=0 for=100s operation=0x1007\n" + probes)
        for _ in 0..<2 {
            let met = try await scene.met(knowing: scene.left.value) { try await Self.survey($0) }
            #expect(met.failure == nil && met.time == .seconds(100))
        }
        #expect(scene.left.value?.traits["list-seconds"] == "120")
    }

    @Test("a photo of which something comes every 13 s comes whole")
    func trickle() async throws {
        let scene = try HangScene("", photos: 1, size: 2_000_000, rate: 20_000)
        let sink = ArraySink()
        let met = try await scene.met { [workers = scene.stand.workers] driver in
            let offers = try await ConformanceCheck.offers(driver)
            _ = try await driver.fetch(offers[0], from: 0, into: FetchOptions(into: sink, workers: workers))
        }
        #expect(met.failure == nil && sink.bytes.count == 2_000_000)
        #expect(met.time > .seconds(80))
    }

    @Test("and one whose card is fuller than it was is left once at most")
    func fullerCard() async throws {
        let scene = try HangScene("stall after=0 for=100s operation=0x1007 skip=1\nignore-probes")
        _ = try await scene.met { try await Self.survey($0) }
        let cut = try await scene.met(knowing: scene.left.value) { try await Self.survey($0) }
        Self.expectHang(cut.failure, silentFor: 29)
        let listed = try await scene.met(knowing: scene.left.value) { try await Self.survey($0) }
        #expect(listed.failure == nil)
    }

    @Test("a body that answers probes only between lists is left for that once, and has all its time then")
    func deafInLists() async throws {
        let scene = try HangScene("stall after=0 for=100s operation=0x1007\nignore-probes when=asked")
        let cut = try await scene.met { try await Self.survey($0) }
        Self.expectHang(cut.failure, silentFor: 25)
        for _ in 0..<2 {
            let listed = try await scene.met(knowing: scene.left.value) { try await Self.survey($0) }
            #expect(listed.failure == nil)
            #expect(scene.left.value?.traits["answers-probes-in-calls"] == "no")
        }
    }

    @Test("a body that answers no probes, and none at all, is idle for an hour")
    func noProbes() async throws {
        let scene = try HangScene("ignore-probes")
        let met = try await scene.met { [clock = scene.clock] driver in
            try await Self.survey(driver)
            for _ in 0..<100 {
                try await clock.sleep(until: clock.now + .seconds(36))
                try await driver.keepAlive()
            }
        }
        #expect(met.failure == nil && met.time == .seconds(3600))
    }
}
