import Basics
import Bridge
import Link
import PTP
import Simulator
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// One evening from a seed: cameras with faults of their own on links that break, a bridge that is killed and started
/// again, an uplink with weather; then everything is well, and every photo has to be in the gallery.
final class Evening {
    let seed: UInt64
    let world: GalleryWorld
    private var random: Seeded
    private let weather: Weather
    /// Photos that no bridge can get.
    private(set) var bad: Set<String> = []
    private(set) var scripts: [String] = []
    private var isRunning = false

    init(_ seed: UInt64, on turns: TurnExecutor) async throws {
        self.seed = seed
        var random = Seeded(seed)
        world = try await GalleryWorld(seed: seed, on: turns) { rules in
            rules.processingTime = .milliseconds(Int64.random(in: 0...20_000, using: &random))
            rules.ignoresChecksums = random.chance(20)
            rules.noticesBytes = random.chance(50)
        }
        weather = Weather(seed: random.next(), percent: Int.random(in: 0...30, using: &random))
        self.random = random
        // Hours pass in which nothing happens.
        world.transferSettings.listAgain = .seconds(60)
        for _ in 0..<(random.chance(40) ? 2 : 1) { try await addCamera() }
        world.wire.plan.change { [weather] in $0 = { _, call, _ in weather.fault(for: call) } }
    }

    private func addCamera() async throws {
        let photos = Int.random(in: 0...6, using: &random)
        let faults = EveningFaults(seed: random.next(), photos: photos)
        scripts.append(faults.script.joined(separator: "\n"))
        let seed = random.next()
        let size = UInt64(Int.random(in: 8_000...40_000, using: &random))
        let added = try await world.add(scripts[scripts.count - 1], photos: photos) { card, _ in
            card.seed = seed
            card.photoSize = size
        }
        if let place = faults.poisoned {
            bad.insert("\(added.name) \(await added.camera.photos()[place].name)")
        }
        breakLinks(of: added, seed: random.next())
    }

    /// The first links of a camera break somewhere, if they do.
    private func breakLinks(of camera: EveningCamera, seed: UInt64) {
        let isBad = random.chance(50)
        let badLinks = Int.random(in: 1...6, using: &random)
        camera.stand.plan.change {
            $0 = { connection, channel in
                var plan = FaultPlan()
                guard isBad, connection <= badLinks else { return plan }
                var random = Seeded(seed &+ UInt64(connection) &* 2 &+ (channel == .command ? 0 : 1))
                let fault: [FaultPlan.Fault] = [
                    .end, .reset, .silence,
                    .pause(.milliseconds(Int64.random(in: 1...60_000, using: &random))),
                ]
                let after = Int.random(in: 0...(channel == .command ? 100_000 : 200), using: &random)
                let found = fault[Int.random(in: 0..<fault.count, using: &random)]
                if random.chance(70) { plan.receiving.faults = [(after: after, fault: found)] }
                if random.chance(20) { plan.sending.faults = [(after: after / 50, fault: found)] }
                if random.chance(20) { plan.receiving.longestMove = Int.random(in: 1...3000, using: &random) }
                return plan
            }
        }
    }

    // MARK: What happens

    func rage() async throws {
        try await start()
        for _ in 0..<Int.random(in: 5...25, using: &random) {
            try await happen()
            if random.chance(60) {
                await world.pass(.milliseconds(Int64.random(in: 0...30_000, using: &random)))
            }
        }
    }

    private func start() async throws {
        try await world.start(dyingAfter: random.chance(30) ? Int.random(in: 0...150, using: &random) : nil)
        isRunning = true
    }

    private func happen() async throws {
        let camera = world.cameras[Int.random(in: 0..<world.cameras.count, using: &random)]
        let what = Int.random(in: 0..<20, using: &random)
        switch what {
        case 0..<7:
            for _ in 0..<Int.random(in: 1...3, using: &random) { try await world.shoot(camera) }
        case 7..<10:
            await world.kill()
            if random.chance(30) { await world.pass(.seconds(Int64.random(in: 1...2000, using: &random))) }
            try await start()
        case 10:
            await world.stop()
            try await start()
        case 11: await camera.camera.powerOff()
        case 12, 13: await camera.camera.powerOn()
        case 14: await camera.camera.pullCard()
        case 15, 16: await camera.camera.insertCard()
        case 17: world.way(isUp: random.chance(60))
        case 18: world.calendar.set(by: .seconds(Int64.random(in: -1000...1000, using: &random)))
        default: await world.pass(.milliseconds(Int64.random(in: 0...300_000, using: &random)))
        }
    }

    /// From here on all is well. An evening has hours left, and an operator who tries again what was given up.
    func heal() async throws -> Bool {
        await world.kill()
        for camera in world.cameras {
            await camera.camera.powerOn()
            await camera.camera.insertCard()
            camera.stand.plan.change { $0 = { _, _ in FaultPlan() } }
        }
        world.wire.plan.change { $0 = { _, _, _ in nil } }
        world.gallery.heal()
        try await world.start()
        world.way(isUp: true)
        for _ in 0..<4 {
            if try await world.pass(atMost: .seconds(7200), until: { try isOver }) { return true }
            if world.isHot { return false }
            try await retryFailedJobs()
        }
        return false
    }

    private var isOver: Bool {
        get throws { try world.isAllThere(but: bad) && world.jobs().allSatisfy { $0.state == .completed } }
    }

    private func retryFailedJobs() async throws {
        let failed = try world.jobs().filter { $0.state == .failedPermanent }.map(\.id)
        guard !failed.isEmpty else { return }
        _ = try await world.ledger.retry(failed)
        world.uploader?.lookAgain()
    }

    // MARK: What has to be true

    func expectWell() throws {
        let name = Comment(rawValue: "seed \(seed), \(scripts)")
        try world.expectLegal(name)
        #expect(world.fetchedAgain.isEmpty, name)
        #expect(world.neverShot == [], name)
        // Nothing is fetched a second time under another row, and nothing is left behind but what no bridge can get.
        for row in try world.captures() where row.state != .staged {
            // Not every camera says a number of its own.
            let camera = row.camera.flatMap { Int($0.body) }.map { "camera \($0)" } ?? ""
            let file = row.path.split(separator: "/").last ?? ""
            #expect(bad.contains { $0.hasPrefix(camera) && $0.hasSuffix(" \(file)") }, "\(row), \(name)")
        }
    }
}
