package import Basics

/// How many hearts and comments a photo has.
package struct PhotoReactions: Equatable, Sendable {
    package let photo: String
    package let hearts: Int
    package let comments: Int
    /// Grows with every comment that comes or goes: who shows them sees by it whether there is another.
    package let edits: Int64
    /// Guests do not see the photo.
    package let isHidden: Bool

    static func none(of photo: String) -> PhotoReactions {
        PhotoReactions(photo: photo, hearts: 0, comments: 0, edits: 0, isHidden: false)
    }
}

/// What a guest wrote of a photo.
package struct Comment: Equatable, Sendable {
    package let id: String
    package let photo: String
    package let event: String
    /// As its cookie calls it. It is told to no client.
    package let device: String
    /// As the guest has called themselves.
    package let name: String
    package let words: String
    package let createdAt: Timestamp

    static let nameLengths = 1...50
    static let lengths = 1...500
    /// What is longer than that is written on.
    static let mostLineEnds = 10
    /// Of one photo.
    static let mostOfPhoto = 200
}

/// A comment's place in the order of when they came.
struct CommentCursor: Equatable, Sendable {
    let moment: Timestamp
    let id: String

    init(_ comment: Comment) {
        (moment, id) = (comment.createdAt, comment.id)
    }

    /// As a list is continued behind it: "1795287543120_" and the id.
    var text: String { "\(moment.milliseconds)_\(id)" }

    /// Nothing for what was not written here.
    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard text.utf8.count <= 60, parts.count == 2, let moment = Int64(parts[0]),
            Timestamp.writable.contains(moment), let id = FieldRule.canonicalUUID(String(parts[1]))
        else { return nil }
        (self.moment, self.id) = (Timestamp(milliseconds: moment), id)
        guard self.text == text else { return nil }
    }
}

/// A photo that guests liked or wrote of, for its host.
struct LikedPhoto: Equatable, Sendable {
    let photo: Photo
    let reactions: PhotoReactions
}

/// A photo's place among those that guests liked, those with most hearts first.
struct LikedCursor: Equatable, Sendable {
    let hearts: Int
    let comments: Int
    let photo: String

    init(_ liked: LikedPhoto) {
        (hearts, comments) = (liked.reactions.hearts, liked.reactions.comments)
        photo = liked.photo.id
    }

    var text: String { "\(hearts)_\(comments)_\(photo)" }

    /// Nothing for what was not written here.
    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard text.utf8.count <= 80, parts.count == 3, let hearts = Page.plainNumber(String(parts[0])),
            let comments = Page.plainNumber(String(parts[1])),
            let photo = FieldRule.canonicalUUID(String(parts[2]))
        else { return nil }
        (self.hearts, self.comments, self.photo) = (hearts, comments, photo)
        guard self.text == text else { return nil }
    }
}
