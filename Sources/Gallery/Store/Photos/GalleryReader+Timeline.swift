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

    /// Of all photos, or of those of one album.
    func timelineNews(
        of event: String, in album: String? = nil, after stamp: Int64
    ) throws -> TimelineNews {
        try database.snapshot {
            let isInside = "EXISTS (SELECT 1 FROM photo_albums WHERE photo_id = photos.id AND album_id = ?4)"
            let changes = try database.all(
                """
                SELECT place, sequence, shown_at, thumb_width, thumb_height, hidden, deleted_at,
                    CAST(CASE WHEN CAST(?4 AS TEXT) IS NULL OR \(isInside) THEN 1 ELSE 0 END AS BIGINT) AS is_inside
                FROM photos
                WHERE owner_id = (SELECT owner_id FROM events WHERE id = ?1) AND stamp > ?2 AND event_id = ?1 LIMIT ?3
                """, event, stamp, Self.mostAtOnce + 1, album
            ) { row in
                let entry = try Timeline.Entry(row)
                let isSeen =
                    try !row.get("hidden", as: Bool.self) && row.get("deleted_at", as: Int64?.self) == nil
                    && row.get("is_inside", as: Bool.self)
                return Timeline.Change(sequence: entry.sequence, entry: isSeen ? entry : nil)
            }
            return TimelineNews(
                changes: changes.count > Self.mostAtOnce ? nil : changes,
                stamp: try database.lastStamp(ofEvent: event),
                last: try database.lastSequence(of: event), count: try shown(of: event, in: album))
        }
    }

    /// Nothing when there is no such event, or album.
    private func shown(of event: String, in album: String?) throws -> Int? {
        guard let album else { return try database.event(event)?.counts.visible }
        return try database.shown(in: album, of: event)
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
