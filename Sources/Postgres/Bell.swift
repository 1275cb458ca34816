import Basics
import CPostgres
import Database

/// Notifications that say "look": heard and sent on one connection of its own, which is direct, because PgBouncer in
/// transaction mode passes none on.
package final class PostgresBell {
    private let address: PostgresAddress
    private let servers: KnownServers
    private let channel: String
    private let patience: Duration
    private let now: () -> Duration
    private var wire: Wire?

    package init(
        _ address: PostgresAddress, servers: KnownServers, channel: String, patience: Duration = .seconds(10),
        now: @escaping () -> Duration
    ) {
        self.address = address
        self.servers = servers
        self.channel = channel
        self.patience = patience
        self.now = now
    }

    /// Whether it hears at this moment.
    package var isConnected: Bool { wire != nil }

    /// Connects where it is not connected: from then on it hears. True where it was not before, so that what came meanwhile
    /// was not heard.
    package func connect() throws -> Bool {
        // A primary of before that lives on rings no more.
        if let wire, wire.timeline >= servers.newest { return false }
        wire = nil
        let new = try servers.connect(to: address, within: patience, now: now)
        try new.script("LISTEN \(channel)", within: patience)
        wire = new
        return true
    }

    /// What was heard until that much time has passed, or something was.
    package func hear(within span: Duration) throws -> [String] {
        guard let wire else { return [] }
        do {
            return try wire.notifications(within: span)
        } catch {
            self.wire = nil
            throw error
        }
    }

    /// Several at once. A text has at most 8,000 bytes.
    package func ring(_ texts: [String]) throws {
        guard let wire else { return }
        do {
            for text in texts {
                _ = try wire.run(
                    "SELECT pg_notify($1, $2)", [.text(channel), .text(text)], within: patience)
            }
        } catch {
            self.wire = nil
            throw error
        }
    }
}
