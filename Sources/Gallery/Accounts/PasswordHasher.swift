package import Basics

/// Hashes one password after another, on a thread of its own: a client that tries many delays itself, and none that has
/// logged in already.
package actor PasswordHasher {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let hash: PasswordHash
    private nonisolated let random: any RandomSource
    private nonisolated let lock: PriorityLock

    /// At 50 ms each, the last of 80 waits four seconds.
    package static let usualWaiting = 80
    static let tooMany = APIError(
        .rateLimited, "too many log in at this moment; try again", retryAfter: .seconds(3))

    package init(
        executor: any SerialExecutor, random: any RandomSource, hash: PasswordHash = PasswordHash(),
        mostWaiting: Int = usualWaiting
    ) {
        self.executor = executor
        self.random = random
        self.hash = hash
        lock = PriorityLock(mostWaiting: mostWaiting - 1)
    }

    /// Including the one that is being hashed.
    package nonisolated var waiting: Int { lock.count }

    package nonisolated func make(_ password: String) async throws(APIError) -> String {
        guard await lock.enter(.usual) else { throw Self.tooMany }
        defer { lock.leave() }
        return await makeInTurn(password)
    }

    /// With no hash it takes as long and is wrong.
    package nonisolated func check(
        _ password: String, against hash: String?, _ rank: HashPriority = .usual
    ) async throws(APIError) -> PasswordHash.Verdict {
        guard await lock.enter(rank) else { throw Self.tooMany }
        defer { lock.leave() }
        return await checkInTurn(password, hash)
    }

    private func makeInTurn(_ password: String) -> String { hash.make(password, random: random) }

    private func checkInTurn(_ password: String, _ known: String?) -> PasswordHash.Verdict {
        hash.check(password, against: known)
    }
}
