package import Basics
package import Bridge
import Database
import Posix

/// Written in the transaction of what happened, so that it is told if and only if it happened.
extension Ledger {
    /// Messages that are kept for programs that cannot be told: beyond that the oldest are given up.
    static let mostMessages: Int64 = 100_000
    /// Messages that were given up and stay to be looked at; the query for the others passes over them.
    static let mostGivenUp: Int64 = 1000

    func tell(_ happening: PhotoEvent, of capture: CaptureID) throws {
        let recipients = listeners.filter { $0.hears.contains(happening) }
        guard !recipients.isEmpty, let facts = try facts(of: capture) else { return }
        let body = JSONValue.object(
            [
                (key: "happening", value: .string(happening.rawValue)),
                (key: "at", value: .integer(wall.wallNow.milliseconds)),
            ]
                + facts
        ).compact
        for listener in recipients {
            try database.run(
                "INSERT INTO webhooks (url, key, body, due_at, created_at) VALUES (?, ?, ?, ?, ?)",
                listener.url,
                Randomness.uuid(from: random), body, wall.wallNow, wall.wallNow)
            try giveUpMessages(upTo: database.lastInsertedID - Self.mostMessages)
        }
        webhookSignal.fire()
    }

    /// Those that have waited while so many others came, each with a line in the journal.
    private func giveUpMessages(upTo id: Int64) throws {
        let lost: [(url: String, key: String)] = try database.all(
            "SELECT url, key FROM webhooks WHERE id <= ? AND gave_up = 0 ORDER BY id", id
        ) { row in (try row.get("url", as: String.self), try row.get("key", as: String.self)) }
        for message in lost {
            try enter(
                JournalEntry(
                    .error,
                    "\(Self.name(ofWebhook: message.url)) was not told of a photo (delivery \(message.key)): "
                        + "\(Self.mostMessages) messages have come after it. See that it answers, or take it out of the settings"
                ))
        }
        try database.run("DELETE FROM webhooks WHERE id <= ?", id)
    }

    /// Without what may be a secret.
    private static func name(ofWebhook url: String) -> String {
        do throws(WebhookAddress.Invalid) {
            return try WebhookAddress(url).name
        } catch {
            return "a webhook"
        }
    }

    /// What is known of one photo, in the words of its message.
    package func facts(of capture: CaptureID) throws -> [(key: String, value: JSONValue)]? {
        let facts = try database.first(
            """
            SELECT e.id, e.name, c.name, c.folder, c.staged_size, c.sha256, c.file, c.capture_date, m.manufacturer,
                m.model, coalesce(json_extract(m.learned, '$.serial'), m.body)
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
}

extension Ledger: WebhookLedger {
    /// Messages that are still to be told.
    package func openMessages() throws -> Int {
        try database.first("SELECT count(*) FROM webhooks WHERE gave_up = 0") { try $0.get(0) } ?? 0
    }

    /// By the primary key, which is the order in which it happened.
    package func messages(to url: String, atMost count: Int) throws -> [Message] {
        try database.all(
            """
            SELECT id, url, key, body, attempts, due_at FROM webhooks WHERE gave_up = 0 AND url = ?
            ORDER BY id LIMIT ?
            """, url, count
        ) { row in
            Message(
                id: try row.get(0), url: try row.get(1), key: try row.get(2), body: try row.get(3),
                attempts: try row.get(4), due: try row.get(5))
        }
    }

    package func told(_ message: Int64) throws {
        try database.run("DELETE FROM webhooks WHERE id = ?", message)
    }

    package func notTold(
        _ message: Message, because problem: String, again: Timestamp, counts: Bool
    ) throws {
        try database.run(
            "UPDATE webhooks SET attempts = ?, due_at = ?, problem = ? WHERE id = ?",
            message.attempts + (counts ? 1 : 0), again, problem, message.id)
    }

    package func givenUp(_ message: Message, because problem: String, by name: String) throws {
        try database.transaction {
            try database.run(
                "UPDATE webhooks SET attempts = ?, problem = ?, gave_up = 1 WHERE id = ?",
                message.attempts + 1, problem, message.id)
            try database.run(
                """
                DELETE FROM webhooks WHERE gave_up = 1
                    AND id NOT IN (SELECT id FROM webhooks WHERE gave_up = 1 ORDER BY id DESC LIMIT ?)
                """, Self.mostGivenUp)
            try enter(
                JournalEntry(
                    .error, "\(name) was not told of a photo (delivery \(message.key)): \(problem)"))
        }
    }
}
