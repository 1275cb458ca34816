import Basics
import Bridge
import Database

/// The rows of windows, absences and clocks, as values.
enum EventWindowRows {
    struct Row {
        let id: Int64
        let window: EventWindow
        let aliveAt: Timestamp
        let absences: [(id: Int64, absence: EventAbsence)]
    }

    enum Span {
        case window
        case absence

        var table: String { self == .window ? "window_clocks" : "absence_clocks" }
        var key: String { self == .window ? "window_id" : "absence_id" }
    }

    static func columns(of since: Since) -> (word: String, moment: Int64?) {
        switch since {
        case .begin: ("begin", nil)
        case .lastSeen: ("last-seen", nil)
        case .date(let moment): ("date", moment)
        case .all: ("all", nil)
        }
    }

    private static func since(_ word: String, _ moment: Int64?) -> Since {
        switch (word, moment) {
        case ("date", .some(let moment)): .date(moment)
        case ("last-seen", _): .lastSeen
        case ("all", _): .all
        default: .begin
        }
    }

    static func all(of event: String, in database: Connection) throws -> [Row] {
        try database.all(
            """
            SELECT id, opened_at, since, since_at, closed_at, alive_at FROM windows WHERE event_id = ?
            ORDER BY opened_at, id
            """, event
        ) { row in
            let id = try row.get(0, as: Int64.self)
            let window = EventWindow(
                openedAt: try row.get(1), since: since(try row.get(2), try row.get(3)),
                closedAt: try row.get(4, as: Timestamp?.self))
            return Row(
                id: id, window: window, aliveAt: try row.get(5), absences: try absences(of: id, in: database))
        }
    }

    private static func absences(
        of window: Int64, in database: Connection
    ) throws -> [(id: Int64, absence: EventAbsence)] {
        try database.all(
            "SELECT id, from_at, until_at, verdict FROM absences WHERE window_id = ? ORDER BY id", window
        ) { row in
            let verdict = try row.get(3, as: String?.self).flatMap { EventAbsence.Verdict(rawValue: $0) }
            return (
                try row.get(0),
                EventAbsence(from: try row.get(1), until: try row.get(2), verdict: verdict)
            )
        }
    }

    static func open(of event: String, in database: Connection) throws -> Row? {
        try all(of: event, in: database).last { $0.window.closedAt == nil }
    }

    // MARK: Clocks

    static func measure(
        _ span: Span, _ id: Int64, _ camera: CameraID, in database: Connection
    ) throws -> ClockMeasure? {
        try database.first(
            "SELECT begins, ends, difference FROM \(span.table) WHERE \(span.key) = ? AND camera_id = ?", id,
            camera
        ) { row in
            ClockMeasure(
                ClockSpan(from: try row.get(0), until: try row.get(1)), difference: try row.get(2))
        }
    }

    static func keep(
        _ measure: ClockMeasure, _ span: Span, _ id: Int64, _ camera: CameraID, in database: Connection
    ) throws {
        try database.run(
            """
            INSERT INTO \(span.table) (\(span.key), camera_id, begins, ends, difference) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET begins = excluded.begins, ends = excluded.ends, difference = excluded.difference
            """, id, camera, measure.span.from, measure.span.until, measure.difference)
    }

    /// Nothing for an event without windows, and for a body that no connection has shown in one of them.
    static func rule(
        of camera: CameraID, in event: String, in database: Connection
    ) throws -> TakingRule? {
        var rule = TakingRule(windows: [], isOpen: false)
        for row in try all(of: event, in: database) {
            guard let measure = try measure(.window, row.id, camera, in: database) else { continue }
            rule.windows.append(measure.span)
            if row.window.closedAt == nil { rule.isOpen = true }
            for (id, absence) in row.absences where absence.verdict != .taken {
                guard let measure = try self.measure(.absence, id, camera, in: database) else { continue }
                rule.absences.append(
                    TakingRule.Absence(measure.span, isDeclined: absence.verdict == .declined))
            }
        }
        return rule.windows.isEmpty ? nil : rule
    }
}
