import Basics
import Database

/// What a timeline is made of: in pieces, so that whatever else is read waits for one piece at the most.
extension GalleryReader {
    /// How many photos are read at once: some 10 ms.
    private static let mostAtOnce = 4000

    /// The photos behind a place as guests see them, the latest first. Fewer than could be are the last.
    func timelineEntries(
        of event: String, behind last: Timeline.Entry?
    ) throws -> (entries: [Timeline.Entry], isLast: Bool) {
        let entries = try database.all(
            """
            SELECT place, sequence, shown_at, thumb_width, thumb_height FROM photos
            WHERE event_id = ?1 AND deleted_at IS NULL AND (place, sequence) < (?2, ?3) AND hidden = 0
            ORDER BY place DESC, sequence DESC LIMIT ?4
            """, event, last?.moment ?? Int64.max, last?.sequence ?? Int64.max, Self.mostAtOnce,
            as: Timeline.Entry.init)
        return (entries, entries.count < Self.mostAtOnce)
    }

    /// What has changed since a stamp, as it is now.
    struct TimelineNews: Sendable {
        /// Nothing where that is so much that all of it is better read anew.
        let changes: [Timeline.Change]?
        /// What comes after this stamp is not in it.
        let stamp: Int64
        /// The sequence of the last photo that had come.
        let last: Int64
        /// How many photos guests see; nothing when the event is gone.
        let count: Int?
    }

    func timelineNews(of event: String, after stamp: Int64) throws -> TimelineNews {
        try database.snapshot {
            let changes = try database.all(
                """
                SELECT place, sequence, shown_at, thumb_width, thumb_height, hidden, deleted_at FROM photos
                WHERE owner_id = (SELECT owner_id FROM events WHERE id = ?1) AND stamp > ?2 AND event_id = ?1 LIMIT ?3
                """, event, stamp, Self.mostAtOnce + 1
            ) { row in
                let entry = try Timeline.Entry(row)
                let isSeen =
                    try !row.get("hidden", as: Bool.self) && row.get("deleted_at", as: Int64?.self) == nil
                return Timeline.Change(sequence: entry.sequence, entry: isSeen ? entry : nil)
            }
            return TimelineNews(
                changes: changes.count > Self.mostAtOnce ? nil : changes,
                stamp: try database.lastStamp(ofEvent: event),
                last: try database.lastSequence(of: event), count: try database.event(event)?.counts.visible)
        }
    }
}

extension Timeline.Entry {
    init(_ row: any SQLRow) throws {
        moment = try row["place"]
        sequence = try row["sequence"]
        hour = try row.get("shown_at", as: Int64?.self).map { Timestamp(milliseconds: $0).hours }
        shape = UInt8(PagePhoto.shape(width: try row["thumb_width"], height: try row["thumb_height"]))
    }
}
