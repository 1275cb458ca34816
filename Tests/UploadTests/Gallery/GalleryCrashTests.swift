import Basics
import Bridge
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// kill -9 before and after each thing that a bridge does to the world.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GalleryCrashTests {
    /// What goes wrong meanwhile, besides.
    struct Scenario: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var rules = ModelGallery.Rules()
        var photos = 3
        var faults: [(call: ModelCall?, fault: ModelFault)] = []
        var hasOldTokens = false
        var processingFailures = 0
    }

    static let scenarios: [Scenario] = [
        Scenario(testDescription: "all well"),
        Scenario(
            testDescription: "an answer to the bytes lost, and a refused place",
            faults: [(.put, .lostReply), (.put, .status(403))]),
        Scenario(
            testDescription: "the answer that gave a place lost, and bytes that never came",
            faults: [(.presign, .lostReply), (.put, .lostRequestAfterBody)]),
        Scenario(testDescription: "tokens that ended", hasOldTokens: true),
        Scenario(
            testDescription: "tokens that ended, and the answer that brought new ones lost",
            faults: [(.refresh, .lostReply)], hasOldTokens: true),
        Scenario(
            testDescription: "a gallery that takes a while",
            rules: {
                var rules = ModelGallery.Rules()
                rules.processingTime = .seconds(5)
                return rules
            }()),
        Scenario(
            testDescription: "places that do not last until the next start",
            rules: {
                var rules = ModelGallery.Rules()
                rules.placeLife = .seconds(2)
                return rules
            }(), faults: [(.put, .status(503))]),
        Scenario(testDescription: "processing that fails once", processingFailures: 1),
        Scenario(
            testDescription: "a gallery that forgets which key it has seen",
            rules: {
                var rules = ModelGallery.Rules()
                rules.ignoresIdempotencyKeys = true
                return rules
            }(), faults: [(.presign, .lostReply), (.put, .lostReply)]),
    ]

    private func world(_ scenario: Scenario) async throws -> GalleryWorld {
        let world = try await GalleryWorld { $0 = scenario.rules }
        try await world.stage(scenario.photos)
        for (call, fault) in scenario.faults { world.gallery.fail(call, fault) }
        if scenario.processingFailures > 0 {
            world.gallery.failProcessing("STORAGE_ERROR", times: scenario.processingFailures)
        }
        if scenario.hasOldTokens { world.gallery.expireAccessTokens() }
        return world
    }

    @Test(
        "killed after any of its effects, the next start ends with each photo there once",
        arguments: scenarios)
    func everyPoint(_ scenario: Scenario) async throws {
        let whole = try await world(scenario)
        try await whole.start()
        #expect(try await whole.finish())
        let effects = whole.effects
        await whole.stop()
        #expect(effects > 20)
        let step = Cases.isFull ? 1 : 3
        for point in stride(from: 0, to: effects, by: step) {
            let world = try await world(scenario)
            try await world.start(dyingAfter: point)
            await world.pass(atMost: .seconds(600)) { world.isDead }
            #expect(world.isDead, "point \(point)")
            await world.kill()
            // The next start is a while later, and nothing lives but the disk and the gallery.
            world.clock.advance(by: .seconds(point % 3 == 0 ? 1 : point % 3 == 1 ? 100 : 500))
            try await world.start()
            #expect(try await world.finish(), "point \(point): \(world.story)")
            try expect(world, scenario, point)
            await world.stop()
            #expect(try await world.ledger.rescueJobs() == 0)
        }
    }

    @Test("killed again and again, each time a little further on")
    func again() async throws {
        for (index, scenario) in Self.scenarios.enumerated() {
            let world = try await world(scenario)
            var kills = 0
            for life in 3..<40 {
                try await world.start(dyingAfter: life)
                let isDone = try await world.pass(atMost: .seconds(600)) {
                    try world.isDead || world.jobs().allSatisfy { $0.state == .completed }
                }
                #expect(isDone, "scenario \(index)")
                kills += world.isDead ? 1 : 0
                await world.kill()
            }
            #expect(kills > 3)
            try await world.start()
            #expect(try await world.finish())
            try expect(world, scenario, -1)
            await world.stop()
        }
    }

    private func expect(_ world: GalleryWorld, _ scenario: Scenario, _ point: Int) throws {
        let jobs = try world.jobs()
        #expect(jobs.allSatisfy { $0.state == .completed && $0.receipt != nil }, "point \(point): \(jobs)")
        #expect(jobs.map(\.attempts).reduce(0, +) <= scenario.processingFailures, "point \(point)")
        #expect(world.gallery.photos.count == scenario.photos, "point \(point)")
        try world.expectLegal("\(scenario.testDescription), point \(point)")
        // The same key is the same upload, however often it was begun.
        if !scenario.rules.ignoresIdempotencyKeys {
            #expect(world.gallery.uploads.count == scenario.photos, "point \(point)")
        }
    }
}
