import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct RefreshTests {
    private func isLoggedOut(_ ground: AccountGround, _ pair: AccountGround.Pair) async throws {
        let access = try await AccountGround.refusal {
            try await ground.accounts.authenticate(AccountGround.get(pair.access))
        }
        #expect(access?.code == .unauthenticated)
        let refresh = try await AccountGround.refusal { try await ground.refresh(pair.refresh) }
        #expect(refresh?.code == .unauthenticated)
    }

    @Test("a refresh gives another pair, and both access tokens are good until they end")
    func rotates() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        ground.wall.go(.seconds(600))
        let second = try await ground.refresh(first.refresh)
        #expect(second.access != first.access && second.refresh != first.refresh)
        for pair in [first, second] {
            let account = try await ground.accounts.authenticate(AccountGround.get(pair.access))
            #expect(account.email == "host@example.org")
        }
        ground.wall.go(.seconds(300))
        let error = try await AccountGround.refusal {
            try await ground.accounts.authenticate(AccountGround.get(first.access))
        }
        #expect(error?.code == .unauthenticated)
        _ = try await ground.accounts.authenticate(AccountGround.get(second.access))
    }

    @Test("an answer that was lost is given again, byte for byte, for ten minutes")
    func givenAgain() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        let second = try await ground.refresh(first.refresh)
        for _ in 0..<4 {
            ground.wall.go(.seconds(150))
            #expect(try await ground.refresh(first.refresh) == second)
        }
        _ = try await ground.refresh(second.refresh)
    }

    @Test("also by a server that was started anew")
    func givenAgainAfterRestart() async throws {
        let before = try AccountGround()
        let first = try await before.register()
        let second = try await before.refresh(first.refresh)
        let after = try AccountGround(seed: 99, in: before.folder, wall: before.wall)
        #expect(try await after.refresh(first.refresh) == second)
    }

    @Test("a spent token that comes later than that ends the log-in")
    func tooLate() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        let second = try await ground.refresh(first.refresh)
        ground.wall.go(.milliseconds(600_001))
        #expect(try await AccountGround.refusal { try await ground.refresh(first.refresh) } != nil)
        try await isLoggedOut(ground, second)
    }

    @Test("a spent token ends the log-in once its successor's access token was used")
    func afterAccess() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        let second = try await ground.refresh(first.refresh)
        _ = try await ground.accounts.authenticate(AccountGround.get(second.access))
        #expect(try await AccountGround.refusal { try await ground.refresh(first.refresh) } != nil)
        try await isLoggedOut(ground, second)
    }

    @Test("a spent token ends the log-in once its successor was refreshed")
    func afterRefresh() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        let second = try await ground.refresh(first.refresh)
        let third = try await ground.refresh(second.refresh)
        #expect(try await AccountGround.refusal { try await ground.refresh(first.refresh) } != nil)
        try await isLoggedOut(ground, third)
    }

    @Test("the first pair's access token in use spends nothing")
    func oldAccessIsNoUse() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        _ = try await ground.accounts.authenticate(AccountGround.get(first.access))
        let second = try await ground.refresh(first.refresh)
        // The answer is lost, and the old access token is good for a while yet.
        _ = try await ground.accounts.authenticate(AccountGround.get(first.access))
        #expect(try await ground.refresh(first.refresh) == second)
    }

    @Test("thirty days end a refresh token that was not used")
    func expiry() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        ground.wall.go(.seconds(30 * 86_400))
        #expect(try await AccountGround.refusal { try await ground.refresh(first.refresh) } != nil)
        #expect(try await ground.store.sweepTokens() == 1)
    }

    @Test("a log-out ends its own log-in at once, by any of its tokens, and no other")
    func logout() async throws {
        let ground = try AccountGround()
        let phone = try await ground.register()
        let bridge = try await ground.login("host@example.org", "correct horse")
        let newer = try await ground.refresh(phone.refresh)
        let response = try await ground.accounts.logout(
            AccountGround.post(["refreshToken": .string(phone.refresh)]))
        #expect(response.status == 204)
        try await isLoggedOut(ground, phone)
        try await isLoggedOut(ground, newer)
        _ = try await ground.accounts.authenticate(AccountGround.get(bridge.access))
        let again = try await ground.accounts.logout(
            AccountGround.post(["refreshToken": "never given out"]))
        #expect(again.status == 204)
    }

    @Test("sweeping keeps what can still be used, and forgets what cannot")
    func sweep() async throws {
        let ground = try AccountGround()
        let old = try await ground.register()
        ground.wall.go(.seconds(20 * 86_400))
        let renewed = try await ground.refresh(old.refresh)
        let revoked = try await ground.login("host@example.org", "correct horse")
        _ = try await ground.accounts.logout(AccountGround.post(["refreshToken": .string(revoked.refresh)]))
        ground.wall.go(.seconds(15 * 86_400))
        #expect(try await ground.store.sweepTokens() == 1)
        #expect(try await ground.store.sweepTokens() == 0)
        _ = try await ground.refresh(renewed.refresh)
    }

    @Test("a token that was not made here is refused", arguments: ["", "_", ".", "a_1.", "a_0.AAAA", "x"])
    func forged(suffix: String) async throws {
        let ground = try AccountGround()
        let pair = try await ground.register()
        for text in [suffix, pair.refresh + suffix, String(pair.refresh.dropLast()), pair.access]
        where text != pair.refresh {
            let error = try await AccountGround.refusal { try await ground.refresh(text) }
            #expect(error?.code == (text.isEmpty ? .unprocessable : .unauthenticated), "\(text)")
        }
        _ = try await ground.refresh(pair.refresh)
    }

    @Test("of two that refresh at once, both get the same pair")
    func race() async throws {
        let ground = try AccountGround()
        let first = try await ground.register()
        let pairs = try await withThrowingTaskGroup(of: AccountGround.Pair.self) { group in
            for _ in 0..<8 { group.addTask { try await ground.refresh(first.refresh) } }
            var pairs: [AccountGround.Pair] = []
            for try await pair in group { pairs.append(pair) }
            return pairs
        }
        #expect(pairs.count == 8 && pairs.allSatisfy { $0 == pairs[0] })
    }
}
