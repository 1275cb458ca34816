package import Bridge
import Database
import Posix

/// What somebody else's program may be told of a photo.
package enum Tidings: String, CaseIterable, Sendable {
    /// It is whole and on the disk.
    case staged
    /// Every destination has it.
    case completed
}

/// A program in the network that is told.
package struct Listener: Equatable, Sendable {
    package let url: String
    package let hears: Set<Tidings>

    package init(url: String, hears: Set<Tidings>) {
        self.url = url
        self.hears = hears
    }
}

/// One thing that one listener is still to be told.
package struct Message: Equatable, Sendable {
    package let id: Int64
    package let url: String
    /// The same at each try.
    package let key: String
    package let body: String
    package let attempts: Int
    package let due: Timestamp
}

/// Written in the transaction of what happened, so that it is told if and only if it happened.
extension Ledger {
    /// Messages that are kept for programs that cannot be told: beyond that the oldest are given up.
    static let mostMessages: Int64 = 100_000

    func tell(_ tidings: Tidings, of capture: CaptureID) throws {
        let hearers = listeners.filter { $0.hears.contains(tidings) }
        guard !hearers.isEmpty, let facts = try facts(of: capture) else { return }
        let body = JSONValue.object(
            [
                (key: "happening", value: .string(tidings.rawValue)),
                (key: "at", value: .integer(wall.wallNow.milliseconds)),
            ]
                + facts
        ).compact
        for listener in hearers {
            try database.run(
                "INSERT INTO webhooks (url, key, body, due_at, created_at) VALUES (?, ?, ?, ?, ?)",
                listener.url,
                Randomness.uuid(from: random), body, wall.wallNow, wall.wallNow)
            try database.run(
                "DELETE FROM webhooks WHERE id <= ?", database.lastInsertedID - Self.mostMessages)
        }
        tidingsBell.ring()
    }

    /// What is known of one photo, in the words of its message.
    package func facts(of capture: CaptureID) throws -> [(key: String, value: JSONValue)]? {
        let facts = try database.first(
            """
            SELECT e.id, e.name, c.name, c.folder, c.staged_size, c.sha256, c.file, c.capture_date, m.manufacturer,
                m.model, m.body
            FROM captures c JOIN events e ON e.id = c.event_id LEFT JOIN cameras m ON m.id = c.camera_id
            WHERE c.id = ?
            """, capture
        ) { row -> [(key: String, value: JSONValue)] in
            func text(_ column: Int32) throws -> JSONValue {
                .optional(try row.get(column, as: String?.self), JSONValue.string)
            }
            return [
                (key: "capture", value: .integer(capture.number)),
                (key: "event", value: ["id": try text(0), "name": try text(1)]),
                (key: "name", value: try text(2)), (key: "folder", value: try text(3)),
                (key: "size", value: .optional(try row.get(4, as: UInt64?.self), JSONValue.unsigned)),
                (key: "sha256", value: try text(5)), (key: "file", value: try text(6)),
                (key: "captureDate", value: try text(7)),
                (
                    key: "camera",
                    value: ["manufacturer": try text(8), "model": try text(9), "body": try text(10)]
                ),
            ]
        }
        guard let facts else { return nil }
        let receipts = try database.all(
            """
            SELECT d.url, j.receipt FROM upload_jobs j JOIN destinations d ON d.id = j.destination_id
            WHERE j.capture_id = ? AND j.state = 'completed' ORDER BY j.id
            """, capture
        ) { row -> JSONValue in
            [
                "destination": .string(try row.get(0)),
                "receipt": try JSON5.parse(try row.get(1, as: String.self)),
            ]
        }
        return facts + [(key: "receipts", value: .array(receipts))]
    }

    /// What is to be told now, the longest due first.
    package func messages(dueBefore limit: Timestamp, atMost count: Int) throws -> [Message] {
        try database.all(
            """
            SELECT id, url, key, body, attempts, due_at FROM webhooks WHERE gave_up = 0 AND due_at <= ?
            ORDER BY due_at LIMIT ?
            """, limit, count
        ) { row in
            Message(
                id: try row.get(0), url: try row.get(1), key: try row.get(2), body: try row.get(3),
                attempts: try row.get(4), due: try row.get(5))
        }
    }

    package func nextMessage() throws -> Timestamp? {
        try database.first("SELECT due_at FROM webhooks WHERE gave_up = 0 ORDER BY due_at LIMIT 1") {
            try $0.get(0)
        }
    }

    package func told(_ message: Int64) throws {
        try database.run("DELETE FROM webhooks WHERE id = ?", message)
    }

    /// It is tried again then, or not any more.
    package func notTold(_ message: Message, because problem: String, again: Timestamp?) throws {
        try database.run(
            "UPDATE webhooks SET attempts = ?, due_at = ?, problem = ?, gave_up = ? WHERE id = ?",
            message.attempts + 1, again ?? wall.wallNow, problem, again == nil, message.id)
        if again == nil {
            try enter(JournalEntry(.error, "\(message.url) was not told of a photo: \(problem)"))
        }
    }
}
