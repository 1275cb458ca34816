import Basics
package import HTTPServer

/// `/events/{id}/…`: what a host sees of hearts and comments, and takes away.
package struct HostReactionEndpoints: Sendable {
    let store: StorePool
    let reader: ReaderPool
    let accounts: Accounts
    let settings: GallerySettings
    let teller: ReactionTeller

    private static let mostAtOnce = 200

    /// GET /events/{id}/reactions: photos that guests liked or wrote of, those with most hearts first.
    package func list(_ request: Request) async throws -> Response {
        let event = try await event(request)
        let limit = try Page.limit(request, most: Self.mostAtOnce)
        var behind: LikedCursor?
        if let text = request.query["cursor"] {
            guard let cursor = LikedCursor(text) else { throw Page.badCursor }
            behind = cursor
        }
        // One more than is wanted says whether there are more.
        let found = try await reader { [behind] in
            try $0.likedPhotos(of: event.id, behind: behind, limit: limit + 1)
        }
        let photos = found.prefix(limit)
        let next = found.count > limit ? photos.last.map { LikedCursor($0).text } : nil
        var response = Response.data(["photos": .array(photos.map(\.json)), "next": next.json])
        // A picture on the host's page cannot say who wants it.
        if let cookie = accounts.hostCookie(for: request, isSecure: settings.isSecure) {
            response.headers.append(cookie)
        }
        return response
    }

    /// GET /events/{id}/comments: of the event, the newest first, or of one photo, the oldest first.
    package func comments(_ request: Request) async throws -> Response {
        let event = try await event(request)
        let (limit, behind) = try ReactionEndpoints.window(request)
        let comments: [Comment]
        if let text = request.query["photo"] {
            guard let id = FieldRule.canonicalUUID(text),
                let photo = try await reader({ try $0.photo(id) }), photo.event == event.id
            else { throw APIError.notFound("photo") }
            comments = try await reader { try $0.comments(of: id, behind: behind, limit: limit) }
        } else {
            comments = try await reader {
                try $0.comments(ofEvent: event.id, behind: behind, limit: limit)
            }
        }
        return .data([
            "comments": .array(comments.map(\.json)), "next": ReactionEndpoints.next(comments, limit),
        ])
    }

    package func removeComment(_ request: Request) async throws -> Response {
        let event = try await event(request)
        let id = try UploadEndpoints.id(request, "comment", of: "comment")
        let photo = try await store { try $0.removeComment(id, in: event.id) }
        teller.stir(photo, in: event.id)
        return Response(status: 204)
    }

    private func event(_ request: Request) async throws -> Event {
        let account = try await accounts.authenticate(request)
        return try await reader {
            try $0.event(try UploadEndpoints.id(request, "id", of: "event"), of: account.id)
        }
    }
}
