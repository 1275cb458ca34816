import Basics
import Bridge
import Console
import HTTPServer
import ImageCache
import Store
import Web

/// What is answered where. A line of the table is a method, a path, what a client has to show for it, and the answer.
struct HudRoutes: Sendable {
    let door: HudDoor
    let settings: HudSettings
    let desk: HudDesk
    let wire: HudWire
    let bridge: any HudBridge
    let pictures: any PictureSource

    var all: [Route] {
        [
            open("/") { _ in HudPage.answer },
            open("/assets/{version}/{name}") { request in
                HudAssets.set.answer(request) ?? Self.refusal(404, "There is no such file.")
            },
            open("/session") { Self.json(["entered": .bool(door.refusal(of: $0, for: .look) == nil)]) },
            change("/session", .enter) { try door.enter($0) },
            quick("/api/events", events),
            look("/api/now") { _ in try await now() },
            look("/api/photos") { try await photos($0) },
            look("/api/photos/{id}") { try await story($0) },
            look("/pictures/{id}/{key}/{size}") { try await picture($0) },
            look("/metrics") { _ in try await metrics() },
            change("/api/retry", .act) { try await retry($0) },
            change("/api/cancel", .act) { try await cancel($0) },
            change("/api/pause", .act) { try await pause($0) },
        ] + marks
    }

    // MARK: Kinds of routes

    private func open(_ pattern: String, _ body: @escaping @Sendable (Request) -> Response) -> Route {
        Route("GET", pattern, .quick { door.refusal(of: $0, for: .page)?.response ?? body($0) })
    }

    private func quick(_ pattern: String, _ body: @escaping @Sendable (Request) -> Response) -> Route {
        Route("GET", pattern, .quick { door.refusal(of: $0, for: .look)?.response ?? body($0) })
    }

    func look(
        _ pattern: String, _ body: @escaping @Sendable (Request) async throws -> Response
    ) -> Route {
        Route(
            "GET", pattern,
            .quickOr({ door.refusal(of: $0, for: .look)?.response }) { request in
                await Self.answer { try await body(request) }
            })
    }

    func change(
        _ pattern: String, _ wish: HudDoor.Wish,
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) -> Route {
        Route(
            "POST", pattern,
            .whole(limit: HudDoor.longestBody) { request in
                if let problem = door.refusal(of: request, for: wish) { return problem.response }
                return await Self.answer { try await body(request) }
            })
    }

    private static func answer(_ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch let problem as HudProblem {
            return problem.response
        } catch let error as JSON5Error {
            return refusal(400, "the request cannot be read: \(error)")
        } catch {
            return refusal(503, "the bridge could not do that: \(error)")
        }
    }

    // MARK: Answers

    static let headers = [
        HTTPHeader("Cache-Control", "no-store"), HTTPHeader("X-Content-Type-Options", "nosniff"),
        HTTPHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        HTTPHeader("Referrer-Policy", "no-referrer"),
    ]

    static func json(_ value: JSONValue, status: Int = 200) -> Response {
        Response.text(status, value.compact, type: "application/json", headers: headers)
    }

    static func refusal(_ status: Int, _ message: String) -> Response {
        json(["error": .string(message)], status: status)
    }

    // MARK: What is looked at

    private func events(_ request: Request) -> Response {
        guard wire.feed.listeners < HudSettings.mostListeners else {
            return Self.refusal(503, "Too many pages listen already; close one of them.")
        }
        let last = request["Last-Event-ID"] ?? request.query["after"]
        let stream = wire.feed.stream(after: last.flatMap { UInt64($0) })
        wire.lookAgain()
        return Response(
            status: 200,
            headers: [HTTPHeader("Content-Type", "text/event-stream"), HTTPHeader("X-Accel-Buffering", "no")]
                + Self.headers,
            body: .events(stream))
    }

    private func now() async throws -> Response {
        let (position, status, photos) = try await wire.snapshot()
        return Self.json(
            [
                "position": .unsigned(position), "status": status.json,
                "headline": StatusHeadline(status).json, "photos": .array(photos.map(\.json)),
                "mayAct": .bool(settings.allowsControl), "tiles": .integer(Int64(HudDesk.tiles)),
            ])
    }

    private func metrics() async throws -> Response {
        Response.text(200, try await bridge.metrics(), type: MetricsText.contentType, headers: Self.headers)
    }

    private func photos(_ request: Request) async throws -> Response {
        let text = request.query["q"] ?? ""
        guard text.count <= HudDesk.longestSearch else {
            throw HudProblem(400, "A search has at most \(HudDesk.longestSearch) characters.")
        }
        let word = request.query["show"] ?? LedgerReader.Selection.latest.rawValue
        guard let selection = LedgerReader.Selection(rawValue: word) else {
            throw HudProblem(400, "What may be shown is latest, open or failed.")
        }
        let found = try await desk.photos(selection, matching: text)
        return Self.json(["photos": .array(found.map(\.json))])
    }

    func number(_ request: Request) throws -> CaptureID {
        guard let text = request.parameters["id"], let number = Int64(text), number > 0, "\(number)" == text
        else {
            throw HudProblem(404, "There is no such photo.")
        }
        return CaptureID(number)
    }

    private func story(_ request: Request) async throws -> Response {
        let id = try number(request)
        let status = try await bridge.status()
        guard let photo = try await desk.photo(id), let story = try await desk.story(of: id, in: status)
        else {
            throw HudProblem(404, "This event has no photo \(id).")
        }
        return Self.json(["photo": photo.json, "story": story.json])
    }

    private func picture(_ request: Request) async throws -> Response {
        guard let size = request.parameters["size"].flatMap(PictureSize.init(rawValue:)),
            let photo = try await desk.pictured(try number(request), key: request.parameters["key"] ?? "")
        else { throw HudProblem(404, "There is no such picture.") }
        switch await pictures.picture(of: photo, size) {
        case .jpeg(let bytes):
            return Response(
                status: 200,
                headers: [
                    HTTPHeader("Content-Type", "image/jpeg"), HTTPHeader("X-Content-Type-Options", "nosniff"),
                    HTTPHeader("Cache-Control", "private, max-age=31536000, immutable"),
                    HTTPHeader("Content-Security-Policy", "default-src 'none'; sandbox"),
                ], body: .bytes(bytes))
        case .gallery(let image): return Self.gallery(image, request)
        // An answer without a picture is no error to a browser, which would say so in its console.
        case .none, .busy: return Response(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")])
        }
    }

    /// Asked for each time: what its host takes back is not shown from a browser's memory.
    private static func gallery(_ image: CachedImage, _ request: Request) -> Response {
        let headers = [
            HTTPHeader("ETag", image.etag), HTTPHeader("Cache-Control", "private, no-cache"),
            HTTPHeader("X-Content-Type-Options", "nosniff"),
            HTTPHeader("Content-Security-Policy", "default-src 'none'; sandbox"),
        ]
        if request.knows(image.etag) { return Response(status: 304, headers: headers) }
        return Response(
            status: 200, headers: headers + [HTTPHeader("Content-Type", image.contentType)],
            body: .bytes(image.bytes))
    }

    // MARK: What is done

    private func jobs(_ wish: JSONValue) throws -> [JobID] {
        let jobs = (wish["jobs"]?.array ?? []).compactMap { $0.integer.map { JobID($0) } }
        guard !jobs.isEmpty, jobs.count <= HudDesk.mostJobs else {
            throw HudProblem(400, "Say which deliveries: at most \(HudDesk.mostJobs) of their numbers.")
        }
        return jobs
    }

    static func wish(_ request: Request) throws -> JSONValue {
        try JSON5.parse(String(decoding: request.body, as: UTF8.self))
    }

    private func retry(_ request: Request) async throws -> Response {
        let wish = try Self.wish(request)
        let wanted = wish["failed"]?.bool == true ? try await desk.failedJobs() : try jobs(wish)
        let begun = try await bridge.retry(wanted)
        wire.lookAgain()
        return Self.json(["retried": .integer(Int64(begun.count)), "asked": .integer(Int64(wanted.count))])
    }

    /// A photo that need not arrive is not taken back by a slip of a thumb.
    private func cancel(_ request: Request) async throws -> Response {
        let wish = try Self.wish(request)
        guard wish["confirmed"]?.bool == true else {
            throw HudProblem(409, "Cancelling a delivery has to be confirmed.")
        }
        let cancelled = try await bridge.cancel(try jobs(wish))
        wire.lookAgain()
        return Self.json(["cancelled": .integer(Int64(cancelled.count))])
    }

    private func pause(_ request: Request) async throws -> Response {
        guard let isPaused = try Self.wish(request)["paused"]?.bool else {
            throw HudProblem(400, "Say whether deliveries pause: {\"paused\": true} or false.")
        }
        try await bridge.pause(isPaused)
        wire.lookAgain()
        return Self.json(["paused": .bool(isPaused)])
    }
}

extension HudProblem {
    var response: Response { HudRoutes.refusal(status, description) }
}
