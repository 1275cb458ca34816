import Basics
import Database

/// Which hosts are told that an event ends.
extension GalleryStore {
    /// How long a try may take before another node tells instead. A program of the operator's is ended long before: the rest is
    /// for a node whose clock is ahead.
    static let reminderLease = Duration.seconds(600)
    /// An event that has ended for longer than this is not told of: the gallery was away, or reminders are new to it.
    static let longestLate = Duration.seconds(3 * 86_400)
    private static let pauses = Backoff(first: .seconds(60), longest: .seconds(3600))
    private static let pauseAfterRefusal = Duration.seconds(86_400)
    /// What other nodes take at the same moment is passed over.
    private static let looksAt = 20

    /// The earliest end that is due and no other node tells; for as long as a try may last. Of one event only the latest stage
    /// is told, and none that was past when the event was made.
    func takeReminder() throws -> Reminder? {
        let now = wall.wallNow
        return try write {
            for due in try dueReminders(at: now) {
                let isTaken = try database.run(
                    """
                    INSERT INTO reminders (event_id, stage, expires_at, due_at) VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT (event_id, stage) DO UPDATE SET due_at = excluded.due_at, told_at = NULL,
                        tries = CASE WHEN reminders.expires_at = excluded.expires_at THEN reminders.tries ELSE 0 END,
                        expires_at = excluded.expires_at
                        WHERE reminders.expires_at <> excluded.expires_at
                            OR reminders.told_at IS NULL AND reminders.due_at <= ?5
                    """, due.event, due.stage.rawValue, due.endsAt.milliseconds,
                    (now + Self.reminderLease).milliseconds, now.milliseconds)
                if isTaken == 1 { return due }
            }
            return nil
        }
    }

    private func dueReminders(at now: Timestamp) throws -> [Reminder] {
        let (far, near) = (Reminder.Stage.twoWeeks, Reminder.Stage.threeDays)
        // When an end is so near that this stage is due, or that it has come.
        let isNear = "e.expires_at <= ?3"
        let isOver = "e.expires_at <= ?2"
        return try database.all(
            """
            SELECT d.*, coalesce(r.tries, 0) AS tries FROM (
                SELECT e.id, e.name, e.slug, e.expires_at, e.time_zone, e.guessed_offset, a.email, a.display_name,
                    CASE WHEN \(isOver) THEN '\(Reminder.Stage.ended.rawValue)'
                        WHEN \(isNear) THEN '\(near.rawValue)' ELSE '\(far.rawValue)' END AS stage
                FROM events AS e JOIN accounts AS a ON a.id = e.owner_id
                WHERE e.expires_at IS NOT NULL AND e.deleted_at IS NULL AND e.expires_at > ?1 AND e.expires_at <= ?4
                    AND (\(isOver) OR e.created_at <= e.expires_at - CASE WHEN \(isNear)
                        THEN \(near.ahead.wholeMilliseconds) ELSE \(far.ahead.wholeMilliseconds) END)
            ) AS d LEFT JOIN reminders AS r
                ON r.event_id = d.id AND r.stage = d.stage AND r.expires_at = d.expires_at
            WHERE r.event_id IS NULL OR r.told_at IS NULL AND r.due_at <= ?2
            ORDER BY d.expires_at, d.id LIMIT ?5
            """, now.milliseconds - Self.longestLate.wholeMilliseconds, now.milliseconds,
            (now + near.ahead).milliseconds, (now + far.ahead).milliseconds, Self.looksAt
        ) { row in
            Reminder(
                event: try row["id"], name: try row["name"], slug: try row["slug"], email: try row["email"],
                hostName: try row["display_name"], endsAt: try row.moment("expires_at"),
                zone: try Event.shownZone(row),
                stage: Reminder.Stage(rawValue: try row["stage"]) ?? .ended, tries: try row["tries"])
        }
    }

    /// Its host is not told of this end once more at this stage.
    func told(_ reminder: Reminder) throws {
        try database.run(
            "UPDATE reminders SET told_at = ? WHERE event_id = ? AND stage = ? AND expires_at = ?",
            wall.wallNow.milliseconds, reminder.event, reminder.stage.rawValue,
            reminder.endsAt.milliseconds)
    }

    /// It is due again: after a minute, and later once an hour. What was refused is asked for once a day: it may be the
    /// operator's settings that are refused, which are set right, or a host's mailbox, which is not asked all the time.
    func giveBack(_ reminder: Reminder, isRefused: Bool = false) throws {
        let pause =
            isRefused ? Self.pauseAfterRefusal : Self.pauses.ceiling(afterFailures: reminder.tries + 1)
        try database.run(
            """
            UPDATE reminders SET tries = tries + 1, due_at = ?
                WHERE event_id = ? AND stage = ? AND expires_at = ? AND told_at IS NULL
            """, (wall.wallNow + pause).milliseconds, reminder.event, reminder.stage.rawValue,
            reminder.endsAt.milliseconds)
    }

    /// Part of a transaction that deletes it.
    func removeReminders(ofEvent event: String) throws {
        try database.run("DELETE FROM reminders WHERE event_id = ?", event)
    }
}
