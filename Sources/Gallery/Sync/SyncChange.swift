import Basics
import Bridge

/// What is kept in step with clients that were offline.
package enum SyncKind: String, CaseIterable, Sendable {
    // In this order they are taken: an album may be made together with its event.
    case event
    case album
    case photo

    /// A delete takes a photo's files with it.
    var mayReturn: Bool { self != .photo }
}

/// One change as a client sends it, with everything about it looked at that needs no database.
struct SyncChange: Sendable {
    enum Fields: Sendable {
        case event(EventFields)
        case album(AlbumFields)
        case photo(PhotoFields)
    }

    let kind: SyncKind
    let id: String
    let change: RecordChange
    /// What is left out stays as it is.
    let fields: Fields

    init(_ json: JSONValue) throws {
        let head = try JSONFields.read(json) { fields in
            let action = fields.required("action", .word(RecordChange.Action.self, "upsert or delete"))
            return (
                kind: fields.required("type", .word(SyncKind.self, "event, album or photo")), action: action,
                id: fields.required("id", .uuid), updatedAt: fields.required("updatedAt", .time),
                deletedAt: fields.optional("deletedAt", .time),
                data: action == .upsert
                    ? fields.required("data", .object) : fields.optional("data", .object)
            )
        }
        kind = head.kind
        id = head.id
        change = RecordChange(head.action, updatedAt: head.updatedAt, deletedAt: head.deletedAt)
        // What a delete says about the rest is of no interest.
        let data = head.action == .upsert ? head.data ?? [:] : [:]
        fields = try JSONFields.read(data) { fields in
            switch head.kind {
            case .event: .event(EventFields(&fields))
            case .album: .album(AlbumFields(&fields))
            case .photo: .photo(PhotoFields(&fields))
            }
        }
    }
}

struct EventFields: Sendable {
    let name: FieldChange<String>
    let startsAt: FieldChange<Timestamp>
    let expiresAt: FieldChange<Timestamp>
    let slug: FieldChange<String>

    static let nameRule = FieldRule<String>.text(1...200)

    init(_ fields: inout JSONFields) {
        name = fields.replacement("name", Self.nameRule)
        startsAt = fields.change("startsAt", .time)
        expiresAt = fields.change("expiresAt", .time)
        slug = fields.change("slug", EventSlug.rule)
    }
}

struct AlbumFields: Sendable {
    let event: FieldChange<String>
    let name: FieldChange<String>
    let order: FieldChange<Int>

    init(_ fields: inout JSONFields) {
        event = fields.replacement("eventId", .uuid)
        name = fields.replacement("name", EventFields.nameRule)
        order = fields.replacement("order", .integer(-1_000_000...1_000_000))
    }
}

struct PhotoFields: Sendable {
    let caption: FieldChange<String>
    let rating: FieldChange<Int>
    let tags: FieldChange<[String]>
    let isHidden: FieldChange<Bool>
    let albums: FieldChange<[String]>

    static let mostAlbums = 100
    static let mostTags = 50

    init(_ fields: inout JSONFields) {
        caption = fields.replacement("caption", .text(0...2000, .paragraph))
        rating = fields.replacement("rating", .integer(0...5))
        tags = fields.replacement(
            "tags", FieldRule<[String]>.list(0...Self.mostTags, of: FieldRule<String>.text(1...50)))
        isHidden = fields.replacement("hidden", .bool)
        albums = fields.replacement(
            "albumIds", FieldRule<[String]>.list(0...Self.mostAlbums, of: FieldRule<String>.uuid))
    }
}
