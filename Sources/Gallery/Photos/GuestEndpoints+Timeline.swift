import Basics
package import HTTPServer

/// What a page needs for showing any of an event's photos without loading those before it.
///
/// - `GET /e/{slug}/timeline` → `{data: {count, last, hours: [{hour, count, cursor}], piece, ends, shapes}}`: the shape of every
///   photo, and where the hours of the event's clock begin, so that each photo's place on the page is known at once. Photos
///   with a sequence above `last` are not in it.
/// - Photos themselves are asked for in pieces of ``Timeline/piece``: `ends` has the position of each piece's last photo, and
///   `GET /e/{slug}/photos?cursor=<end of the piece before>&until=<its own end>` answers it. Positions stay right while
///   photos come and go; a photo's number in the list would not.
/// - `GET /e/{slug}/photos?at=<id>` begins at that photo, whose `position` says in which piece it is.
extension GuestEndpoints {
    package func timeline(_ request: Request) async throws -> Response {
        let (event, stamp) = try await visibleAndStamp(request)
        let album = try await album(request, of: event, at: stamp)
        func tag(_ stamp: Int64) -> HTTPHeader { Self.tag(stamp, of: album) }
        if request.knows(tag(stamp).value) {
            return Response(status: 304, headers: [tag(stamp)])
        }
        // Hearts, and photos of other events, change nothing of it.
        guard let answer = try await timelines.answer(for: event.id, in: album, at: stamp) else {
            throw APIError.notFound(album == nil ? "event" : "section")
        }
        if request.knows(tag(answer.version).value) {
            return Response(status: 304, headers: [tag(answer.version)])
        }
        var response = answer.response
        response.headers.append(tag(answer.version))
        return response
    }

    /// The part of the list that is asked for, and where it ends.
    func window(_ request: Request, of event: Event) async throws -> (
        filter: PhotoFilter, until: PhotoCursor?
    ) {
        var filter = try PhotoEndpoints.filter(request)
        // Where a list goes on, or is one of a search, there is no other beginning.
        if let text = request.query["at"], request.query["cursor"] == nil, filter.text.isEmpty {
            guard let id = FieldRule.canonicalUUID(text) else { throw APIError.notFound("photo") }
            let photo = try await reader { try $0.photo(id) }
            guard let photo, photo.event == event.id, !photo.isHidden else {
                throw APIError.notFound("photo")
            }
            // Behind the place before its own, so that it is the first.
            filter.behind = PhotoCursor(photo.place.moment, photo.sequence + 1)
        }
        guard let text = request.query["until"] else { return (filter, nil) }
        guard let until = PhotoCursor(text) else {
            throw APIError(
                .unprocessable, "not valid: until",
                fields: [("until", ["is no position that was given out here"])])
        }
        return (filter, until)
    }
}
