import Basics
package import HTTPServer

/// `/e/{slug}/uploads`: what a guest's browser has brought, and takes back. Bytes come by ``GuestTus``.
package struct GuestUploadEndpoints: Sendable {
    let guests: GuestEndpoints
    let devices: GuestDevices

    /// Also where the hosts take no more: what has become of those that were brought is still to be seen.
    package func list(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        let (terms, settings) = (event.guestUploads, guests.settings)
        var uploads: [GuestUpload] = []
        if let device = devices.device(of: request, at: event.id) {
            uploads = try await guests.reader {
                try $0.guestUploads(of: GuestDevice(id: device, event: event.id))
            }
        }
        let takesUploads = try await guests.reader {
            try $0.takesUploads(event.owner, consent: settings.consentVersion)
        }
        return .data([
            "isOpen": .bool(terms.isAllowed), "isModerated": .bool(terms.isModerated),
            "isFull": .bool(terms.isSpent || !takesUploads), "mostBytes": .unsigned(settings.uploadLimit),
            "mostVideoBytes": .optional(settings.mostOfGuestVideo, JSONValue.unsigned),
            "types": .array(settings.guestTypes.map(JSONValue.string)),
            "uploads": .array(uploads.map(\.json)),
        ])
    }

    package func takeBack(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        let id = try UploadEndpoints.id(request, "uploadId", of: "upload")
        guard let device = devices.device(of: request, at: event.id) else {
            throw APIError.notFound("upload")
        }
        try await guests.store { try $0.takeBack(id, by: GuestDevice(id: device, event: event.id)) }
        return Response(status: 204)
    }
}

/// The routes of what guests bring.
extension GalleryServer {
    var guestUploadRoutes: [Route] {
        let guests = guestEndpoints
        let uploads = GuestUploadEndpoints(guests: guests, devices: devices)
        let tus = TusEndpoints(
            keeper: tusKeeper,
            authority: GuestTus(
                guests: guests, devices: devices, limits: guestUploadLimits, activity: activity),
            settings: settings, reserve: reserve, log: log)
        return [
            route("GET", "/e/{slug}/uploads") { try await uploads.list($0) },
            route("DELETE", "/e/{slug}/uploads/{uploadId}") { try await uploads.takeBack($0) },
        ] + Self.routes(of: tus, at: GuestTus.pattern)
    }
}
