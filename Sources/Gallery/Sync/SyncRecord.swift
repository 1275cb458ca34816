import Basics
import Bridge

/// A record as it is now, for a client.
struct SyncRecord: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case event(name: String, slug: String, startsAt: Timestamp?, expiresAt: Timestamp?)
        case album(event: String, name: String, order: Int64)
        case photo(Photo, albums: [String])
    }

    let id: String
    let stamp: Int64
    let version: RecordVersion
    let content: Content
}

/// What a client does not know yet.
struct SyncPull: Equatable, Sendable {
    let records: [SyncRecord]
    /// What is asked for next time: everything up to it has been told.
    let stamp: Int64
    let isMore: Bool
}

extension SyncRecord {
    /// What was deleted is told without what it was.
    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("type", .string(content.kind.rawValue)),
            ("action", version.deletedAt == nil ? "upsert" : "delete"),
            ("id", .string(id)), ("updatedAt", version.updatedAt.json),
        ]
        members.append(version.deletedAt.map { ("deletedAt", $0.json) } ?? ("data", content.json))
        return .object(members)
    }
}

extension SyncRecord.Content {
    fileprivate var kind: SyncKind {
        switch self {
        case .event: .event
        case .album: .album
        case .photo: .photo
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .event(let name, let slug, let startsAt, let expiresAt):
            [
                "name": .string(name), "startsAt": startsAt.json, "expiresAt": expiresAt.json,
                "slug": .string(slug),
            ]
        case .album(let event, let name, let order):
            ["eventId": .string(event), "name": .string(name), "order": .integer(order)]
        case .photo(let photo, let albums):
            [
                "eventId": .string(photo.event), "caption": .string(photo.caption),
                "rating": .integer(Int64(photo.rating)), "tags": .array(photo.tags.map(JSONValue.string)),
                "hidden": .bool(photo.isHidden), "albumIds": .array(albums.map(JSONValue.string)),
                "sequence": .integer(photo.sequence), "filename": photo.filename.json,
                "capturedAt": photo.capturedAt.json,
                "capturedOffset": .optional(photo.capturedOffset) { .integer(Int64($0)) },
                "localTime": photo.shownAt.local, "width": .integer(Int64(photo.width)),
                "height": .integer(Int64(photo.height)), "thumbKey": .string(photo.thumbKey),
                "screenKey": .string(photo.screenKey), "originalKey": .string(photo.originalKey),
                "kind": photo.video == nil ? "photo" : "video",
                "duration": .optional(photo.video?.seconds, JSONValue.double),
            ]
        }
    }
}
