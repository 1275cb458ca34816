import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// What is promised of photos that are removed: only those that every destination has, whatever happens and whenever.
@Suite struct SpoolKeeperCrashTests {
    /// Ends of jobs that this draws from.
    enum Fate: CaseIterable {
        case completed
        case cancelled
        case failed
        case retryable
        case uploading
        case waiting
    }

    /// A few photos for two destinations, each job with a fate of its own.
    func meet(_ ground: KeeperGround, _ random: inout Seeded) async throws {
        for number in 1...6 { _ = try await ground.stage(number) }
        let ledger = ground.ledger.ledger
        for destination in ground.destinations {
            for job in try await ledger.claim(100, to: destination) {
                let likely = random.chance(50) ? Fate.completed : .cancelled
                let fate =
                    random.chance(60) ? likely : Fate.allCases.randomElement(using: &random) ?? .waiting
                ground.ledger.wall.go(.seconds(Int64.random(in: -5...20, using: &random)))
                try await end(job, as: fate, ground)
            }
        }
    }

    private func end(_ job: Job, as fate: Fate, _ ground: KeeperGround) async throws {
        let ledger = ground.ledger.ledger
        func change(_ from: JobState, _ to: JobState, cancelled: Bool = false) async throws {
            var change = JobChange(
                job.id, from: from, to: to, attempts: 0, due: ground.ledger.wall.wallNow, problem: "so")
            change.isCancelled = cancelled
            try await ledger.save(change)
        }
        switch fate {
        case .completed: try await ground.ledger.complete(job)
        case .waiting: break
        case .uploading: try await change(.staged, .uploading)
        case .failed: try await change(.staged, .failedPermanent)
        case .cancelled: try await change(.staged, .failedPermanent, cancelled: true)
        case .retryable:
            try await change(.staged, .uploading)
            try await change(.uploading, .failedRetryable)
        }
    }

    /// Photos of which a job is open, or that no destination has.
    func needed(_ ground: LedgerGround) throws -> Set<Int64> {
        Set(
            try LedgerReader(path: ground.path).database.all(
                """
                SELECT id FROM captures WHERE state = 'staged' AND (EXISTS (SELECT 1 FROM upload_jobs
                        WHERE capture_id = captures.id AND state <> 'completed' AND cancelled = 0)
                    OR NOT EXISTS (SELECT 1 FROM upload_jobs
                        WHERE capture_id = captures.id AND state = 'completed'))
                """
            ) { row in try row.get(0, as: Int64.self) })
    }

    func wishes() -> [Retention] { [.atOnce, .after(.seconds(10)), .untilSpaceIsShort, .always] }

    @Test(
        "a photo of which anything is open stays, whatever state its jobs are in",
        arguments: Cases.seeds(full: 300))
    func property(seed: UInt64) async throws {
        var random = Seeded(seed)
        var options = ForgetfulDisk.Options()
        options.capacity = 6 * 300 + UInt64.random(in: 0...2000, using: &random)
        let ground = try await KeeperGround(options, destinations: 2)
        try await meet(ground, &random)
        for wish in wishes() {
            let keeper = ground.keeper(wish, reserve: 500)
            let before = Set(try ground.files())
            _ = await keeper.look(wanting: UInt64.random(in: 0...1000, using: &random))
            let after = Set(try ground.files())
            #expect(try needed(ground.ledger).isSubset(of: after), "\(wish), seed \(seed)")
            if wish == .always { #expect(after == before) }
            // The operator wants some of them again: of those that are there that works, of the others it does not.
            let failed: [JobID] = try LedgerReader(path: ground.ledger.path).database.all(
                "SELECT id FROM upload_jobs WHERE state = 'failedPermanent' AND cancelled = 0"
            ) { try $0.get(0) }
            _ = try await ground.ledger.ledger.retry(Array(failed.prefix(1)))
        }
        _ = await ground.keeper(.atOnce).look()
        #expect(Set(try ground.files()) == (try needed(ground.ledger)), "seed \(seed)")
        #expect(!ground.events.value.contains { if case .held = $0 { true } else { false } })
    }

    @Test(
        "after a crash at any side effect the next start brings rows and files together, and loses nothing that is open"
    )
    func crash() async throws {
        var random = Seeded(7)
        let ground = try await KeeperGround(destinations: 2)
        try await meet(ground, &random)
        let calm = ground.disk.restarted()
        let rehearsal = try await LedgerGround(folder: try ground.ledger.copy(), seed: 2)
        _ = await ground.keeper(.atOnce, on: calm, ledger: rehearsal.ledger).look()
        #expect(calm.effects.contains(.remove) && calm.effects.contains(.folderSync))
        let needed = try needed(ground.ledger)
        #expect(!needed.isEmpty && needed.count < 6)

        for limit in 0...calm.effects.count {
            for seed in Cases.seeds(full: 40) {
                let ledger = try await LedgerGround(folder: try ground.ledger.copy(), seed: 2)
                let dying = ground.disk.restarted(ForgetfulDisk.Options(diesAfter: limit))
                _ = await ground.keeper(.atOnce, on: dying, ledger: ledger.ledger).look()
                // The power goes, or only the program ends.
                let after = seed.isMultiple(of: 2) ? dying.powerCut(seed: seed) : dying.restarted()
                let report = try await Recovery(
                    ledger.ledger, openRoot: { () throws(DiskError) in after.root() }
                ).run()
                #expect(report.vanished == 0 && report.strays == 0 && report.adopted == 0, "after \(limit)")
                let kept = try kept(after)
                #expect(needed.isSubset(of: kept), "after \(limit), seed \(seed)")
                #expect(kept == (try notRemoved(ledger)), "after \(limit), seed \(seed)")
                _ = await ground.keeper(.atOnce, on: after, ledger: ledger.ledger).look()
                #expect(try self.kept(after) == needed, "after \(limit), seed \(seed)")
            }
        }
    }

    private func kept(_ disk: ForgetfulDisk) throws -> Set<Int64> {
        Set(
            try SpoolGround(disk).contents().keys.compactMap { path in
                path.split(separator: "/").last?.split(separator: "-").first.flatMap { Int64($0) }
            })
    }

    private func notRemoved(_ ground: LedgerGround) throws -> Set<Int64> {
        Set(
            try LedgerReader(path: ground.path).database.all(
                "SELECT id FROM captures WHERE state = 'staged' AND removed_at IS NULL"
            ) { row in try row.get(0, as: Int64.self) })
    }
}
