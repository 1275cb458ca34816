import Basics
import Database

/// What guests see of an event, as it was at one moment.
struct ExportRows: Sendable {
    struct Row: Sendable {
        let photo: Photo
        let thumbSize: UInt64
        let screenSize: UInt64
        /// Which of the sections it is in.
        var sections: [Int] = []
    }

    let event: Event
    var sections: [Section] = []
    /// In the order of the page. One more than was asked for where there are more.
    let rows: [Row]
}

/// What is taken out of a gallery. It is read at one moment, and no writer waits for it.
extension GalleryReader {
    /// Nothing where there is no such event.
    func exportRows(of id: String, limit: Int) throws -> ExportRows? {
        try database.snapshot {
            guard let event = try database.event(id) else { return nil }
            let sections = try database.sections(of: id)
            // By number, so that what there is for each pair of a photo and a section is small.
            let numbers = Dictionary(uniqueKeysWithValues: sections.enumerated().map { ($1.id, $0) })
            var sectionsOfPhotos: [String: [Int]] = [:]
            try database.each(
                """
                SELECT photo_id, album_id FROM photo_albums JOIN albums ON albums.id = album_id
                WHERE event_id = ? AND deleted_at IS NULL ORDER BY position, albums.id
                """, id
            ) { row in
                guard let number = numbers[try row["album_id"]] else { return }
                sectionsOfPhotos[try row["photo_id"], default: []].append(number)
            }
            let rows = try database.all(
                """
                SELECT \(Photo.columns), thumb_size, screen_size FROM photos
                WHERE event_id = ?1 AND deleted_at IS NULL AND hidden = 0
                ORDER BY place DESC, sequence DESC LIMIT ?2
                """, id, limit + 1
            ) { row in
                let photo = try Photo(row)
                return ExportRows.Row(
                    photo: photo, thumbSize: try row["thumb_size"], screenSize: try row["screen_size"],
                    sections: sectionsOfPhotos[photo.id] ?? [])
            }
            return ExportRows(event: event, sections: sections, rows: rows)
        }
    }

    /// The event as it is now and what guests see of it now; nothing where there is no such event any more.
    func exportLook(at id: String) throws -> (event: Event, photos: Set<String>)? {
        try database.snapshot {
            guard let event = try database.event(id) else { return nil }
            let photos = try database.all(
                "SELECT id FROM photos WHERE event_id = ? AND deleted_at IS NULL AND hidden = 0", id
            ) { try $0.get("id", as: String.self) }
            return (event, Set(photos))
        }
    }
}
