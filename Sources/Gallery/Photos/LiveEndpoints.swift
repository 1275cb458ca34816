import Basics
package import HTTPServer

/// What happens, as it happens. A client that comes back is answered from memory.
extension GuestEndpoints {
    package func live(_ request: Request) async throws -> Response {
        guard let slug = request.parameters["slug"], slug.utf8.count <= 100,
            let event = try await directory.event(slug: slug)
        else { throw APIError.notFound("event") }
        _ = try open(knock(at: event, request))
        return try await stream(request, event, .guests) {
            guard let now = try await directory.event(event.id) else { throw APIError.notFound("event") }
            _ = try open(knock(at: now, request))
        }
    }

    /// `/events/{id}/live`: for the host, and for guests of this event.
    package func liveByID(_ request: Request) async throws -> Response {
        let id = try UploadEndpoints.id(request, "id", of: "event")
        guard request["Authorization"] == nil else {
            let account = try await accounts.authenticate(request)
            let event = try await reader { try $0.event(id, of: account.id) }
            return try await stream(request, event, .host) { _ = try await accounts.authenticate(request) }
        }
        let event = try await guestEvent(id, request)
        return try await stream(request, event, .guests) { _ = try await guestEvent(id, request) }
    }

    private func guestEvent(_ id: String, _ request: Request) async throws -> Event {
        guard let event = try await directory.event(id) else { throw APIError.notFound("event") }
        guard !isOver(event) else { throw Self.gone }
        guard door.mayLook(at: event.door, request) else {
            throw APIError(.unauthenticated, "log in, or open the guests' page and enter the PIN")
        }
        return event
    }

    /// `check` says whether the client still may, once it listens: the feed cannot send away one that it does not know yet.
    private func stream(
        _ request: Request, _ event: Event, _ audience: Feeds.Audience, _ check: () async throws -> Void
    ) async throws -> Response {
        let said = request["Last-Event-ID"] ?? request.query["after"]
        let last = said.flatMap(UInt64.init)
        let client = request.client.group
        let end = event.expiresAt
        var listening = feeds.stream(of: event.id, for: audience, after: last, until: end, from: client)
        if case .hasJustBegun = listening {
            let stamp = try await reader { try $0.lastStamp(ofEvent: event.id) }
            listening = feeds.stream(
                of: event.id, for: audience, behind: stamp, after: last, until: end, from: client)
        }
        guard case .stream(let stream) = listening else { return try Self.full(request) }
        try await check()
        return Response(status: 200, body: .events(stream))
    }

    /// After so long a client may try again.
    private static let pauseWhenFull = Duration.seconds(15)

    /// A browser would take a refusal for the end, and not say to its page which one it was.
    private static func full(_ request: Request) throws -> Response {
        guard request["Accept"]?.contains("text/event-stream") ?? false else {
            throw APIError(
                .serviceUnavailable, "as many listen as may; ask for the photos now and then, or try again",
                retryAfter: pauseWhenFull)
        }
        return .text(
            200, "retry: \(pauseWhenFull.wholeMilliseconds)\nevent: poll\ndata: {}\n\n",
            type: "text/event-stream",
            headers: [
                HTTPHeader("Cache-Control", "no-store"), HTTPHeader("X-Content-Type-Options", "nosniff"),
            ])
    }
}
