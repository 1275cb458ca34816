import Basics
package import Bridge
import Database

/// How a run found its event's window.
package struct WindowBeginning: Equatable, Sendable {
    /// No run of the event was ever before.
    package var isFirst: Bool
    package var window: EventWindow
    /// No run was alive in this time, which was long.
    package var absence: EventAbsence?
    /// The event that was open until now.
    package var closed: BridgeEvent?
}

/// What is taken is a matter of the event, not of the process: its windows, and where they lie on each body's clock.
extension Ledger {
    /// A run of the event begins: its window is open from now on, and no other event's is. `since` is what the operator
    /// says, if anything; after a longer absence than `longest` the operator is asked.
    package func begin(
        _ event: BridgeEvent, since: Since?, longestAbsence longest: Duration
    ) throws -> WindowBeginning {
        let now = wall.wallNow
        return try database.transaction {
            if let open = try EventWindowRows.open(of: event.id, in: database) {
                return try goOn(open, since, longest, at: now)
            }
            let closed = try closeOther(at: now)
            let isFirst = try EventWindowRows.all(of: event.id, in: database).isEmpty
            let window = EventWindow(openedAt: now, since: since ?? .begin)
            try insert(window, event, isSaid: since != nil)
            return WindowBeginning(isFirst: isFirst, window: window, closed: closed)
        }
    }

    /// A bridge takes photos into one event at a time.
    private func closeOther(at now: Timestamp) throws -> BridgeEvent? {
        let other = try database.first(
            """
            SELECT w.id, e.id, e.name FROM windows w JOIN events e ON e.id = w.event_id WHERE w.closed_at IS NULL
            """
        ) { row in
            (
                window: try row.get(0, as: Int64.self),
                event: BridgeEvent(id: try row.get(1), name: try row.get(2))
            )
        }
        guard let other else { return nil }
        try close(other.window, at: now)
        return other.event
    }

    private func insert(_ window: EventWindow, _ event: BridgeEvent, isSaid: Bool) throws {
        let (word, moment) = EventWindowRows.columns(of: window.since)
        try database.run(
            """
            INSERT INTO windows (event_id, opened_at, since, since_at, since_said, alive_at) VALUES (?, ?, ?, ?, ?, ?)
            """, event.id, window.openedAt, word, moment, isSaid ? window.openedAt : nil, window.openedAt)
    }

    private func goOn(
        _ open: EventWindowRows.Row, _ since: Since?, _ longest: Duration, at now: Timestamp
    ) throws -> WindowBeginning {
        var beginning = WindowBeginning(isFirst: false, window: open.window)
        if now - open.aliveAt > longest {
            let absence = EventAbsence(from: open.aliveAt, until: now)
            try database.run(
                "INSERT INTO absences (window_id, from_at, until_at) VALUES (?, ?, ?)", open.id, absence.from,
                absence.until)
            beginning.absence = absence
        }
        try database.run("UPDATE windows SET alive_at = max(alive_at, ?) WHERE id = ?", now, open.id)
        // Said again, "from its first run on" changes nothing about that.
        guard let since, since != open.window.since, since != .begin else { return beginning }
        let (word, moment) = EventWindowRows.columns(of: since)
        try database.run(
            "UPDATE windows SET since = ?, since_at = ?, since_said = ? WHERE id = ?", word, moment, now,
            open.id)
        try database.run("DELETE FROM window_clocks WHERE window_id = ?", open.id)
        beginning.window.since = since
        // "All" is said of what was shot meanwhile as well.
        if since == .all {
            try database.run(
                "UPDATE absences SET verdict = 'taken' WHERE window_id = ? AND verdict IS NULL", open.id)
            beginning.absence?.verdict = .taken
        }
        return beginning
    }

    /// A run of the event is alive.
    package func noteAlive(_ event: BridgeEvent) throws {
        try database.run(
            "UPDATE windows SET alive_at = max(alive_at, ?) WHERE event_id = ? AND closed_at IS NULL",
            wall.wallNow,
            event.id)
    }

    /// Ends taking at this bridge. False when the event has no open window.
    package func closeWindow(of event: BridgeEvent) throws -> Bool {
        let now = wall.wallNow
        return try database.transaction {
            guard let open = try EventWindowRows.open(of: event.id, in: database) else { return false }
            try close(open.id, at: now)
            return true
        }
    }

    /// For bodies whose clock is not known the window ends with the newest photo that they have shown.
    private func close(_ window: Int64, at now: Timestamp) throws {
        try database.run(
            "UPDATE windows SET closed_at = max(opened_at, ?), alive_at = max(alive_at, ?) WHERE id = ?", now,
            now,
            window)
        try database.run(
            """
            UPDATE window_clocks SET ends = coalesce(
                ? + difference,
                (SELECT max(c.taken_at) + 1 FROM captures c JOIN windows w ON w.id = window_clocks.window_id
                    WHERE c.camera_id = window_clocks.camera_id AND c.event_id = w.event_id),
                begins, 0)
            WHERE window_id = ?
            """, now.seconds, window)
    }

    /// What the operator says of photos that were shot while no bridge ran. Says how many of them are known.
    package func decide(_ verdict: EventAbsence.Verdict, of event: BridgeEvent) throws -> Int {
        try database.transaction {
            let left: [FilterRule] = verdict == .taken ? [.unattended, .declined] : [.unattended]
            var known = 0
            for rule in left {
                known +=
                    try database.first(
                        "SELECT count(*) FROM captures WHERE event_id = ? AND state = 'filtered' AND reason = ?",
                        event.id, rule.rawValue
                    ) { row in try row.get(0, as: Int.self) } ?? 0
            }
            try database.run(
                """
                UPDATE absences SET verdict = ?1 WHERE window_id IN (SELECT id FROM windows WHERE event_id = ?2)
                    AND (verdict IS NULL OR ?1 = 'taken')
                """, verdict.rawValue, event.id)
            try database.run(
                "UPDATE captures SET reason = ? WHERE event_id = ? AND state = 'filtered' AND reason IN (?, ?)",
                verdict == .taken ? FilterRule.unattended.rawValue : FilterRule.declined.rawValue, event.id,
                FilterRule.unattended.rawValue,
                verdict == .taken ? FilterRule.declined.rawValue : FilterRule.unattended.rawValue)
            return known
        }
    }

    // MARK: On a body's clock

    package func meet(
        _ camera: CameraID, in event: BridgeEvent, _ contact: ClockContact
    ) throws -> TakingRule {
        try database.transaction {
            let newest = try newestKnown(of: camera)
            for row in try EventWindowRows.all(of: event.id, in: database) {
                let known = try EventWindowRows.measure(.window, row.id, camera, in: database)
                let measure = row.window.measured(by: contact, known: known, newestKnown: newest)
                if measure != known {
                    try EventWindowRows.keep(measure, .window, row.id, camera, in: database)
                }
                for (id, absence) in row.absences where absence.verdict != .taken {
                    let known = try EventWindowRows.measure(.absence, id, camera, in: database)
                    let measure = absence.measured(by: contact, known: known, newestKnown: newest)
                    if measure != known {
                        try EventWindowRows.keep(measure, .absence, id, camera, in: database)
                    }
                }
            }
            return try EventWindowRows.rule(of: camera, in: event.id, in: database) ?? .everything
        }
    }

    /// The date of the newest photo of this camera that was taken, by the camera's own clock.
    package func newestKnown(of camera: CameraID) throws -> Int64? {
        try database.first(
            """
            SELECT max(taken_at) FROM captures WHERE camera_id = ?
                AND state IN ('announced', 'receiving', 'staged', 'duplicate')
            """, camera
        ) { row in
            try row.get(0, as: Int64?.self)
        } ?? nil
    }

    /// What was older at the first contact, or shot while the event was closed, stays so, whatever becomes of the camera's
    /// clock, until the operator asks for older ones.
    func staysOut(_ capture: CaptureID, _ reason: String?) throws -> Bool {
        let rule = reason.flatMap { FilterRule(rawValue: $0) }
        guard rule == .older || rule == .outside else { return false }
        return try database.first(
            """
            SELECT 1 FROM captures c WHERE c.id = ?
                AND EXISTS (SELECT 1 FROM windows w WHERE w.event_id = c.event_id)
                AND NOT EXISTS (SELECT 1 FROM windows w WHERE w.event_id = c.event_id AND w.since_said > c.announced_at)
            """, capture
        ) { row in try row.get(0, as: Int64.self) } != nil
    }
}

/// An event as this home knows it.
package struct KnownEvent: Equatable, Sendable {
    package let event: BridgeEvent
    /// Made here, and known to no gallery.
    package let isLocal: Bool
    /// The oldest first.
    package let windows: [EventWindow]
}

extension LedgerReader {
    package func knownEvents() throws -> [KnownEvent] {
        try database.all("SELECT id, name, origin FROM events ORDER BY created_at, id") { row in
            let id = try row.get(0, as: String.self)
            return KnownEvent(
                event: BridgeEvent(id: id, name: try row.get(1)),
                isLocal: try row.get(2, as: String.self) == "local", windows: try windows(of: id))
        }
    }

    /// The event that is meant where none is named: the one that photos are taken into, else the latest.
    package func currentEvent() throws -> BridgeEvent? { try openEvent() ?? latestEvent() }

    /// The event that photos are taken into.
    package func openEvent() throws -> BridgeEvent? {
        try database.first("SELECT event_id FROM windows WHERE closed_at IS NULL") { row in
            try row.get(0, as: String.self)
        }.flatMap { try event($0) }
    }

    /// An event's windows, the oldest first.
    package func windows(of event: String) throws -> [EventWindow] {
        try EventWindowRows.all(of: event, in: database).map(\.window)
    }

    /// Which of a camera's photos belong to the event, as far as its clock is known.
    package func taking(from camera: CameraIdentity, in event: String) throws -> TakingRule? {
        let id = try database.first("SELECT id FROM cameras WHERE key = ?", camera.key) { row in
            try row.get(0, as: CameraID.self)
        }
        return try id.flatMap { try EventWindowRows.rule(of: $0, in: event, in: database) }
    }

    /// Photos of an event that were passed over, by the rule that did so.
    package func passedOver(in event: String) throws -> [FilterRule: Int] {
        var counts: [FilterRule: Int] = [:]
        try database.each(
            "SELECT reason, count(*) FROM captures WHERE event_id = ? AND state = 'filtered' GROUP BY reason",
            event
        ) { row in
            if let rule = FilterRule(rawValue: try row.get(0)) { counts[rule] = try row.get(1) }
        }
        return counts
    }

    /// The operator has to say whether photos that were shot while no bridge ran are wanted.
    package func hasUndecidedAbsence(in event: String) throws -> Bool {
        try EventWindowRows.all(of: event, in: database).contains {
            $0.absences.contains { $0.absence.verdict == nil }
        }
    }
}
