import Basics
import Database

/// What goes into archives.
extension SQLSession {
    /// With these sequences, and the place of each in the order in which they were shot; where an album is named, only what
    /// guests see in it.
    func files(
        of event: String, in album: String? = nil, _ size: ArchiveWish.Size, behind first: Int64,
        upTo last: Int64, showsHidden: Bool,
        limit: Int
    ) throws -> [(file: ZipEntry, place: PhotoCursor)] {
        try all(
            """
            SELECT \(size.columns), place FROM photos
            WHERE event_id = ?1 AND deleted_at IS NULL AND sequence > ?2 AND sequence <= ?3 AND hidden <= ?4
                AND (CAST(?6 AS TEXT) IS NULL OR (SELECT deleted_at FROM albums WHERE id = ?6) IS NULL
                    AND EXISTS (SELECT 1 FROM photo_albums WHERE photo_id = photos.id AND album_id = ?6 AND shown = 1))
            ORDER BY sequence LIMIT ?5
            """, event, first, last, showsHidden, limit, album
        ) { row in
            let file = try ZipEntry(row, size)
            return (file, PhotoCursor(try row.moment("place"), file.sequence))
        }
    }

    /// Those of these.
    func files(
        of event: String, _ size: ArchiveWish.Size, _ sequences: [Int64], showsHidden: Bool
    ) throws -> [ZipEntry] {
        try all(
            """
            \(foundBySequence) SELECT \(size.columns) FROM found
            WHERE deleted_at IS NULL AND hidden <= ?3 ORDER BY place, sequence
            """, event, SQLDialect.list(sequences), showsHidden
        ) { try ZipEntry($0, size) }
    }

    /// The sequences of those of these photos that are the event's, from the first to the last.
    func sequences(of photos: [String], in event: String, showsHidden: Bool) throws -> [Int64] {
        try all(
            """
            SELECT sequence FROM photos
            WHERE id \(dialect.isAmongTexts("?1")) AND event_id = ?2 AND deleted_at IS NULL AND hidden <= ?3
            ORDER BY sequence
            """, photos.joined(separator: ","), event, showsHidden
        ) { try $0["sequence"] }
    }

    /// Of an original that is not deleted.
    func sha256(ofOriginal key: String) throws -> String? {
        try first("SELECT sha256 FROM photos WHERE original_key = ? AND deleted_at IS NULL", key) {
            try $0["sha256"]
        }
    }
}

extension ArchiveWish.Size {
    fileprivate var columns: String {
        let own =
            switch self {
            // Of a video the copy for guests: a picture of it is not what is taken home.
            case .screen:
                """
                coalesce(stream_key, screen_key) AS object_key, coalesce(stream_size, screen_size) AS bytes,
                CASE WHEN stream_key IS NULL THEN screen_crc ELSE stream_crc END AS crc
                """
            case .original: "original_key AS object_key, size AS bytes, original_crc AS crc"
            }
        return "\(own), filename, id, content_type, sequence, coalesce(shown_at, created_at) AS shown"
    }
}

extension ZipEntry {
    fileprivate init(_ row: any SQLRow, _ size: ArchiveWish.Size) throws {
        let (filename, id, type): (String?, String, String) = (
            try row["filename"], try row["id"], try row["content_type"]
        )
        let crc: Int64? = try row["crc"]
        self.init(
            key: try row["object_key"],
            name: size == .original || VideoType.isVideo(type)
                ? Photo.name(filename: filename, id: id, contentType: type)
                : Photo.screenName(filename: filename, id: id, contentType: type),
            size: try row["bytes"], crc: crc.flatMap(UInt32.init(exactly:)), at: try row.moment("shown"),
            sequence: try row["sequence"])
    }
}

extension GalleryReader {
    func files(
        of event: String, in album: String?, _ size: ArchiveWish.Size, behind first: Int64, upTo last: Int64,
        showsHidden: Bool,
        limit: Int
    ) throws -> [(file: ZipEntry, place: PhotoCursor)] {
        try database.files(
            of: event, in: album, size, behind: first, upTo: last, showsHidden: showsHidden, limit: limit)
    }

    func files(
        of event: String, _ size: ArchiveWish.Size, _ sequences: [Int64], showsHidden: Bool
    ) throws -> [ZipEntry] {
        try database.files(of: event, size, sequences, showsHidden: showsHidden)
    }

    func sequences(of photos: [String], in event: String, showsHidden: Bool) throws -> [Int64] {
        try database.sequences(of: photos, in: event, showsHidden: showsHidden)
    }

    func sha256(ofOriginal key: String) throws -> String? { try database.sha256(ofOriginal: key) }
}

extension GalleryStore {
    /// What was learned of an object's bytes stays known. No change that clients are told of: it was so all the time.
    func learned(_ crc: UInt32, of file: ZipEntry, _ size: ArchiveWish.Size) throws {
        let name = size == .original ? "original" : "screen"
        try database.run(
            "UPDATE photos SET \(name)_crc = ? WHERE \(name)_key = ? AND \(name)_crc IS NULL", Int64(crc),
            file.key)
    }
}
