import Basics
import Database
import Postgres

/// What a transaction has changed, written down for the other nodes as a part of it. A gallery in a file has no others.
extension GalleryStore {
    /// Each with a stamp of its event's owner, whose account is locked by that until the transaction ends: so an event's
    /// changes come to be seen in the order of their stamps.
    func recordChanges() throws {
        guard database.dialect == .postgres else { return }
        let notes = changes.flatMap(\.notes)
        guard !notes.isEmpty else { return }
        var owners: [String: String] = [:]
        for event in Set(notes.map(\.event)) {
            owners[event] = try database.first("SELECT owner_id FROM events WHERE id = ?", event) {
                try $0["owner_id"]
            }
        }
        // What a sweep and a look at the table go by is the database's clock.
        let now =
            try database.first(
                "SELECT \(ServerClock.now) AS now"
            ) { try $0.get("now", as: Int64.self) } ?? wall.wallNow.milliseconds
        for (owner, events) in Dictionary(grouping: owners.keys, by: { owners[$0] ?? "" }) {
            let own = notes.filter { events.contains($0.event) }
            let first = try nextStamp(of: owner, count: own.count)
            for (place, note) in own.enumerated() { try record(note, first + Int64(place), at: now) }
        }
        // With their account they are gone, and with it the count of their stamps: later than any.
        for (place, note) in notes.filter({ owners[$0.event] == nil }).enumerated() {
            try record(note, now + Self.farAhead + Int64(place), at: now)
        }
    }

    private static let farAhead: Int64 = 60_000

    private func record(_ note: ChangeNote, _ stamp: Int64, at now: Int64) throws {
        try database.run(
            """
            INSERT INTO changes (event_id, stamp, kind, subject, changed_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (event_id, stamp) DO NOTHING
            """, note.event, stamp, note.kind.rawValue, note.subject, now)
    }

    /// Tells the other nodes to look.
    func ring(_ channel: String, _ text: String) throws {
        try database.run("SELECT pg_notify(?, ?) AS rung", channel, text)
    }

    /// How long changes are kept for nodes and clients that were away.
    package static let changesLife = Duration.seconds(2 * 3600)

    /// Forgets what no node and no client asks for any more.
    package func sweepChanges() throws {
        guard database.dialect == .postgres else { return }
        // By the clock that they were written by.
        try database.run(
            "DELETE FROM changes WHERE changed_at < \(ServerClock.now) - ?",
            Self.changesLife.wholeMilliseconds)
        try database.run(
            "DELETE FROM commit_marks WHERE marked_at < \(ServerClock.now) - ?",
            Duration.seconds(3600).wholeMilliseconds)
        try sweepLimits()
    }
}

/// What has changed in an event, in order, and the event as it is.
struct EventNews: Sendable {
    struct Item: Sendable {
        let stamp: Int64
        let change: GalleryChange
    }

    let items: [Item]
    /// Of the last row that was read, whether or not something is to be told of it.
    let last: Int64
    /// There is more behind these.
    let isMore: Bool
}

extension GalleryReader {
    private static let mostNews = 500

    /// What was noted of an event behind a stamp: one question, whatever has changed.
    func news(of event: String, after stamp: Int64) throws -> EventNews {
        try database.snapshot { () in
            let rows = try database.all(
                """
                SELECT c.stamp AS change_stamp, c.kind, c.subject, p.deleted_at AS photo_deleted_at,
                    \(Photo.columns(of: "p"))
                FROM changes AS c LEFT JOIN photos AS p ON p.id = c.subject
                WHERE c.event_id = ? AND c.stamp > ? ORDER BY c.stamp LIMIT ?
                """, event, stamp, Self.mostNews
            ) { row -> (stamp: Int64, kind: ChangeKind?, photo: Photo?, isGone: Bool) in
                let isThere = try row.get("id", as: String?.self) != nil
                return (
                    try row["change_stamp"], ChangeKind(rawValue: try row["kind"]),
                    isThere ? try Photo(row) : nil,
                    try !isThere || row.get("photo_deleted_at", as: Int64?.self) != nil
                )
            }
            guard let last = rows.last?.stamp else { return EventNews(items: [], last: stamp, isMore: false) }
            let event = (id: event, row: try database.event(event))
            // What is told of hearts is how many there are by now: once is enough.
            let told = rows.last { $0.kind == .reactions }?.stamp
            let reactions = try told.map { _ in try database.reactions(toldOf: event.id, after: stamp) } ?? []
            let items = rows.compactMap { row -> EventNews.Item? in
                guard let kind = row.kind else { return nil }
                if kind == .reactions {
                    guard row.stamp == told, let now = event.row else { return nil }
                    return EventNews.Item(
                        stamp: row.stamp,
                        change: .reactionsChanged(reactions, in: now, stamp: row.stamp))
                }
                return Self.change(kind, row.photo, row.isGone, event.id, event.row, row.stamp)
                    .map { EventNews.Item(stamp: row.stamp, change: $0) }
            }
            return EventNews(items: items, last: last, isMore: rows.count == Self.mostNews)
        }
    }

    private static func change(
        _ kind: ChangeKind, _ photo: Photo?, _ isGone: Bool, _ id: String, _ event: Event?, _ stamp: Int64
    ) -> GalleryChange? {
        switch kind {
        case .access: return .accessChanged(to: id)
        case .originalsWithdrawn: return .originalsWithdrawn(in: id)
        case .originalsGiven: return .originalsGiven(in: id)
        case .eventDeleted: return .eventDeleted(id)
        case .logins: return .loginsEnded(events: [id])
        case .photo, .photoGone, .photosMoved, .counts, .reactions: break
        }
        // It is deleted since, and a later change says so.
        guard let event else { return nil }
        switch kind {
        case .photo, .photoGone:
            guard let photo else { return nil }
            return isGone ? .photoDeleted(photo, in: event, stamp: stamp) : .photoChanged(photo, in: event)
        case .photosMoved: return .photosMoved(in: event, stamp: stamp)
        default: return .countsChanged(of: event, stamp: stamp)
        }
    }

    /// Events in which something was noted of late, for signs that were never heard.
    func recentSigns(within span: Duration) throws -> [ChangeSign: Int64] {
        let rows = try database.all(
            """
            SELECT event_id, kind, max(stamp) AS last FROM changes
            WHERE changed_at > \(ServerClock.now) - ? GROUP BY event_id, kind
            """, span.wholeMilliseconds
        ) { row in
            (
                event: try row.get("event_id", as: String.self), kind: try row.get("kind", as: String.self),
                last: try row.get("last", as: Int64.self)
            )
        }
        var signs: [ChangeSign: Int64] = [:]
        for row in rows {
            let forgets = ChangeKind(rawValue: row.kind)?.forgets ?? .images
            // Several kinds have one sign.
            let sign = ChangeSign(event: row.event, forgets: forgets)
            signs[sign] = max(signs[sign] ?? 0, row.last)
        }
        return signs
    }
}
