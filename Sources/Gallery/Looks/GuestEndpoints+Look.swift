import Basics
package import HTTPServer
import Web

/// `/e/{slug}/look.css` and `/e/{slug}/logo/{key}`: before the door, as the page that asks for the PIN shows them beside the event's
/// name. A cover is a photo, and behind the door with all others.
extension GuestEndpoints {
    package func lookSheet(_ request: Request) async throws -> Response {
        let event = try await named(request)
        let sheet = LookSheet(event.look)
        let etag = EntityTag.weak("\"\(sheet.version)\"")
        let isCurrent = request.query["v"] == sheet.version
        let headers = [
            HTTPHeader("Cache-Control", isCurrent ? Self.kept : "no-cache"), HTTPHeader("ETag", etag),
            HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("X-Robots-Tag", "noindex"),
        ]
        if request.knows(etag) { return Response(status: 304, headers: headers) }
        return .text(200, sheet.text, type: AssetType.style.rawValue, headers: headers)
    }

    /// For as long as it is the event's logo: another one has another key.
    func logo(_ request: Request, from storage: any ObjectStorage) async throws -> Response {
        guard let logo = try await named(request).look.logo, logo.key == request.parameters["key"] else {
            throw APIError.notFound("logo")
        }
        let etag = "\"\(logo.key)\""
        var headers = [
            HTTPHeader("Cache-Control", Self.kept), HTTPHeader("ETag", etag),
            HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("X-Robots-Tag", "noindex"),
        ]
        if request.knows(etag) { return Response(status: 304, headers: headers) }
        switch try await storage.content(of: logo.key, size: logo.size, savedAs: nil) {
        case .file(let path, let size):
            headers.removeAll { $0.name == "ETag" }
            return Response(
                status: 200, headers: headers,
                body: .file(ServedFile(path: path, size: size, type: EventLogo.type, etag: etag)))
        case .bytes(let bytes):
            return Response(
                status: 200, headers: headers + [HTTPHeader("Content-Type", EventLogo.type)],
                body: .bytes(bytes))
        case .elsewhere(let url):
            return Response(
                status: 302,
                headers: [HTTPHeader("Location", url), HTTPHeader("Cache-Control", "no-store")])
        }
    }

    private static let kept = "public, max-age=31536000, immutable"

    /// Whether or not guests may still look: the page that says they may not has the name, too.
    private func named(_ request: Request) async throws -> Event {
        guard let slug = request.parameters["slug"], slug.utf8.count <= 100,
            let event = try await reader({ try $0.event(slug: slug) })
        else { throw APIError.notFound("event") }
        return event
    }

    /// The photo that stands behind the event's name, for guests who are in.
    func cover(of event: Event) async throws -> PagePhoto? {
        guard let id = event.look.cover, let photo = try await reader({ try $0.photo(id) }),
            photo.event == event.id, !photo.isHidden
        else { return nil }
        return PagePhoto(photo, in: event, settings.images)
    }
}
