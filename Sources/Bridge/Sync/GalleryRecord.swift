public import Basics

/// A record of a gallery as it tells it to those who keep a copy: a photo or an album of an event, or the event itself.
public struct GalleryRecord: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case event
        case album
        case photo
    }

    public enum Content: Equatable, Sendable {
        case event(name: String)
        case album(Album)
        case photo(Photo)
    }

    public struct Album: Equatable, Sendable {
        public let event: String
        public var name: String
        /// Where it stands among the others.
        public var order: Int64

        public init(event: String, name: String, order: Int64 = 0) {
            self.event = event
            self.name = name
            self.order = order
        }
    }

    public struct Photo: Equatable, Sendable {
        public let event: String
        public var caption = ""
        public var rating = 0
        public var tags: [String] = []
        public var isHidden = false
        /// The albums that it is in, by their ids.
        public var albums: [String] = []
        public var fileName: String?
        /// Counts the photos of an event in the order in which they came.
        public var sequence: Int64 = 0
        /// What the gallery serves its small image and its large one under.
        public var thumbKey = ""
        public var screenKey = ""

        public init(event: String) {
            self.event = event
        }

        /// Nothing that is edited has been.
        public var isAsUploaded: Bool {
            caption.isEmpty && rating == 0 && tags.isEmpty && !isHidden && albums.isEmpty
        }
    }

    public let kind: Kind
    public let id: String
    public var version: RecordVersion
    /// Nothing once it is deleted: a gallery does not tell what it was.
    public var content: Content?

    public init(_ kind: Kind, _ id: String, version: RecordVersion, content: Content?) {
        self.kind = kind
        self.id = id
        self.version = version
        self.content = content
    }

    /// Which event it belongs to; not known of what is deleted, but for an event.
    public var event: String? {
        switch content {
        case .album(let album): album.event
        case .photo(let photo): photo.event
        case .event: id
        case nil: kind == .event ? id : nil
        }
    }

    public var photo: Photo? {
        if case .photo(let photo) = content { photo } else { nil }
    }

    public var album: Album? {
        if case .album(let album) = content { album } else { nil }
    }
}

/// How much of a gallery's texts and lists is read. What is longer is no gallery's answer.
public enum RecordLimits {
    /// Characters of a caption, a tag, an album's name: what a gallery takes from us.
    public static let caption = 2000
    public static let tag = 50
    public static let name = 200
    public static let tags = 50
    public static let albums = 100
    public static let ratings = 0...5
    public static let orders: ClosedRange<Int64> = -1_000_000...1_000_000
    /// A scalar has at most four bytes; and other galleries may be more generous.
    static let textBytes = 4 * caption * 4
    static let nameBytes = 4 * name * 4
    static let listed = 1000
    static let idBytes = 200
}

// MARK: As JSON

extension GalleryRecord {
    /// Why a text is no record, as the end of a sentence.
    public struct Unreadable: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }
    }
}

extension GalleryRecord.Content {
    /// With the gallery's names for everything, so that what is kept is read by the same rule as what is told.
    public init(_ kind: GalleryRecord.Kind, _ json: JSONValue) throws(GalleryRecord.Unreadable) {
        let fields = RecordFields(json)
        switch kind {
        case .event: self = .event(name: try fields.text("name", most: RecordLimits.nameBytes))
        case .album:
            self = .album(
                GalleryRecord.Album(
                    event: try fields.id("eventId"),
                    name: try fields.text("name", most: RecordLimits.nameBytes),
                    order: try fields.number("order", in: Int64.min...Int64.max) ?? 0))
        case .photo:
            var photo = GalleryRecord.Photo(event: try fields.id("eventId"))
            photo.caption = try fields.optionalText("caption", most: RecordLimits.textBytes) ?? ""
            photo.rating = Int(try fields.number("rating", in: 0...5) ?? 0)
            photo.tags = try fields.texts("tags", most: RecordLimits.nameBytes)
            photo.isHidden = try fields.flag("hidden") ?? false
            photo.albums = try fields.texts("albumIds", most: RecordLimits.idBytes)
            photo.fileName = try fields.optionalText("filename", most: RecordLimits.nameBytes)
            photo.sequence = try fields.number("sequence", in: 0...Int64.max) ?? 0
            photo.thumbKey = try fields.optionalText("thumbKey", most: RecordLimits.nameBytes) ?? ""
            photo.screenKey = try fields.optionalText("screenKey", most: RecordLimits.nameBytes) ?? ""
            self = .photo(photo)
        }
    }

    public var json: JSONValue {
        switch self {
        case .event(let name): ["name": .string(name)]
        case .album(let album):
            ["eventId": .string(album.event), "name": .string(album.name), "order": .integer(album.order)]
        case .photo(let photo):
            [
                "eventId": .string(photo.event), "caption": .string(photo.caption),
                "rating": .integer(Int64(photo.rating)), "tags": .array(photo.tags.map(JSONValue.string)),
                "hidden": .bool(photo.isHidden), "albumIds": .array(photo.albums.map(JSONValue.string)),
                "filename": .optional(photo.fileName) { .string($0) }, "sequence": .integer(photo.sequence),
                "thumbKey": .string(photo.thumbKey), "screenKey": .string(photo.screenKey),
            ]
        }
    }
}

extension GalleryRecord {
    /// One change as a gallery's answer has it.
    public init(told json: JSONValue) throws(Unreadable) {
        let fields = RecordFields(json)
        guard let kind = Kind(rawValue: try fields.text("type", most: RecordLimits.idBytes)) else {
            throw Unreadable("a change has a 'type' that is none")
        }
        let action = try fields.text("action", most: RecordLimits.idBytes)
        let updatedAt = try fields.moment("updatedAt")
        switch action {
        case RecordChange.Action.upsert.rawValue:
            guard let data = json["data"], data.members != nil else {
                throw Unreadable("a change has no 'data'")
            }
            self.init(
                kind, try fields.id("id"), version: RecordVersion(updatedAt: updatedAt),
                content: try Content(kind, data))
        case RecordChange.Action.delete.rawValue:
            self.init(
                kind, try fields.id("id"),
                version: RecordVersion(
                    updatedAt: updatedAt, deletedAt: try fields.optionalMoment("deletedAt") ?? updatedAt),
                content: nil)
        default: throw Unreadable("a change has an 'action' that is none")
        }
    }
}
