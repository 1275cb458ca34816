import Basics
package import HTTPServer

/// Sections of the page: `?album=ID` of the page itself, of `/photos` and of `/timeline` is about one of them.
///
/// - `GET /e/{slug}/albums` → `{data: {albums: [Section.json]}}`, in the host's order; those in which guests see no photo are
///   not there, as if they had never been
extension GuestEndpoints {
    package func albums(_ request: Request) async throws -> Response {
        let (event, stamp) = try await visibleAndStamp(request)
        let known = try await sections.sections(of: event.id, at: stamp)
        let tag = Self.tag(known.version, of: nil)
        if request.knows(tag.value) { return Response(status: 304, headers: [tag]) }
        var response = Response.data(["albums": .array(known.sections.map(\.json))])
        response.headers.append(tag)
        return response
    }

    /// The one that a request is about; nothing where it is about all photos.
    func album(_ request: Request, of event: Event, at stamp: Int64) async throws -> String? {
        guard let text = request.query["album"] else { return nil }
        guard let album = FieldRule.canonicalUUID(text),
            try await sections.sections(of: event.id, at: stamp).has(album)
        else { throw APIError.notFound("section") }
        return album
    }

    /// Nothing for what is no id, which a page takes as it takes no album.
    static func album(_ request: Request) -> String? {
        request.query["album"].flatMap(FieldRule.canonicalUUID)
    }

    /// Lists of different sections are different, also where the same change was their last.
    static func tag(_ stamp: Int64, of album: String?) -> HTTPHeader {
        HTTPHeader("ETag", EntityTag.weak("\"\(stamp)\(album.map { "-\($0)" } ?? "")\""))
    }
}
