import Basics
package import HTTPServer
import Web

/// `/e/{slug}/p/{id}`: the link to one photo that guests send to others. It has no key and gives no pass: it leads to the same
/// door as the event's own address.
extension GuestEndpoints {
    package func photo(_ request: Request) async throws -> Response {
        let text = request.parameters["id"] ?? ""
        let id = FieldRule.canonicalUUID(text)
        if let id, id != text, let slug = request.parameters["slug"] {
            return GuestAddress.redirect(
                308, to: GuestAddress.page(slug, then: ["p", id]), with: request.query)
        }
        let goal = id.map { PINPage.Goal.photo($0) }
        switch try await knock(request) {
        case .nothing: return answers.answer(404, to: request) { PlainPage($0).notFound }
        case .over(let event):
            return answers.answer(410, to: request) { PlainPage($0).over(name: event.name) }
        case .closed(let event): return try await closed(event, request, leadingTo: goal)
        case .open(let event):
            if let clean = withoutMark(request, in: event, at: goal) { return clean }
            guard let photo = try await shown(id, in: event) else {
                return answers.answer(404, to: request) { PlainPage($0).noPhoto(of: pageEvent(event)) }
            }
            let shown = PagePhoto(photo, in: event, settings.images)
            return answers.answer(to: request) { language in
                PhotoPage(event: pageEvent(event), photo: shown, language: language).html
            }
        }
    }

    /// Nothing where guests do not see it: as if it had never been.
    func shown(_ id: String?, in event: Event) async throws -> Photo? {
        guard let id else { return nil }
        let photo = try await reader { try $0.photo(id) }
        return photo.flatMap { $0.event == event.id && !$0.isHidden ? $0 : nil }
    }
}

/// `/e/{slug}/manifest.webmanifest`: before the door, as its page says as much.
extension GuestEndpoints {
    package func manifest(_ request: Request) async throws -> Response {
        let event: Event
        switch try await knock(request) {
        case .nothing: throw APIError.notFound("event")
        case .over: throw Self.gone
        case .open(let found), .closed(let found): event = found
        }
        return .text(
            200, EventManifest(name: event.name, slug: event.slug, accent: event.look.accent).json.compact,
            type: EventManifest.type,
            headers: [
                HTTPHeader("Cache-Control", "no-cache"), HTTPHeader("X-Content-Type-Options", "nosniff"),
                HTTPHeader("X-Robots-Tag", "noindex"),
            ])
    }
}
