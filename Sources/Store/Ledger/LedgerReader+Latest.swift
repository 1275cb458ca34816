package import Bridge
import Database

/// The latest photos of an event, for views that show a few of them.
extension LedgerReader {
    /// Which photos of an event are meant.
    package enum Selection: String, Equatable, Sendable, CaseIterable {
        /// All that are here or on their way; what a rule leaves on the card is none, nor is what waits there for its turn.
        case latest
        /// Those of which a delivery failed, and was not cancelled, and those that were lost or given up.
        case failed
        /// Those of which a delivery is open.
        case open
    }

    /// The last to be announced first. With a text, those alone that have it in their path, in any case, wherever they
    /// stand: what a rule has left out is found, too.
    package func latestCaptures(
        of event: String, _ selection: Selection = .latest, matching text: String? = nil, limit: Int
    ) throws -> [Entry] {
        try database.all(
            """
            SELECT \(Self.entryColumns) FROM captures c LEFT JOIN cameras m ON m.id = c.camera_id
            WHERE +c.event_id = ?1 AND (\(Self.condition(selection, isSearch: text != nil)))
                AND (?2 IS NULL OR instr(lower(c.folder || '/' || c.name), lower(?2)) > 0)
            ORDER BY c.id DESC LIMIT ?3
            """, event, text, limit, as: entry)
    }

    private static func condition(_ selection: Selection, isSearch: Bool) -> String {
        switch selection {
        case .latest: isSearch ? "1" : "c.state NOT IN ('announced', 'filtered')"
        case .failed:
            """
            c.state IN ('lost', 'abandoned') OR c.id IN (SELECT capture_id FROM upload_jobs
                WHERE event_id = ?1 AND state = 'failedPermanent' AND cancelled = 0)
            """
        case .open:
            """
            c.id IN (SELECT j.capture_id FROM upload_jobs j JOIN destinations d ON d.id = j.destination_id
                WHERE d.event_id = ?1 AND j.state NOT IN ('completed', 'failedPermanent'))
            """
        }
    }

    /// Another one each time that the bridge has changed something ("PRAGMA data_version" of SQLite); says nothing else.
    package func changeMark() throws -> Int64 {
        try database.first("PRAGMA data_version") { try $0.get(0, as: Int64.self) } ?? 0
    }

    /// Deliveries of an event that wait for the operator, the first so many.
    package func failedJobs(of event: String, limit: Int) throws -> [JobID] {
        try database.all(
            """
            SELECT id FROM upload_jobs WHERE event_id = ? AND state = 'failedPermanent' AND cancelled = 0
            ORDER BY id LIMIT ?
            """, event, limit
        ) { try $0.get(0, as: JobID.self) }
    }
}
