import Basics
import Database

extension SQLSession {
    /// In the host's order.
    func sections(of event: String) throws -> [Section] {
        try all(
            """
            SELECT id, name, (SELECT count(*) FROM photo_albums WHERE album_id = albums.id AND shown = 1) AS photos
            FROM albums WHERE event_id = ? AND deleted_at IS NULL ORDER BY position, id LIMIT ?
            """, event, GalleryStore.mostAlbums
        ) { row in
            Section(id: try row["id"], name: try row["name"], photos: try row["photos"])
        }.filter { $0.photos > 0 }
    }

    /// How many photos guests see in an album of an event; nothing where there is no such album.
    func shown(in album: String, of event: String) throws -> Int? {
        guard try name(ofAlbum: album, in: event) != nil else { return nil }
        return try count("FROM photo_albums WHERE album_id = ? AND shown = 1", album)
    }

    /// The sequences of all photos in an album: of those that guests see, or of those that a host sees.
    func sequences(in album: String, showsHidden: Bool) throws -> Set<Int64> {
        let shown = showsHidden ? "" : " AND shown = 1"
        return Set(
            try all("SELECT sequence FROM photo_albums WHERE album_id = ?\(shown)", album) {
                try $0.get("sequence", as: Int64.self)
            })
    }

    /// What stands before the conditions where photos `p` of an album are asked for in its order, by the album's own index
    /// `s`. A database without statistics would rather begin with all photos of the event.
    var sectionSource: String {
        switch dialect {
        case .sqlite: "photo_albums AS s CROSS JOIN photos AS p ON p.id = s.photo_id"
        case .postgres: "photo_albums AS s JOIN photos AS p ON p.id = s.photo_id"
        }
    }

    /// Photos of a section, the latest first.
    func photos(of event: String, in album: String, _ filter: PhotoFilter) throws -> [Photo] {
        try all(
            """
            SELECT \(Photo.columns(of: "p")) FROM \(sectionSource)
            WHERE s.album_id = ?1 AND s.shown = 1 AND (s.place, s.sequence) < (?2, ?3) AND p.event_id = ?4
                AND p.deleted_at IS NULL AND p.hidden = 0 AND p.rating >= ?5
            ORDER BY s.place DESC, s.sequence DESC LIMIT ?6
            """, album, filter.behind?.moment.milliseconds ?? Int64.max,
            filter.behind?.sequence ?? Int64.max, event, filter.rating, filter.limit, as: Photo.init)
    }
}

extension GalleryReader {
    /// Whether guests see a photo of that album of the event.
    func isSection(_ album: String, of event: String) throws -> Bool {
        try database.shown(in: album, of: event) ?? 0 > 0
    }

    /// The sections as they are; nothing where no photo and no album has changed since that stamp.
    func sectionNews(of event: String, after known: Int64?) throws -> (stamp: Int64, sections: [Section]?) {
        try database.snapshot {
            let stamp = try database.lastStamp(ofEvent: event)
            if let known, try !haveSectionsChanged(of: event, after: known) { return (stamp, nil) }
            return (stamp, try database.sections(of: event))
        }
    }

    private func haveSectionsChanged(of event: String, after stamp: Int64) throws -> Bool {
        if try haveChanged(photosOf: event, after: stamp) { return true }
        return try database.has(
            """
            SELECT 1 FROM albums WHERE owner_id = (SELECT owner_id FROM events WHERE id = ?1) AND event_id = ?1
                AND stamp > ?2 LIMIT 1
            """, event, stamp)
    }

    /// In pieces that take as long as those of a whole event's: each row is looked up by itself.
    private static let mostAtOnce = 1500

    /// The photos of a section behind a place, the latest first. Fewer than could be are the last.
    func timelineEntries(
        of event: String, in album: String, behind last: Timeline.Entry?
    ) throws -> (entries: [Timeline.Entry], isLast: Bool) {
        let entries = try database.all(
            """
            SELECT p.place, p.sequence, p.shown_at, p.thumb_width, p.thumb_height FROM \(database.sectionSource)
            WHERE s.album_id = ?1 AND s.shown = 1 AND (s.place, s.sequence) < (?2, ?3) AND p.event_id = ?4
                AND p.deleted_at IS NULL AND p.hidden = 0
            ORDER BY s.place DESC, s.sequence DESC LIMIT ?5
            """, album, last?.moment ?? Int64.max, last?.sequence ?? Int64.max, event, Self.mostAtOnce,
            as: Timeline.Entry.init)
        return (entries, entries.count < Self.mostAtOnce)
    }
}
