import Basics
package import HTTPServer

/// One photo that a guest takes home, and what hosts learn of all that was taken.
package struct DownloadEndpoints: Sendable {
    let guests: GuestEndpoints
    let devices: GuestDevices
    let downloads: DownloadCounter

    private var reader: ReaderPool { guests.reader }

    /// GET /e/{slug}/photos/{id}/download: leads to the bytes, wherever these come from, and counts. Looking at a photo is not
    /// counted.
    package func photo(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        guard
            let photo = try await guests.shown(
                request.parameters["id"].flatMap(FieldRule.canonicalUUID), in: event)
        else { throw APIError.notFound("photo") }
        let size = try Self.size(request, in: event)
        let taker = devices.taker(of: request, at: event.id, gives: true)
        if request.method == "GET" {
            downloads.note(
                DownloadTally.Kind(size, isArchive: false),
                DownloadTally.Count(
                    times: 1, photos: 1, bytes: Int64(clamping: try await bytes(of: photo, size))),
                photos: [photo.sequence], in: event.id, by: taker)
        }
        let key = size == .original ? photo.originalKey : photo.video?.streamKey ?? photo.screenKey
        let address = guests.settings.images.addresses(isOpen: event.isOpen).image(key)
        return Response(
            status: 303,
            headers: [
                HTTPHeader("Location", "\(address)?download"), HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader("Referrer-Policy", "no-referrer"), HTTPHeader("X-Robots-Tag", "noindex"),
            ] + (taker.cookie.map { [$0] } ?? []))
    }

    private func bytes(of photo: Photo, _ size: ArchiveWish.Size) async throws -> UInt64 {
        if size == .original { return photo.size }
        if let video = photo.video { return video.streamSize }
        return try await reader { try $0.screenSize(of: photo.id) }
    }

    /// The original where the host gives it, and otherwise what fills a screen, or the copy of a video that guests are given.
    private static func size(_ request: Request, in event: Event) throws -> ArchiveWish.Size {
        guard let text = request.query["size"] else { return event.allowsOriginals ? .original : .screen }
        guard let size = ArchiveWish.Size(rawValue: text) else {
            throw APIError(
                .unprocessable, "not valid: size", fields: [("size", ["must be screen or original"])])
        }
        return event.allowsOriginals ? size : .screen
    }

    /// GET /events/{id}/downloads
    package func report(_ request: Request) async throws -> Response {
        let account = try await guests.accounts.authenticate(request)
        let report = try await reader {
            let event = try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
            return try $0.downloads(of: event.id)
        }
        var response = Response.data(report.json)
        // A picture on the host's page cannot say who wants it.
        if let cookie = guests.accounts.hostCookie(for: request, isSecure: guests.settings.isSecure) {
            response.headers.append(cookie)
        }
        return response
    }
}

extension GalleryServer {
    var downloadRoutes: [Route] {
        let endpoints = DownloadEndpoints(guests: guestEndpoints, devices: devices, downloads: downloads)
        return [
            route("GET", "/e/{slug}/photos/{id}/download") { try await endpoints.photo($0) },
            route("GET", "/events/{id}/downloads") { try await endpoints.report($0) },
        ]
    }
}
