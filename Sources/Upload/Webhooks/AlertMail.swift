package import Basics
package import Bridge
package import Posix
import Synchronization

/// Alerts on their way to webhooks, in memory: a bridge that has ended has no news, and what is an hour old is none.
package final class AlertMail: WebhookLedger {
    /// Of each receiver. Beyond that the oldest are left out: what is so now counts more.
    package static let most = 100
    package static let lasting = Duration.seconds(3600)

    private struct State {
        var messages: [Message] = []
        var next: Int64 = 1
    }

    private let state = Mutex(State())
    /// For the sender.
    package let news = Signal()
    private let random: any RandomSource

    package init(random: any RandomSource) {
        self.random = random
    }

    /// Returns at once.
    package func post(_ body: String, to url: String, at now: Timestamp) {
        let message = Self.message(body, to: url, key: Randomness.uuid(from: random), at: now)
        state.withLock { state in
            let waiting = state.messages.indices.filter { state.messages[$0].url == url }
            // The first of them may be under way.
            if waiting.count >= Self.most { state.messages.remove(at: waiting[1]) }
            state.messages.append(
                Message(
                    id: state.next, url: url, key: message.key, body: body, attempts: 0, due: now,
                    expires: message.expires))
            state.next += 1
        }
        news.fire()
    }

    /// One that goes by itself.
    package static func message(
        _ body: String, to url: String, key: String, at now: Timestamp
    ) -> Message {
        Message(id: 0, url: url, key: key, body: body, attempts: 0, due: now, expires: now + lasting)
    }

    /// So many have not been taken yet.
    package func waiting(to url: String) -> Int {
        state.withLock { state in state.messages.count { $0.url == url } }
    }

    // MARK: What the sender asks

    package func messages(to url: String, atMost count: Int) async throws -> [Message] {
        // One at a time: what is left out meanwhile is not sent.
        state.withLock { $0.messages.first { $0.url == url }.map { [$0] } ?? [] }
    }

    package func told(_ message: Int64) async throws {
        state.withLock { state in state.messages.removeAll { $0.id == message } }
    }

    package func notTold(
        _ message: Message, because problem: String, again: Timestamp, counts: Bool
    ) async throws {
        // The sender keeps it in mind until it is told or given up.
    }

    package func givenUp(_ message: Message, because problem: String, by name: String) async throws {
        try await told(message.id)
    }
}
