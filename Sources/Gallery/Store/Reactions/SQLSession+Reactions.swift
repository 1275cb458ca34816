import Basics
import Database

extension PhotoReactions {
    fileprivate static let select = """
        SELECT r.photo_id, r.hearts, r.comments, r.edits, p.hidden FROM photo_reactions AS r
        JOIN photos AS p ON p.id = r.photo_id AND p.deleted_at IS NULL
        """

    fileprivate init(_ row: any SQLRow) throws {
        self.init(
            photo: try row["photo_id"], hearts: try row["hearts"], comments: try row["comments"],
            edits: try row["edits"], isHidden: try row["hidden"])
    }
}

extension Comment {
    fileprivate static let columns = "id, photo_id, event_id, device, name, words, created_at"

    fileprivate init(_ row: any SQLRow) throws {
        self.init(
            id: try row["id"], photo: try row["photo_id"], event: try row["event_id"],
            device: try row["device"], name: try row["name"], words: try row["words"],
            createdAt: try row.moment("created_at"))
    }
}

extension SQLSession {
    func reactions(of photo: String) throws -> PhotoReactions? {
        try first("\(PhotoReactions.select) WHERE r.photo_id = ?", photo, as: PhotoReactions.init)
    }

    /// Photos that were told of by a later change than that, hidden ones too. A page that misses more than these is as it was
    /// until it is opened again.
    func reactions(toldOf event: String, after stamp: Int64) throws -> [PhotoReactions] {
        try all(
            "\(PhotoReactions.select) WHERE r.event_id = ? AND r.stamp > ? ORDER BY r.stamp DESC LIMIT ?",
            event, stamp, Self.mostTold, as: PhotoReactions.init)
    }

    private static var mostTold: Int { 2000 }

    func comment(_ id: String) throws -> Comment? {
        try first("SELECT \(Comment.columns) FROM comments WHERE id = ?", id, as: Comment.init)
    }
}

extension GalleryReader {
    func reactions(of photo: String) throws -> PhotoReactions? { try database.reactions(of: photo) }

    /// Of all photos that guests see and that have some, in the order of their ids behind one.
    func reactions(of event: String, behind photo: String, limit: Int) throws -> [PhotoReactions] {
        try database.all(
            """
            \(PhotoReactions.select) WHERE r.event_id = ? AND r.photo_id > ? AND p.hidden = 0
                AND r.hearts + r.comments > 0 ORDER BY r.photo_id LIMIT ?
            """, event, photo, limit, as: PhotoReactions.init)
    }

    /// The photos that a device has given its heart and that guests see, the last one first.
    func hearts(of device: String, in event: String) throws -> [String] {
        try database.all(
            """
            SELECT h.photo_id FROM hearts AS h JOIN photos AS p ON p.id = h.photo_id
            WHERE h.event_id = ? AND h.device = ? AND p.deleted_at IS NULL AND p.hidden = 0
            ORDER BY h.given_at DESC, h.photo_id LIMIT ?
            """, event, device, GalleryStore.mostHearts
        ) { try $0.get("photo_id", as: String.self) }
    }

    /// Of a photo, the oldest first.
    func comments(of photo: String, behind place: CommentCursor?, limit: Int) throws -> [Comment] {
        try database.all(
            """
            SELECT \(Comment.columns) FROM comments WHERE photo_id = ? AND (created_at, id) > (?, ?)
            ORDER BY created_at, id LIMIT ?
            """, photo, place?.moment.milliseconds ?? Int64.min, place?.id ?? "", limit, as: Comment.init)
    }

    /// Of an event, the newest first.
    func comments(ofEvent event: String, behind place: CommentCursor?, limit: Int) throws -> [Comment] {
        try database.all(
            """
            SELECT \(Comment.columns) FROM comments WHERE event_id = ? AND (created_at, id) < (?, ?)
                AND EXISTS (SELECT 1 FROM photos WHERE photos.id = comments.photo_id AND photos.deleted_at IS NULL)
            ORDER BY created_at DESC, id DESC LIMIT ?
            """, event, place?.moment.milliseconds ?? Int64.max, place?.id ?? "~", limit, as: Comment.init)
    }

    /// Of an event, those with most hearts first; of as many, those with most comments. Hidden ones too.
    func likedPhotos(of event: String, behind place: LikedCursor?, limit: Int) throws -> [LikedPhoto] {
        try database.all(
            """
            SELECT \(Photo.columns(of: "p")), r.photo_id, r.hearts, r.comments, r.edits
            FROM photo_reactions AS r JOIN photos AS p ON p.id = r.photo_id AND p.deleted_at IS NULL
            WHERE r.event_id = ? AND r.hearts + r.comments > 0
                AND (r.hearts, r.comments, r.photo_id) < (?, ?, ?)
            ORDER BY r.hearts DESC, r.comments DESC, r.photo_id DESC LIMIT ?
            """, event, place?.hearts ?? Int.max, place?.comments ?? Int.max, place?.photo ?? "~", limit
        ) { row in LikedPhoto(photo: try Photo(row), reactions: try PhotoReactions(row)) }
    }
}
