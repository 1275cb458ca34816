public import Basics

/// What an operator wants of a record: only what is said here is changed, the rest stays as it is.
public enum RecordEdit: Equatable, Sendable {
    case photo(PhotoEdit)
    /// Makes the album, or gives it this name.
    case album(GalleryRecord.Album)
    case delete

    public var action: RecordChange.Action {
        switch self {
        case .photo, .album: .upsert
        case .delete: .delete
        }
    }

    /// The record's content once the edit is taken; nothing when it is deleted then.
    public func applied(to content: GalleryRecord.Content?) -> GalleryRecord.Content? {
        switch (self, content) {
        case (.photo(let edit), .photo(let photo)): .photo(edit.applied(to: photo))
        // A photo that is deleted does not come back, and an album is no photo.
        case (.photo, _): content
        case (.album(let album), _): .album(album)
        case (.delete, _): nil
        }
    }

    /// What is sent of a record that has this content once the edit is taken. Lists go as a whole, as the gallery keeps them.
    func data(of content: GalleryRecord.Content?) -> JSONValue? {
        switch (self, content) {
        case (.photo(let edit), .photo(let photo)): edit.data(of: photo)
        case (.album(let album), _): GalleryRecord.Content.album(album).json
        case (.photo, _), (.delete, _): nil
        }
    }

    /// Albums that have to be there before it can be taken.
    public var neededAlbums: [String] {
        if case .photo(let edit) = self { edit.addedAlbums } else { [] }
    }
}

public struct PhotoEdit: Equatable, Sendable {
    public var caption: String?
    public var rating: Int?
    public var isHidden: Bool?
    /// Said as a difference, so that what others add meanwhile stays.
    public var addedTags: [String] = []
    public var removedTags: [String] = []
    public var addedAlbums: [String] = []
    public var removedAlbums: [String] = []

    public init() {}

    public var isEmpty: Bool { self == PhotoEdit() }

    public func applied(to photo: GalleryRecord.Photo) -> GalleryRecord.Photo {
        var photo = photo
        if let caption { photo.caption = caption }
        if let rating { photo.rating = rating }
        if let isHidden { photo.isHidden = isHidden }
        photo.tags = Self.changed(photo.tags, addedTags, removedTags)
        photo.albums = Self.changed(photo.albums, addedAlbums, removedAlbums)
        return photo
    }

    /// What another edit of the same photo does not decide yet.
    public func without(_ other: RecordEdit) -> PhotoEdit {
        guard case .photo(let other) = other else { return self }
        var rest = self
        if other.caption != nil { rest.caption = nil }
        if other.rating != nil { rest.rating = nil }
        if other.isHidden != nil { rest.isHidden = nil }
        rest.addedTags.removeAll { other.addedTags.contains($0) || other.removedTags.contains($0) }
        rest.removedTags.removeAll { other.addedTags.contains($0) || other.removedTags.contains($0) }
        rest.addedAlbums.removeAll { other.addedAlbums.contains($0) || other.removedAlbums.contains($0) }
        rest.removedAlbums.removeAll { other.addedAlbums.contains($0) || other.removedAlbums.contains($0) }
        return rest
    }

    private static func changed(_ list: [String], _ added: [String], _ removed: [String]) -> [String] {
        var list = list.filter { !removed.contains($0) }
        for element in added where !list.contains(element) { list.append(element) }
        return list
    }

    func data(of photo: GalleryRecord.Photo) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        if caption != nil { members.append(("caption", .string(photo.caption))) }
        if rating != nil { members.append(("rating", .integer(Int64(photo.rating)))) }
        if isHidden != nil { members.append(("hidden", .bool(photo.isHidden))) }
        if !addedTags.isEmpty || !removedTags.isEmpty {
            members.append(("tags", .array(photo.tags.map(JSONValue.string))))
        }
        if !addedAlbums.isEmpty || !removedAlbums.isEmpty {
            members.append(("albumIds", .array(photo.albums.map(JSONValue.string))))
        }
        return .object(members)
    }
}

// MARK: As JSON

extension RecordEdit {
    public var json: JSONValue {
        switch self {
        case .photo(let edit): ["photo": edit.json]
        case .album(let album): ["album": GalleryRecord.Content.album(album).json]
        case .delete: ["delete": .bool(true)]
        }
    }

    public init(_ json: JSONValue) throws(GalleryRecord.Unreadable) {
        if let photo = json["photo"] {
            self = .photo(try PhotoEdit(photo))
        } else if let album = json["album"], case .album(let read) = try GalleryRecord.Content(.album, album)
        {
            self = .album(read)
        } else if json["delete"]?.bool == true {
            self = .delete
        } else {
            throw GalleryRecord.Unreadable("an edit says nothing that is known")
        }
    }
}

extension PhotoEdit {
    public var json: JSONValue {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
        var members: [(key: String, value: JSONValue)] = []
        if let caption { members.append(("caption", .string(caption))) }
        if let rating { members.append(("rating", .integer(Int64(rating)))) }
        if let isHidden { members.append(("hidden", .bool(isHidden))) }
        if !addedTags.isEmpty { members.append(("addTags", list(addedTags))) }
        if !removedTags.isEmpty { members.append(("removeTags", list(removedTags))) }
        if !addedAlbums.isEmpty { members.append(("addAlbums", list(addedAlbums))) }
        if !removedAlbums.isEmpty { members.append(("removeAlbums", list(removedAlbums))) }
        return .object(members)
    }

    public init(_ json: JSONValue) throws(GalleryRecord.Unreadable) {
        guard json.members != nil else { throw GalleryRecord.Unreadable("an edit is no object") }
        let fields = RecordFields(json)
        caption = try fields.optionalText("caption", most: RecordLimits.textBytes)
        rating = try fields.number("rating", in: 0...5).map { Int($0) }
        isHidden = try fields.flag("hidden")
        addedTags = try fields.texts("addTags", most: RecordLimits.nameBytes)
        removedTags = try fields.texts("removeTags", most: RecordLimits.nameBytes)
        addedAlbums = try fields.texts("addAlbums", most: RecordLimits.idBytes)
        removedAlbums = try fields.texts("removeAlbums", most: RecordLimits.idBytes)
    }
}

// MARK: What a gallery would refuse

extension RecordEdit {
    /// Why no gallery would take it, as a sentence; nothing where it may. Said when the edit is made, and not when the uplink is
    /// back.
    public var objection: String? {
        switch self {
        case .photo(let edit): edit.objection
        case .album(let album):
            EditText.objection("An album's name", album.name, 1...RecordLimits.name)
                ?? (RecordLimits.orders.contains(album.order)
                    ? nil
                    : "An album's place is from \(RecordLimits.orders.lowerBound) to "
                        + "\(RecordLimits.orders.upperBound).")
        case .delete: nil
        }
    }
}

extension PhotoEdit {
    var objection: String? {
        if isEmpty { return "Nothing is changed by that." }
        if let rating, !RecordLimits.ratings.contains(rating) {
            return "A rating is from 0 to \(RecordLimits.ratings.upperBound)."
        }
        if let caption {
            let text = EditText.objection(
                "A caption", caption, 0...RecordLimits.caption, allowing: ["\n", "\r", "\t"])
            if let text { return text }
        }
        guard addedTags.count <= RecordLimits.tags, addedAlbums.count <= RecordLimits.albums else {
            return
                "A photo has at most \(RecordLimits.tags) tags and is in at most \(RecordLimits.albums) albums."
        }
        for tag in addedTags {
            if let text = EditText.objection("A tag", tag, 1...RecordLimits.tag) { return text }
        }
        return nil
    }
}

private enum EditText {
    /// As the gallery counts: in Unicode scalars.
    static func objection(
        _ what: String, _ text: String, _ lengths: ClosedRange<Int>,
        allowing controls: Set<Unicode.Scalar> = []
    ) -> String? {
        guard lengths.contains(text.unicodeScalars.count) else {
            return lengths.lowerBound == 0
                ? "\(what) has at most \(lengths.upperBound) characters."
                : "\(what) has from \(lengths.lowerBound) to \(lengths.upperBound) characters."
        }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            controls.contains(scalar)
                || scalar.properties.generalCategory != .control && scalar != "\u{2028}"
                    && scalar != "\u{2029}"
        }
        return isPlain ? nil : "\(what) is without control characters."
    }
}
