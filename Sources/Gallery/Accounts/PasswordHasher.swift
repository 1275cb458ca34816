package import Bridge
import Synchronization

/// Hashes one password after another, on a thread of its own: whoever tries many waits for himself and holds nobody up
/// who has logged in already.
package actor PasswordHasher {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let hash: PasswordHash
    private nonisolated let random: any RandomSource
    /// Including the one that is being hashed.
    private nonisolated let waiting = Mutex(0)
    package nonisolated let mostWaiting: Int

    /// At 50 ms each, the last of 40 waits two seconds.
    package static let usualWaiting = 40

    package init(
        executor: any SerialExecutor, random: any RandomSource, hash: PasswordHash = PasswordHash(),
        mostWaiting: Int = usualWaiting
    ) {
        self.executor = executor
        self.random = random
        self.hash = hash
        self.mostWaiting = mostWaiting
    }

    package nonisolated func make(_ password: String) async throws(APIError) -> String {
        try enter()
        defer { leave() }
        return await makeInTurn(password)
    }

    /// With no hash it takes as long and is wrong.
    package nonisolated func check(
        _ password: String, against hash: String?
    ) async throws(APIError) -> PasswordHash.Verdict {
        try enter()
        defer { leave() }
        return await checkInTurn(password, hash)
    }

    private func makeInTurn(_ password: String) -> String { hash.make(password, random: random) }

    private func checkInTurn(_ password: String, _ known: String?) -> PasswordHash.Verdict {
        hash.check(password, against: known)
    }

    private nonisolated func enter() throws(APIError) {
        let isIn = waiting.withLock { waiting in
            guard waiting < mostWaiting else { return false }
            waiting += 1
            return true
        }
        if !isIn {
            throw APIError(
                .rateLimited, "too many log in at this moment; try again", retryAfter: .seconds(3))
        }
    }

    private nonisolated func leave() {
        waiting.withLock { $0 -= 1 }
    }
}
