import Basics
import Bridge
package import HTTPServer

/// `/photos` and `/events/{id}/photos`: what a host sees of photos, and changes.
package struct PhotoEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let lists: PhotoLists
    let accounts: Accounts
    let door: GuestDoor
    let settings: GallerySettings
    let storage: any ObjectStorage
    let time: any TimeSource
    let log: GalleryLog

    package func list(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let event = try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
        var filter = try Self.filter(request)
        filter.showsHidden = true
        let photos = try await lists.photos(of: event.id, filter, for: request)
        var response = Response.data([
            "photos": .array(photos.map(\.json)), "next": Self.next(photos, filter),
        ])
        // The host's own pictures: a picture cannot say who wants it.
        if let cookie = accounts.hostCookie(for: request, isSecure: settings.isSecure) {
            response.headers.append(cookie)
        }
        return response
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
        let wish = try JSONFields.read(request) { fields in
            var wish = PhotoWish()
            if case .value(let caption) = fields.replacement("caption", .text(0...2000, .paragraph)) {
                wish.caption = caption
            }
            if case .value(let rating) = fields.replacement("rating", .integer(0...5)) {
                wish.rating = rating
            }
            if case .value(let tags) = fields.replacement("tags", .list(0...50, of: .text(1...50))) {
                wish.tags = tags
            }
            if case .value(let isHidden) = fields.replacement("hidden", .bool) { wish.isHidden = isHidden }
            return wish
        }
        let photo = try await store { try $0.changePhoto(id, of: account.id, wish) }
        return .data(photo.json)
    }

    package func delete(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "photo")
        guard try await store({ try $0.deletePhoto(id, of: account.id) }) != nil else {
            throw APIError.notFound("photo")
        }
        return Response(status: 204)
    }

    // MARK: Everything at once

    /// A link cannot say who follows it, so it is signed, for five minutes of the log-in that asked for it.
    package func zipLink(_ request: Request) async throws -> Response {
        let login = try await accounts.login(of: request)
        let event = try await reader {
            try $0.event(
                try UploadEndpoints.id(request, "id", of: "event"), of: login.account.id)
        }
        let pass = door.link(to: event.id, by: login.token.family)
        return .data(["url": .string("\(settings.publicURL)/events/\(event.id)/zip?pass=\(pass)")])
    }

    package func zip(_ request: Request) async throws -> Response {
        let id = try UploadEndpoints.id(request, "id", of: "event")
        let event: Event
        if let pass = request.query["pass"] {
            let expired = APIError(.forbidden, "this link has expired; ask for a new one on the host's page")
            guard let login = door.login(ofLink: pass, to: id) else { throw expired }
            guard let found = try await store({ try $0.event(id) }) else { throw APIError.notFound("event") }
            guard try await reader({ try $0.isLoggedIn(found.owner, family: login) }) else { throw expired }
            event = found
        } else {
            let account = try await accounts.authenticate(request)
            event = try await reader { try $0.event(id, of: account.id) }
        }
        let entries = try await reader { try $0.originals(of: id) }
        let name = SafeName.component(event.slug, fallback: "photos")
        let stream = ZipStream(
            entries, from: storage, time: time,
            isThere: { [reader] entry in try await reader { try $0.hasOriginal(entry.key) } },
            onCut: { [log] error in
                log.warning("request \(request.id): the ZIP of '\(event.name)' was cut: \(error)")
            })
        return Response(
            status: 200,
            headers: [
                HTTPHeader("Content-Type", "application/zip"),
                HTTPHeader("Content-Length", "\(stream.length)"),
                HTTPHeader("Content-Disposition", "attachment; filename=\"\(name).zip\""),
                HTTPHeader("Cache-Control", "no-store"),
            ], body: .stream(stream))
    }
}
