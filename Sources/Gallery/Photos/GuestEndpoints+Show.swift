import Basics
package import HTTPServer
import Web

/// `/e/{slug}/show`: for a screen in the hall, behind the same door as the page.
extension GuestEndpoints {
    package func show(_ request: Request) async throws -> Response {
        switch try await knock(request) {
        case .nothing: return answers.answer(404, to: request) { PlainPage($0).notFound }
        case .over(let event):
            return answers.answer(410, to: request) { PlainPage($0).over(name: event.name) }
        case .closed(let event): return try await closed(event, nil, request)
        case .open(let event):
            // Before the photo is read: what comes between is told twice rather than not at all.
            let position = try await reader { try $0.lastStamp(ofEvent: event.id) }
            var filter = PhotoFilter()
            filter.limit = Self.latestOfShow
            // A sign that stands for a video is nothing to look at.
            let latest = try await lists.photos(of: event.id, filter, for: request, by: .unknown)
                .first { $0.video?.hasPoster ?? true }
            var page = ShowPage(
                event: pageEvent(event), photo: latest.map { PagePhoto($0, in: event, settings.images) },
                seconds: Self.seconds(request), livePosition: UInt64(clamping: position))
            return answers.answer(to: request) { language in
                page.language = language
                return page.html
            }
        }
    }

    /// So many of the latest are looked through for one that is a picture.
    private static let latestOfShow = 5

    /// An address that was edited by hand shows the photos all the same.
    private static func seconds(_ request: Request) -> Int {
        guard let wanted = request.query["seconds"].flatMap(Page.plainNumber) else {
            return ShowPage.usualSeconds
        }
        return min(max(wanted, ShowPage.seconds.lowerBound), ShowPage.seconds.upperBound)
    }
}
