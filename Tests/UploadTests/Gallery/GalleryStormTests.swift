import Basics
import Bridge
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// Everything that may go wrong, in an order that follows from a seed.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GalleryStormTests {
    @Test("whatever goes wrong in whatever order, each photo arrives once or ends as a sentence")
    func storm() async throws {
        var completed = 0
        var given = 0
        for seed in Cases.seeds(full: 1000) {
            let world = try await run(seed)
            let jobs = try world.jobs()
            #expect(
                jobs.allSatisfy {
                    $0.state == .completed || $0.state == .failedPermanent && $0.problem?.isEmpty == false
                }, "seed \(seed): \(jobs)")
            try world.expectLegal("seed \(seed)")
            completed += jobs.count { $0.state == .completed }
            given += jobs.count { $0.state == .failedPermanent }
            await world.stop()
            if !world.gallery.violations.isEmpty || world.isHot { return }
        }
        #expect(completed > given * 5, "\(completed) arrived, \(given) did not")
    }

    private func run(_ seed: UInt64) async throws -> GalleryWorld {
        var random = Seeded(seed)
        let world = try await GalleryWorld(seed: seed) { rules in
            rules.processingTime = .milliseconds(Int64.random(in: 0...20_000, using: &random))
            rules.skew = .seconds(Int64.random(in: -4000...4000, using: &random))
            rules.ignoresChecksums = random.chance(20)
            rules.ignoresIdempotencyKeys = random.chance(10)
            rules.noticesBytes = random.chance(50)
            rules.hasNoDate = rules.skew > .seconds(-200) && rules.skew < .seconds(200) && random.chance(20)
            if random.chance(20) { rules.placeLife = .seconds(Int64.random(in: 1...40, using: &random)) }
            if random.chance(30) {
                rules.uploadTime = .milliseconds(Int64.random(in: 1...30_000, using: &random))
            }
        }
        let weather = Weather(seed: random.next(), percent: Int.random(in: 5...50, using: &random))
        world.wire.plan.change { $0 = { _, call, _ in weather.fault(for: call) } }
        try await world.stage(Int.random(in: 1...5, using: &random))
        try await world.start()
        for _ in 0..<Int.random(in: 5...25, using: &random) {
            try await happen(in: world, &random)
            if random.chance(60) {
                await world.pass(.milliseconds(Int64.random(in: 0...60_000, using: &random)))
            }
        }
        // From here on all is well.
        await world.kill()
        try await world.start()
        world.wire.plan.change { $0 = { _, _, _ in nil } }
        world.gallery.heal()
        world.gallery.change {
            $0.credits = nil
            $0.uploadTime = .zero
            $0.placeLife = .seconds(300)
        }
        world.gallery.setConsent(true, of: world.member)
        try await world.logIn(world.gallery.account())
        world.way(isUp: true)
        world.uploader?.pause(false)
        world.uploader?.tryAgain(world.destination)
        #expect(try await world.finish(atMost: .seconds(7200)), "seed \(seed): \(world.story)")
        return world
    }

    private func happen(in world: GalleryWorld, _ random: inout Seeded) async throws {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<3: try await world.stage(Int.random(in: 1...3, using: &random))
        case 3..<6:
            await world.kill()
            if random.chance(30) { world.clock.advance(by: .seconds(random.chance(50) ? 100 : 2000)) }
            try await world.start(
                dyingAfter: random.chance(50) ? Int.random(in: 0...60, using: &random) : nil)
        case 6:
            await world.stop()
            try await world.start()
        case 7: world.gallery.expireAccessTokens()
        case 8: world.gallery.setConsent(random.chance(50), of: world.member)
        case 9:
            world.gallery.change {
                $0.credits = random.chance(50) ? Int.random(in: 0...3, using: &random) : nil
            }
        case 10: world.way(isUp: random.chance(70))
        case 11: world.uploader?.tryAgain(world.destination)
        case 12: world.uploader?.pause(random.chance(50))
        case 13:
            let codes = ["PROCESSING_TIMEOUT", "STORAGE_ERROR"]
            world.gallery.failProcessing(codes[Int.random(in: 0..<2, using: &random)])
        case 14:
            guard let upload = world.gallery.uploads.randomElement(using: &random) else { return }
            world.gallery.forget(upload.id)
        case 15: world.calendar.set(by: .seconds(Int64.random(in: -100_000...100_000, using: &random)))
        case 16: if random.chance(30) { world.gallery.revoke(world.member) }
        case 17: try await world.logIn(world.gallery.account())
        case 18: world.gallery.change { $0.skew = .seconds(Int64.random(in: -4000...4000, using: &random)) }
        default: await world.pass(.milliseconds(Int64.random(in: 0...300_000, using: &random)))
        }
    }
}
