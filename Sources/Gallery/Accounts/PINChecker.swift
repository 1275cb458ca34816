import Digest
import Synchronization

/// Whether a PIN is right. Once a right one was seen, the next are compared with that and cost nothing; until then they are
/// hashed one after another, so that five hundred who come together wait for the first of them and not for each other, and
/// log-ins come between.
final class PINChecker: Sendable {
    private let hasher: PasswordHasher
    private let lock = PriorityLock(mostWaiting: mostWaiting)
    /// The digests of PINs that are right, by their hash.
    private let right = Mutex<[String: SHA256Digest]>([:])

    private static let mostRight = 1000
    static let mostWaiting = 1000

    init(_ hasher: PasswordHasher) {
        self.hasher = hasher
    }

    /// As an event keeps it.
    func hash(_ pin: String) async throws(APIError) -> String {
        let hash = try await hasher.make(pin)
        remember(hash, Self.digest(pin, hash))
        return hash
    }

    /// Throws `rateLimited` where there are too many at this moment: this one was not looked at then.
    func check(_ pin: String, against hash: String) async throws(APIError) -> Bool {
        let digest = Self.digest(pin, hash)
        if let known = known(hash) { return known == digest }
        guard await lock.enter(.usual) else { throw PasswordHasher.tooMany }
        defer { lock.leave() }
        // The check before this one may have found it.
        if let known = known(hash) { return known == digest }
        guard try await hasher.check(pin, against: hash) != .wrong else { return false }
        remember(hash, digest)
        return true
    }

    private static func digest(_ pin: String, _ hash: String) -> SHA256Digest {
        SHA256.of(Array("\(hash)\n\(pin)".utf8))
    }

    private func known(_ hash: String) -> SHA256Digest? { right.withLock { $0[hash] } }

    private func remember(_ hash: String, _ digest: SHA256Digest) {
        right.withLock { right in
            if right.count >= Self.mostRight { right = [:] }
            right[hash] = digest
        }
    }
}
