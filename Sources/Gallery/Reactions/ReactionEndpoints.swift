import Basics
package import HTTPServer

/// `/e/{slug}/…`: hearts and comments, as guests give them. A guest who may see a photo may give it a heart and write of it, where
/// its hosts take that.
package struct ReactionEndpoints: Sendable {
    let guests: GuestEndpoints
    let devices: GuestDevices
    let teller: ReactionTeller

    private static let mostAtOnce = 1000

    private var store: StorePool { guests.store }
    private var reader: ReaderPool { guests.reader }

    // MARK: Both

    /// GET /e/{slug}/reactions: how many each photo has, for photos that have some.
    package func list(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        let limit = try Page.limit(request, most: Self.mostAtOnce, usual: Self.mostAtOnce)
        var behind = ""
        if let cursor = request.query["cursor"] {
            guard let id = FieldRule.canonicalUUID(cursor) else { throw Page.badCursor }
            behind = id
        }
        let takes = event.allowsHearts || event.allowsComments
        let found =
            takes
            ? try await reader { [behind] in try $0.reactions(of: event.id, behind: behind, limit: limit) }
            : []
        let next = found.count == limit ? found.last?.photo : nil
        let members = event.json(of: found, for: .guests).members ?? []
        return .data(.object(members + [("next", next.json)]))
    }

    // MARK: Hearts

    /// GET /e/{slug}/hearts: the photos that this device has given its heart.
    package func hearts(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        try Self.check(event.allowsHearts, "hearts")
        var photos: [String] = []
        if let device = devices.device(of: request, at: event.id) {
            photos = try await reader { try $0.hearts(of: device, in: event.id) }
        }
        return .data(["photos": .array(photos.map(JSONValue.string))])
    }

    package func giveHeart(_ request: Request) async throws -> Response {
        try await setHeart(true, request)
    }

    package func takeHeartBack(_ request: Request) async throws -> Response {
        try await setHeart(false, request)
    }

    /// The same again changes nothing.
    private func setHeart(_ isGiven: Bool, _ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        try Self.check(event.allowsHearts, "hearts")
        let photo = try await shown(request, in: event)
        if !isGiven, devices.device(of: request, at: event.id) == nil {
            // It has none to take back, and need not be known for that.
            let counts = try await reader { try $0.reactions(of: photo) }
            return .data(["hearts": .integer(Int64(counts?.hearts ?? 0)), "isGiven": .bool(false)])
        }
        let device = try await devices.device(of: request, at: event.id, for: .heart)
        let counts = try await store {
            try $0.setHeart(isGiven, on: photo, in: event.id, by: device.id)
        }
        teller.stir(photo, in: event.id)
        return Self.answer(
            ["hearts": .integer(Int64(counts.hearts)), "isGiven": .bool(isGiven)], device)
    }

    // MARK: Comments

    package func comments(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        try Self.check(event.allowsComments, "comments")
        let photo = try await shown(request, in: event)
        let (limit, behind) = try Self.window(request)
        let comments = try await reader { try $0.comments(of: photo, behind: behind, limit: limit) }
        let device = devices.device(of: request, at: event.id)
        return .data([
            "comments": .array(comments.map { $0.json(for: device) }),
            "next": Self.next(comments, limit),
        ])
    }

    package func comment(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        try Self.check(event.allowsComments, "comments")
        let photo = try await shown(request, in: event)
        let wish = try JSONFields.read(request) { fields in
            CommentWish(
                id: fields.optional("id", .uuid), photo: photo, name: fields.required("name", .commentName),
                words: fields.required("text", .commentText))
        }
        let device = try await devices.device(of: request, at: event.id, for: .comment)
        let (comment, isNew) = try await store { try $0.addComment(wish, in: event.id, by: device.id) }
        teller.stir(photo, in: event.id)
        return Self.answer(comment.json(for: device.id), device, status: isNew ? 201 : 200)
    }

    /// Its own, and no other's.
    package func removeComment(_ request: Request) async throws -> Response {
        let event = try await guests.visible(request)
        let id = try UploadEndpoints.id(request, "comment", of: "comment")
        guard let device = devices.device(of: request, at: event.id) else {
            throw APIError.notFound("comment")
        }
        let photo = try await store { try $0.removeComment(id, in: event.id, by: device) }
        teller.stir(photo, in: event.id)
        return Response(status: 204)
    }

    // MARK: Parts

    private static func check(_ isTaken: Bool, _ what: String) throws(APIError) {
        guard isTaken else { throw APIError(.forbidden, "the hosts of this event take no \(what)") }
    }

    /// The photo that the path names, where guests see it.
    private func shown(_ request: Request, in event: Event) async throws -> String {
        let id = try UploadEndpoints.id(request, "id", of: "photo")
        guard try await guests.shown(id, in: event) != nil else { throw APIError.notFound("photo") }
        return id
    }

    private static func answer(
        _ data: JSONValue, _ device: GuestDevices.Known, status: Int = 200
    ) -> Response {
        var response = Response.data(data, status: status)
        if let cookie = device.cookie { response.headers.append(cookie) }
        return response
    }

    static func window(_ request: Request) throws -> (limit: Int, behind: CommentCursor?) {
        let limit = try Page.limit(request, most: Comment.mostOfPhoto)
        guard let text = request.query["cursor"] else { return (limit, nil) }
        guard let cursor = CommentCursor(text) else { throw Page.badCursor }
        return (limit, cursor)
    }

    static func next(_ comments: [Comment], _ limit: Int) -> JSONValue {
        guard comments.count == limit, let last = comments.last else { return .null }
        return .string(CommentCursor(last).text)
    }
}
