import Basics
import Database
import Imaging

extension Photo {
    static let columns = """
        id, event_id, owner_id, sequence, sha256, content_type, size, width, height, filename, source, camera,
        copyright, captured_at, captured_offset, shown_at, created_at, thumb_key, screen_key, original_key, thumb_width,
        thumb_height, caption, rating, tags, hidden, updated_at, stamp, stream_key, stream_size, duration, has_poster,
        guest_name, waiting, tile_key, tile_size, tile_width, placeholder
        """

    /// The same where a statement asks several tables.
    static func columns(of table: String) -> String {
        columns.split(separator: ",").map { "\(table).\($0.filter { !$0.isWhitespace })" }
            .joined(separator: ", ")
    }

    init(_ row: any SQLRow) throws { try self.init(row, tags: try row.readableTexts("tags")) }

    init(_ row: any SQLRow, tags: [String]) throws {
        id = try row["id"]
        event = try row["event_id"]
        owner = try row["owner_id"]
        sequence = try row["sequence"]
        sha256 = try row["sha256"]
        contentType = try row["content_type"]
        size = try row["size"]
        width = try row["width"]
        height = try row["height"]
        filename = try row["filename"]
        source = try row["source"]
        camera = try row["camera"]
        copyright = try row["copyright"]
        capturedAt = try row.moment("captured_at")
        capturedOffset = try row["captured_offset"]
        shownAt = try row.moment("shown_at")
        createdAt = try row.moment("created_at")
        thumbKey = try row["thumb_key"]
        screenKey = try row["screen_key"]
        originalKey = try row["original_key"]
        thumbWidth = try row["thumb_width"]
        thumbHeight = try row["thumb_height"]
        caption = try row["caption"]
        rating = try row["rating"]
        self.tags = tags
        isHidden = try row["hidden"]
        updatedAt = try row.moment("updated_at")
        stamp = try row["stamp"]
        guestName = try row["guest_name"]
        isWaiting = try row["waiting"] && isHidden
        video = try PhotoVideo(row)
        tile = try Tile(row)
        placeholder = (try row["placeholder"] as [UInt8]?).flatMap(Placeholder.init)
    }
}

extension Photo.Tile {
    fileprivate init?(_ row: any SQLRow) throws {
        guard let key: String = try row["tile_key"] else { return nil }
        self.init(key: key, size: try row["tile_size"], width: try row["tile_width"])
    }
}

extension PhotoVideo {
    fileprivate init?(_ row: any SQLRow) throws {
        guard let key: String = try row["stream_key"] else { return nil }
        streamKey = key
        streamSize = try row["stream_size"]
        duration = try row["duration"]
        hasPoster = try row["has_poster"]
    }
}

extension PhotoFilter {
    /// Of an event, what is behind a place and its sequence, how good at least, whether hidden, so many; and of which album,
    /// where one is named.
    var statement: String {
        """
        SELECT \(Photo.columns) FROM photos
        WHERE event_id = ?1 AND deleted_at IS NULL AND (place, sequence) < (?2, ?3) AND rating >= ?4
            AND hidden <= ?5\(isWaiting ? " AND waiting = 1 AND hidden = 1" : "")\(isOfAlbum)
            ORDER BY place DESC, sequence DESC LIMIT ?6
        """
    }

    /// The index of sections has nothing that is hidden. In the order of all photos a page is soon full.
    private var isOfAlbum: String {
        guard album != nil, !isWaiting else { return "" }
        return " AND EXISTS (SELECT 1 FROM photo_albums WHERE photo_id = photos.id AND album_id = ?7)"
    }
}

extension SQLSession {
    func photo(_ id: String) throws -> Photo? {
        try first(
            "SELECT \(Photo.columns) FROM photos WHERE id = ? AND deleted_at IS NULL", id, as: Photo.init)
    }

    /// The latest first.
    func photos(
        of event: String, _ filter: PhotoFilter, known: KnownBlocks? = nil
    ) throws -> [Photo] {
        // Blanks alone are no search.
        let wanted = SearchTerms(filter.text)
        if !wanted.all.isEmpty, !filter.isWaiting { return try search(event, wanted, filter, known) }
        let (moment, sequence) = (
            filter.behind?.moment.milliseconds ?? Int64.max, filter.behind?.sequence ?? Int64.max
        )
        if let album = filter.album, !filter.isWaiting {
            guard filter.showsHidden else { return try photos(of: event, in: album, filter) }
            return try all(
                filter.statement, event, moment, sequence, filter.rating, filter.showsHidden, filter.limit,
                album, as: Photo.init)
        }
        return try all(
            filter.statement, event, moment, sequence, filter.rating, filter.showsHidden, filter.limit,
            as: Photo.init)
    }
}
