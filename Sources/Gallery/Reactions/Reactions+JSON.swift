import Basics

/// What the API says of hearts and comments.
extension Event {
    /// Also a live message. Guests are told what their hosts take, and of photos that they see.
    func json(of photos: [PhotoReactions], for audience: Feeds.Audience) -> JSONValue {
        let isHost = audience == .host
        return [
            "allowsHearts": .bool(allowsHearts), "allowsComments": .bool(allowsComments),
            "photos": .array(
                photos.filter { isHost || !$0.isHidden }.map { photo in
                    [
                        "id": .string(photo.photo),
                        "hearts": .integer(isHost || allowsHearts ? Int64(photo.hearts) : 0),
                        "comments": .integer(isHost || allowsComments ? Int64(photo.comments) : 0),
                        "edits": .integer(photo.edits),
                    ]
                }),
        ]
    }
}

extension LikedPhoto {
    var json: JSONValue {
        [
            "photo": photo.json, "hearts": .integer(Int64(reactions.hearts)),
            "comments": .integer(Int64(reactions.comments)),
        ]
    }
}

extension Comment {
    /// For a guest, who may take back what that device wrote.
    func json(for device: String?) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "text": .string(words), "createdAt": createdAt.json,
            "isMine": .bool(self.device == device),
        ]
    }

    /// For the host.
    var json: JSONValue {
        [
            "id": .string(id), "photoId": .string(photo), "name": .string(name), "text": .string(words),
            "createdAt": createdAt.json,
        ]
    }
}

extension FieldRule where Value == String {
    /// How a guest calls themselves.
    static var commentName: FieldRule { text(Comment.nameLengths).spaceless }

    /// Lines end in one way, and what has too many of them is written on.
    static var commentText: FieldRule {
        text(Comment.lengths, .paragraph).map { text in
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            let first = lines.prefix(Comment.mostLineEnds).joined(separator: "\n")
            let rest = lines.dropFirst(Comment.mostLineEnds).joined(separator: " ")
            return lines.count > Comment.mostLineEnds ? "\(first)\n\(rest)" : first
        }.spaceless
    }

    /// Without space at its ends, and something else between.
    private var spaceless: FieldRule {
        map { text in
            let scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
            let end = scalars.lastIndex { !$0.properties.isWhitespace }
            return end.map { String(scalars[...$0]) } ?? ""
        }.and("must not be empty") { !$0.isEmpty }
    }
}
