import Basics
import Glibc
import TestSupport
import Testing
import WorldSupport

/// The whole way of photos, from cards to the gallery, with everything going wrong in an order that follows from a seed.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct EveningStormTests {
    @Test(
        "whatever goes wrong in whatever order, each photo that was shot is in the gallery once",
        arguments: [0, 2] as [UInt64])
    func storm(quarter: UInt64) async throws { try await storms(of: quarter) }

    /// A run of its own for `tools/test`: a slow machine has to come to the end of either within a suite's time.
    @Test("the same of the other half of the evenings", arguments: [1, 3] as [UInt64])
    func secondStorm(quarter: UInt64) async throws { try await storms(of: quarter) }

    private func storms(of quarter: UInt64) async throws {
        var arrived = 0
        let seeds = Cases.seeds(full: 10_000, part: 30).filter { $0 % 4 == quarter }
        for seed in seeds {
            let turns = TurnExecutor()
            let count = try await withTaskExecutorPreference(turns) {
                let evening = try await Evening(seed, on: turns)
                try await evening.rage()
                let isWell = try await evening.heal()
                #expect(
                    isWell,
                    "seed \(seed): \(evening.world.missing), \(evening.scripts), \(evening.world.story)")
                try evening.expectWell()
                await evening.world.stop()
                return isWell && evening.world.gallery.violations.isEmpty
                    ? evening.world.gallery.photos.count : nil
            }
            guard let count else { return }
            arrived += count
        }
        #expect(
            Cases.areChosen || arrived > seeds.count * 3, "\(arrived) photos arrived")
    }

    /// Swift goes through sets and dictionaries in another order each time unless it is told not to.
    private static let isOrdered = getenv("SWIFT_DETERMINISTIC_HASHING") != nil

    @Test(
        "the same evening from the same seed",
        .enabled(if: isOrdered, "SWIFT_DETERMINISTIC_HASHING is not set"),
        arguments: [3, 14, 15] as [UInt64])
    func again(seed: UInt64) async throws {
        @Sendable func story() async throws -> String {
            let turns = TurnExecutor()
            return try await withTaskExecutorPreference(turns) {
                let evening = try await Evening(seed, on: turns)
                try await evening.rage()
                _ = try await evening.heal()
                await evening.world.stop()
                return "\(evening.world.clock.now) \(evening.world.effects) \(evening.world.news.value)"
            }
        }
        let first = try await story()
        let second = try await story()
        #expect(first == second)
    }
}
