package import Bridge
import Database

/// A photo as the database has it.
package struct Photo: Equatable, Sendable {
    package let id: String
    package let event: String
    package let owner: String
    package let sequence: Int64
    package let sha256: String
    package let contentType: String
    package let size: UInt64
    package let width: Int
    package let height: Int
    package let filename: String?
    package let source: String?
    package let camera: String?
    package let copyright: String?
    package let capturedAt: Timestamp?
    /// By how many minutes clocks were ahead of UTC where it was taken; nothing where nobody knows.
    package let capturedOffset: Int?
    /// What clocks in the event's zone showed then, read as if it were UTC.
    package let shownAt: Timestamp?
    package let createdAt: Timestamp
    package let thumbKey: String
    package let screenKey: String
    package let originalKey: String
    package let thumbWidth: Int
    package let thumbHeight: Int
    package let caption: String
    package let rating: Int
    package let tags: [String]
    package let isHidden: Bool
    package let updatedAt: Timestamp
    package let stamp: Int64

    static let columns = """
        id, event_id, owner_id, sequence, sha256, content_type, size, width, height, filename, source, camera,
        copyright, captured_at, created_at, thumb_key, screen_key, original_key, thumb_width, thumb_height, caption,
        rating, tags, hidden, updated_at, stamp, captured_offset, shown_at
        """

    init(_ row: Row) throws {
        id = try row.get(0)
        event = try row.get(1)
        owner = try row.get(2)
        sequence = try row.get(3)
        sha256 = try row.get(4)
        contentType = try row.get(5)
        size = try row.get(6)
        width = try row.get(7)
        height = try row.get(8)
        filename = try row.get(9)
        source = try row.get(10)
        camera = try row.get(11)
        copyright = try row.get(12)
        capturedAt = try row.moment(13)
        createdAt = Timestamp(milliseconds: try row.get(14))
        thumbKey = try row.get(15)
        screenKey = try row.get(16)
        originalKey = try row.get(17)
        thumbWidth = try row.get(18)
        thumbHeight = try row.get(19)
        caption = try row.get(20)
        rating = try row.get(21)
        tags = Self.tags(try row.get(22))
        isHidden = try row.get(23)
        updatedAt = Timestamp(milliseconds: try row.get(24))
        stamp = try row.get(25)
        capturedOffset = try row.get(26)
        shownAt = try row.moment(27)
    }

    /// They are written by ourselves; what is none of ours is no tag.
    static func tags(_ text: String) -> [String] {
        do throws(JSON5Error) {
            return try JSON5.parse(text).array?.compactMap(\.string) ?? []
        } catch {
            return []
        }
    }

    static func text(_ tags: [String]) -> String { JSONValue.array(tags.map(JSONValue.string)).compact }

    /// Where it stands on the page: by when it was taken, and where nobody knows that, by when it came.
    package var place: PhotoPlace { PhotoPlace(capturedAt ?? createdAt, sequence) }

    /// The name under which somebody keeps it.
    package var name: String { Self.name(filename: filename, id: id, contentType: contentType) }

    static func name(filename: String?, id: String, contentType: String) -> String {
        let ending = contentType.split(separator: "/").last.map(String.init) ?? "bin"
        return SafeName.component(filename ?? "", fallback: "\(id).\(ending == "jpeg" ? "jpg" : ending)")
    }
}

/// Which of an event's photos are wanted.
package struct PhotoFilter: Equatable, Sendable {
    package var text = ""
    package var rating = 0
    package var showsHidden = false
    /// Photos behind this place, in the order of the page.
    package var behind: PhotoPlace?
    /// Only what changed after that.
    package var stampAfter: Int64?
    package var limit = 100

    package init() {}

    package static let mostText = 200
    package static let mostAtOnce = 200

    /// Of an event, what is behind a place and its sequence, how good at least, whether hidden, by a pattern, so many.
    var statement: String {
        """
        SELECT \(Photo.columns) FROM photos
        WHERE event_id = ?1 AND deleted_at IS NULL AND (place, sequence) < (?2, ?3) AND rating >= ?4
            AND hidden <= ?5 AND \(PhotoSearch(text).condition("?6")) ORDER BY place DESC, sequence DESC LIMIT ?7
        """
    }
}

extension Connection {
    /// The latest first.
    func photos(of event: String, _ filter: PhotoFilter) throws -> [Photo] {
        try all(
            filter.statement, event, filter.behind?.moment.milliseconds ?? Int64.max,
            filter.behind?.sequence ?? Int64.max, filter.rating, filter.showsHidden,
            PhotoSearch(filter.text).pattern, filter.limit, as: Photo.init)
    }

    func photo(_ id: String) throws -> Photo? {
        try first(
            "SELECT \(Photo.columns) FROM photos WHERE id = ? AND deleted_at IS NULL", id, as: Photo.init)
    }
}

/// What may be changed of a photo; nothing where nothing is said.
package struct PhotoWish: Equatable, Sendable {
    package var caption: String?
    package var rating: Int?
    package var tags: [String]?
    package var isHidden: Bool?

    package init() {}
}

extension GalleryStore {
    package func photo(_ id: String, of account: String) throws -> Photo {
        guard let photo = try database.photo(id), photo.owner == account else {
            throw APIError.notFound("photo")
        }
        return photo
    }

    package func changePhoto(_ id: String, of account: String, _ wish: PhotoWish) throws -> Photo {
        try database.transaction {
            let old = try photo(id, of: account)
            try database.run(
                """
                UPDATE photos SET caption = ?, rating = ?, tags = ?, hidden = ?, updated_at = max(updated_at + 1, ?),
                    stamp = ? WHERE id = ?
                """, wish.caption ?? old.caption, wish.rating ?? old.rating,
                Photo.text(wish.tags ?? old.tags),
                wish.isHidden ?? old.isHidden, wall.wallNow.milliseconds, try next(.stamp), id)
            return try photo(id, of: account)
        }
    }
}
