import Basics
import Database

/// Hearts and comments of guests. A heart notes no change by itself: what many guests do at once is told together, see
/// ``ReactionTeller``.
extension GalleryStore {
    /// Of one device in one event: as many as a guest can pick.
    static let mostHearts = 1000

    /// Gives a photo a device's heart, or takes it back; what is so already stays so.
    func setHeart(
        _ isGiven: Bool, on photo: String, in event: String, by device: String
    ) throws -> PhotoReactions {
        try write {
            try keepShown(photo, in: event)
            if isGiven {
                try database.run(
                    """
                    INSERT INTO hearts (photo_id, device, event_id, given_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (photo_id, device) DO NOTHING
                    """, photo, device, event, wall.wallNow.milliseconds)
                let count = try database.count(
                    "FROM hearts WHERE event_id = ? AND device = ?", event, device)
                guard count <= Self.mostHearts else { throw GalleryRefusal.tooManyHearts(Self.mostHearts) }
            } else {
                try database.run("DELETE FROM hearts WHERE photo_id = ? AND device = ?", photo, device)
            }
            return try database.reactions(of: photo) ?? .none(of: photo)
        }
    }

    /// A comment that came before with the same id is the same one: whether it is new is told. Its moment is given here.
    func addComment(_ wish: CommentWish, in event: String, by device: String) throws -> (Comment, isNew: Bool)
    {
        try write {
            try keepShown(wish.photo, in: event)
            let id = wish.id ?? newID()
            let added = try database.run(
                """
                INSERT INTO comments (id, photo_id, event_id, device, name, words, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
                """, id, wish.photo, event, device, wish.name, wish.words, wall.wallNow.milliseconds)
            guard let comment = try database.comment(id), comment.isSame(as: wish, by: device) else {
                throw GalleryRefusal.commentKnown
            }
            guard added > 0 else { return (comment, false) }
            let count = try database.reactions(of: wish.photo)?.comments ?? 0
            guard count <= Comment.mostOfPhoto else {
                throw GalleryRefusal.tooManyComments(Comment.mostOfPhoto)
            }
            try noteEdit(of: wish.photo)
            return (comment, true)
        }
    }

    /// Of a photo that guests see, and of that device; or any of the event, where none is named. Answers which photo it was of.
    func removeComment(_ id: String, in event: String, by device: String? = nil) throws -> String {
        try write {
            // Before the comment's own row: what deletes its photo or event takes them in this order.
            try lockOwner(ofEvent: event)
            guard let comment = try database.comment(id), comment.event == event,
                device == nil || comment.device == device
            else { throw GalleryRefusal.notFound(.comment) }
            if device != nil {
                guard let photo = try database.photo(comment.photo), !photo.isHidden else {
                    throw GalleryRefusal.notFound(.comment)
                }
            }
            try database.run("DELETE FROM comments WHERE id = ?", id)
            try noteEdit(of: comment.photo)
            return comment.photo
        }
    }

    private func noteEdit(of photo: String) throws {
        try database.run("UPDATE photo_reactions SET edits = edits + 1 WHERE photo_id = ?", photo)
    }

    /// Guests see it, until the transaction ends: what hides or deletes it waits, and finds what this one writes.
    private func keepShown(_ photo: String, in event: String) throws {
        let sharing = database.dialect == .postgres ? " FOR SHARE" : ""
        let isShown = try database.has(
            """
            SELECT 1 AS shown FROM photos
            WHERE id = ? AND event_id = ? AND hidden = 0 AND deleted_at IS NULL\(sharing)
            """, photo, event)
        guard isShown else { throw GalleryRefusal.notFound(.photo) }
    }

    // MARK: Telling

    /// Those who look are told how many these photos have by now, all of them by one change.
    func tellReactions(of photos: [String], in event: String) throws {
        try write {
            try lockOwner(ofEvent: event)
            guard try database.event(event) != nil else { return }
            let stamp = try nextStamp(ofEvent: event)
            try database.run(
                """
                UPDATE photo_reactions SET stamp = ?1
                WHERE event_id = ?2 AND photo_id \(database.dialect.isAmongTexts("?3"))
                """, stamp, event, photos.joined(separator: ","))
            try noteReactions(of: event, after: stamp - 1)
        }
    }

    /// Part of a transaction. Where no photo is named, whether any are taken is what has changed.
    func noteReactions(of event: String, after stamp: Int64) throws {
        guard let now = try database.event(event) else { return }
        let told = try database.reactions(toldOf: event, after: stamp)
        note(.reactionsChanged(told, in: now, stamp: try lastStamp(ofEvent: event)))
    }

    // MARK: Parts of a transaction that deletes

    /// The counts go first: what is deleted after them is counted no more.
    func removeReactions(ofPhoto photo: String) throws {
        for table in Self.reactionTables {
            try database.run("DELETE FROM \(table) WHERE photo_id = ?", photo)
        }
    }

    func removeReactions(ofEvent event: String) throws {
        for table in Self.reactionTables {
            try database.run("DELETE FROM \(table) WHERE event_id = ?", event)
        }
    }

    private static let reactionTables = ["photo_reactions", "hearts", "comments"]
}

/// A comment that a guest wants to write.
struct CommentWish: Equatable, Sendable {
    /// Chosen by the client, so that the same wish twice is one comment.
    let id: String?
    let photo: String
    let name: String
    let words: String
}

extension Comment {
    fileprivate func isSame(as wish: CommentWish, by device: String) -> Bool {
        photo == wish.photo && name == wish.name && words == wish.words && self.device == device
    }
}
