import Basics
package import HTTPServer

/// `/photos` and `/events/{id}/photos`: what a host sees of photos, and changes.
package struct PhotoEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let lists: PhotoLists
    let accounts: Accounts
    let settings: GallerySettings

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
        var filter = try Self.filter(request)
        filter.showsHidden = true
        filter.isWaiting = try Self.isWaiting(request)
        filter.album = try await album(request, of: event)
        let photos = try await lists.photos(
            of: event.id, filter, for: request, by: .known(account.id))
        var response = Response.data([
            "photos": .array(photos.map(\.json)), "next": Self.next(photos, filter),
        ])
        // The host's own pictures: a picture cannot say who wants it.
        if let cookie = accounts.hostCookie(for: request, isSecure: settings.isSecure) {
            response.headers.append(cookie)
        }
        return response
    }

    /// The one that a request is about, also where guests see nothing in it.
    private func album(_ request: Request, of event: Event) async throws -> String? {
        guard let text = request.query["album"] else { return nil }
        guard let id = FieldRule.canonicalUUID(text) else { throw APIError.notFound("album") }
        try await reader { try $0.requireAlbum(id, in: event.id, of: event.owner) }
        return id
    }

    private static func isWaiting(_ request: Request) throws(APIError) -> Bool {
        switch request.query["waiting"] {
        case nil, "false": false
        case "true": true
        default:
            throw APIError(
                .unprocessable, "not valid: waiting", fields: [("waiting", ["must be true or false"])])
        }
    }

    static func filter(_ request: Request) throws -> PhotoFilter {
        var filter = PhotoFilter()
        filter.limit = try Page.limit(request, most: PhotoFilter.mostAtOnce)
        if let text = request.query["cursor"] {
            guard let place = PhotoCursor(text) else { throw Page.badCursor }
            filter.behind = place
        }
        filter.text = request.query["q"] ?? ""
        guard filter.text.unicodeScalars.count <= PhotoFilter.mostText else {
            throw APIError(
                .unprocessable, "not valid: q",
                fields: [("q", ["must have at most \(PhotoFilter.mostText) characters"])])
        }
        if let rating = request.query["rating"] {
            guard let least = Page.plainNumber(rating), (0...5).contains(least) else {
                throw APIError(
                    .unprocessable, "not valid: rating",
                    fields: [("rating", ["must be from 0 to 5"])])
            }
            filter.rating = least
        }
        return filter
    }

    static func next(_ photos: [Photo], _ filter: PhotoFilter) -> JSONValue {
        guard photos.count == filter.limit, let last = photos.last else { return .null }
        return .string(last.place.text)
    }

    package func show(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        return .data(
            try await reader {
                try $0.photo(try UploadEndpoints.id(request, "id", of: "photo"), of: account.id)
            }.json)
    }

    package func change(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "photo")
        _ = try await reader { try $0.photo(id, of: account.id) }
        let wish = try JSONFields.read(request) { Self.wish(&$0) }
        let photo = try await store { try $0.changePhoto(id, of: account.id, wish) }
        return .data(photo.json)
    }

    private static let tags = FieldRule<[String]>.list(0...ManyPhotosWish.mostTags, of: .text(1...50))

    private static func wish(_ fields: inout JSONFields) -> PhotoWish {
        var wish = PhotoWish()
        if case .value(let caption) = fields.replacement("caption", .text(0...2000, .paragraph)) {
            wish.caption = caption
        }
        if case .value(let rating) = fields.replacement("rating", .integer(0...5)) { wish.rating = rating }
        if case .value(let tags) = fields.replacement("tags", tags) { wish.tags = tags }
        if case .value(let isHidden) = fields.replacement("hidden", .bool) { wish.isHidden = isHidden }
        return wish
    }

    package func delete(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "photo")
        guard try await store({ try $0.deletePhoto(id, of: account.id) }) != nil else {
            throw APIError.notFound("photo")
        }
        return Response(status: 204)
    }

    // MARK: Many at once

    private static let ids = FieldRule<[String]>.list(1...ManyPhotosWish.mostPhotos, of: .uuid)

    private static let albums = FieldRule<[String]>.list(0...ManyPhotosWish.mostAlbums, of: .uuid)

    /// Those that are there and the caller's, each once; what is said of others is nothing to learn from.
    package func changeAll(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let (ids, wish) = try JSONFields.read(request) { fields in
            let ids = fields.required("ids", Self.ids)
            var wish = ManyPhotosWish()
            wish.common = Self.wish(&fields)
            wish.addedTags = fields.optional("addTags", Self.tags) ?? []
            wish.removedTags = fields.optional("removeTags", Self.tags) ?? []
            wish.addedAlbums = fields.optional("addAlbums", Self.albums) ?? []
            wish.removedAlbums = fields.optional("removeAlbums", Self.albums) ?? []
            return (ids, wish)
        }
        let photos = try await store { try $0.changePhotos(Self.distinct(ids), of: account.id, wish) }
        return .data(["photos": .array(photos.map(\.json))])
    }

    package func deleteAll(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let ids = try JSONFields.read(request) { $0.required("ids", Self.ids) }
        let deleted = try await store { try $0.deletePhotos(Self.distinct(ids), of: account.id) }
        return .data(["deleted": .array(deleted.map(JSONValue.string))])
    }

    /// In their order.
    private static func distinct(_ ids: [String]) -> [String] {
        var seen: Set<String> = []
        return ids.filter { seen.insert($0).inserted }
    }
}
