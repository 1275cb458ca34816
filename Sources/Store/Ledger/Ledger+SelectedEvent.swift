import Basics
package import Bridge
import Database

/// The event that a bridge goes into when it is told no other, and the gallery that it is from.
package struct SelectedEvent: Equatable, Sendable {
    package let event: BridgeEvent
    /// The gallery's address in its one spelling.
    package let server: String

    package init(event: BridgeEvent, server: String) {
        self.event = event
        self.server = server
    }

    fileprivate static let eventKey = "selected.event"
    fileprivate static let serverKey = "selected.server"

    fileprivate init?(in database: Connection) throws {
        func recall(_ key: String) throws -> String? {
            try database.first("SELECT value FROM state WHERE key = ?", key) { row in try row.get(0) }
        }
        guard let id = try recall(Self.eventKey), let server = try recall(Self.serverKey),
            let event = try LedgerReader.event(id, in: database)
        else { return nil }
        self.init(event: event, server: server)
    }
}

extension Ledger {
    /// A gallery's event has the same id here as there, and the name that it has there now.
    package func adopt(_ event: BridgeEvent) throws {
        try database.run(
            """
            INSERT INTO events (id, name, origin, created_at) VALUES (?, ?, 'gallery', ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name
            """, event.id, event.name, wall.wallNow)
    }

    package func select(_ selection: SelectedEvent) throws {
        try adopt(selection.event)
        try remember(SelectedEvent.eventKey, selection.event.id)
        try remember(SelectedEvent.serverKey, selection.server)
    }

    package func selection() throws -> SelectedEvent? { try SelectedEvent(in: database) }
}

extension LedgerReader {
    package func selection() throws -> SelectedEvent? { try SelectedEvent(in: database) }
}

extension Ledger {
    /// An event of a gallery that has been known here, by id or name.
    package func galleryEvent(_ idOrName: String) throws -> BridgeEvent? {
        try database.first(
            """
            SELECT id, name FROM events WHERE origin = 'gallery' AND (id = ?1 OR name = ?1)
            ORDER BY id <> ?1, created_at DESC LIMIT 1
            """, idOrName
        ) { row in BridgeEvent(id: try row.get(0), name: try row.get(1)) }
    }
}
