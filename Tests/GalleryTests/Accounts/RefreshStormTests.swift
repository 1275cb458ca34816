import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// The contract's sentences about refresh tokens, once more and without a database.
private struct FamilyModel {
    struct Pair {
        let tokens: AccountGround.Pair
        let createdAt: Timestamp
        var spentAt: Timestamp?
        var isUsed = false
    }

    var pairs: [Pair]
    var isRevoked = false

    enum Answer: Equatable {
        case newPair
        case pair(Int)
        case refused
    }

    mutating func present(_ index: Int, at now: Timestamp) -> Answer {
        guard !isRevoked, now < pairs[index].createdAt + .seconds(30 * 86_400) else { return .refused }
        pairs[index].isUsed = true
        guard let spentAt = pairs[index].spentAt else {
            pairs[index].spentAt = now
            return .newPair
        }
        // "presented within 10 minutes and before its successor was first used"
        if now <= spentAt + .seconds(600), !pairs[index + 1].isUsed { return .pair(index + 1) }
        isRevoked = true
        return .refused
    }

    mutating func access(_ index: Int, at now: Timestamp) -> Bool {
        guard !isRevoked, now.seconds < pairs[index].createdAt.seconds + 900 else { return false }
        pairs[index].isUsed = true
        return true
    }
}

@Suite struct RefreshStormTests {
    @Test(
        "whatever is presented in whatever order, the answer is the contract's",
        arguments: Cases.galleries(full: 200))
    func storm(seed: UInt64) async throws {
        var random = Seeded(seed)
        let ground = try AccountGround(seed: seed)
        let first = try await ground.register()
        var model = FamilyModel(pairs: [.init(tokens: first, createdAt: ground.wall.wallNow)])
        for _ in 0..<80 {
            let longest: Int64 = random.chance(3) ? 31 * 86_400_000 : random.chance(20) ? 900_000 : 60_000
            ground.wall.go(.milliseconds(Int64.random(in: 0..<longest, using: &random)))
            let now = ground.wall.wallNow
            // Mostly the newest, and now and then one that a client kept.
            let newest = model.pairs.count - 1
            let index =
                random.chance(85) ? newest : Int.random(in: max(0, newest - 2)...newest, using: &random)
            if random.chance(50) {
                let expected = model.access(index, at: now)
                let error = try await AccountGround.refusal {
                    try await ground.accounts.authenticate(
                        AccountGround.get(model.pairs[index].tokens.access))
                }
                #expect((error == nil) == expected, "seed \(seed)")
                continue
            }
            let answer = model.present(index, at: now)
            let token = model.pairs[index].tokens.refresh
            switch answer {
            case .newPair:
                let pair = try await ground.refresh(token)
                #expect(!model.pairs.contains { $0.tokens == pair })
                model.pairs.append(.init(tokens: pair, createdAt: now))
            case .pair(let known):
                #expect(try await ground.refresh(token) == model.pairs[known].tokens, "seed \(seed)")
            case .refused:
                let error = try await AccountGround.refusal { try await ground.refresh(token) }
                #expect(error?.code == .unauthenticated, "seed \(seed)")
            }
            if random.chance(5) { try await ground.store.sweepTokens() }
        }
    }
}
