import Basics
package import HTTPServer
import Web

/// `/e/{slug}/show`: for a screen in the hall, behind the same door as the page.
extension GuestEndpoints {
    package func show(_ request: Request) async throws -> Response {
        let goal = PINPage.Goal.show(seconds: Self.seconds(request.query["seconds"]))
        if let key = request.query[GuestLinkKey.parameter] {
            return try await enter(by: key, request, leadingTo: goal)
        }
        switch try await knock(request) {
        case .nothing: return answers.answer(404, to: request) { PlainPage($0).notFound }
        case .over(let event):
            return answers.answer(410, to: request) { PlainPage($0).over(name: event.name) }
        case .closed(let event): return try await closed(event, request, leadingTo: goal)
        case .open(let event):
            if let clean = withoutMark(request, in: event, at: goal) { return clean }
            // Before the photo is read: what comes between is told twice rather than not at all.
            let position = try await reader { try $0.lastStamp(ofEvent: event.id) }
            var filter = PhotoFilter()
            filter.limit = Self.latestOfShow
            // A sign that stands for a video is nothing to look at.
            let latest = try await lists.photos(of: event.id, filter, for: request, by: .unknown)
                .first { $0.video?.hasPoster ?? true }
            var page = ShowPage(
                event: pageEvent(event), photo: latest.map { PagePhoto($0, in: event, settings.images) },
                seconds: Self.seconds(request.query["seconds"]), livePosition: UInt64(clamping: position))
            return answers.answer(to: request) { language in
                page.language = language
                return page.html
            }
        }
    }

    /// So many of the latest are looked through for one that is a picture.
    private static let latestOfShow = 5

    /// An address that was edited by hand shows the photos all the same.
    static func seconds(_ text: String?) -> Int {
        guard let wanted = text.flatMap(Page.plainNumber) else {
            return ShowPage.usualSeconds
        }
        return min(max(wanted, ShowPage.seconds.lowerBound), ShowPage.seconds.upperBound)
    }
}
