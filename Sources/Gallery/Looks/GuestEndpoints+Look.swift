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
        let headers = [
            HTTPHeader("Cache-Control", Self.kept), HTTPHeader("X-Content-Type-Options", "nosniff"),
            HTTPHeader("X-Robots-Tag", "noindex"),
        ]
        let etag = FolderStorage.etag(logo.key)
        if request.knows(etag) { return Response(status: 304, headers: headers + [HTTPHeader("ETag", etag)]) }
        do throws(StorageProblem) {
            let content = try await storage.content(of: logo.key, size: logo.size, savedAs: nil)
            var response = content.response(logo.key, type: EventLogo.type)
            response.headers += response.status == 302 ? [HTTPHeader("Cache-Control", "no-store")] : headers
            return response
        } catch {
            throw ImageEndpoint.refusal(error, of: "logo")
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
        try await shown(event.look.cover, in: event).map { PagePhoto($0, in: event, settings.images) }
    }
}
