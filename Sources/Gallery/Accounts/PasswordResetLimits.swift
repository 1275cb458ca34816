import Basics
import Posix

/// Who tried to change a password how often, and who has forgotten his.
final class PasswordResetLimits: Sendable {
    /// A stranger at a page that was left open could guess the password.
    static let changes = WindowRule(10, in: .seconds(600))
    static let asking = WindowRule(20, in: .seconds(3600))
    /// Addresses that wait for their mail. More at once are an attack, not forgotten passwords.
    static let mostWaiting = 100

    private let changes: LimitCounter<TryLimits>
    private let asking: LimitCounter<TryLimits>
    /// In the order of asking, for one who mails.
    let forgotten: AsyncStream<String>
    private let asked: AsyncStream<String>.Continuation

    init(_ shared: SharedLimits?, time: any TimeSource) {
        changes = LimitCounter(TryLimits(.passwordChange, Self.changes), shared, time: time)
        asking = LimitCounter(TryLimits(.passwordMail, Self.asking), shared, time: time)
        (forgotten, asked) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
    }

    func note(forgotten email: String) {
        asked.yield(email)
    }

    func limitChange(of account: String) async throws { try await changes.take(account) }

    /// He was right.
    func forgetChanges(of account: String) async throws {
        try await changes.decide(on: account) { limits, _ in limits.forget(account) }
    }

    func limitAsking(from peer: String) async throws { try await asking.take(PeerKey(peer).text) }
}
