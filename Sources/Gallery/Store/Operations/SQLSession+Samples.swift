import Database

extension SQLSession {
    /// So many events are looked at from either end, and so many photos of each from either end.
    private static var fewEvents: Int { 3 }
    private static var fewPhotos: Int { 2 }

    /// Keys of a few photos' thumbs, of the newest events and the oldest, each once: by indexes, however many photos there are.
    /// None where there is no photo.
    func sampledKeys() throws -> [String] {
        var events: [String] = []
        for direction in ["DESC", "ASC"] {
            events += try all(
                """
                SELECT e.id FROM events AS e JOIN event_counts AS c ON c.event_id = e.id WHERE c.photos > 0
                    ORDER BY e.created_at \(direction), e.id LIMIT ?
                """, Self.fewEvents
            ) { try $0["id"] }
        }
        var keys: [String] = []
        var known: Set<String> = []
        for event in events where known.insert(event).inserted {
            for direction in ["DESC", "ASC"] {
                keys += try all(
                    """
                    SELECT thumb_key FROM photos WHERE event_id = ? AND deleted_at IS NULL
                        ORDER BY place \(direction), sequence \(direction) LIMIT ?
                    """, event, Self.fewPhotos
                ) { try $0["thumb_key"] }
            }
        }
        return keys.filter { known.insert($0).inserted }
    }
}

extension GalleryReader {
    func sampledKeys() throws -> [String] { try database.sampledKeys() }
}
