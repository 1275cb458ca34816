import Basics
import Posix
import Synchronization

/// Who tried to change a password how often, and who has forgotten his.
final class PasswordResetLimits: Sendable {
    /// A stranger at a page that was left open could guess the password.
    static let changes = WindowRule(10, in: .seconds(600))
    static let asking = WindowRule(20, in: .seconds(3600))
    /// Addresses that wait for their mail. More at once are an attack, not forgotten passwords.
    static let mostWaiting = 100

    private struct Tries: Sendable {
        var changes = SlidingWindowLimiter<String>(PasswordResetLimits.changes)
        var asking = SlidingWindowLimiter<PeerKey>(PasswordResetLimits.asking)
    }

    private let tries = Mutex(Tries())
    /// In the order of asking, for one who mails.
    let forgotten: AsyncStream<String>
    private let asked: AsyncStream<String>.Continuation

    init() {
        (forgotten, asked) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
    }

    func note(forgotten email: String) {
        asked.yield(email)
    }

    func limitChange(of account: String, at now: Duration) throws(APIError) {
        let wait = tries.withLock { $0.changes.take(account, at: now) }
        if let wait { throw Accounts.tooMany(wait) }
    }

    /// He was right.
    func forgetChanges(of account: String) {
        tries.withLock { $0.changes.forget(account) }
    }

    func limitAsking(from peer: String, at now: Duration) throws(APIError) {
        let peer = PeerKey(peer)
        let wait = tries.withLock { $0.asking.take(peer, at: now) }
        if let wait { throw Accounts.tooMany(wait) }
    }
}
