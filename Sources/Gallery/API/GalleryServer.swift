package import Bridge
package import HTTPServer
import Posix

/// The parts of a gallery, put together: everything that is answered, and everything that goes on by itself.
package final class GalleryServer: Sendable {
    package let store: GalleryStore
    package let accounts: Accounts
    package let door: GuestDoor
    package let feeds = Feeds()
    package let metrics = Metrics()
    private let reader: GalleryReader
    private let storage: any ObjectStorage
    private let images: ImageIndex
    private let settings: GallerySettings
    private let processor: Processor
    private let sweeper: Sweeper
    private let sync: SyncEndpoint
    private let time: any TimeSource
    private let log: GalleryLog
    private let started: Timestamp
    private let imageSources: [String]
    private nonisolated let threads: [ThreadExecutor]

    /// How often what was left is put away.
    private static let sweepPause = Duration.seconds(30)
    private static let jsonLimit = 1 << 20

    package struct Parts: Sendable {
        package let database: String
        package let store: GalleryStore
        package let accounts: Accounts
        package let door: GuestDoor
        package let storage: any ObjectStorage
        package let renderer: any Renderer
        package let settings: GallerySettings
        /// Where images are redirected to besides here.
        package let imageSources: [String]
        package let time: any TimeSource
        package let wall: any WallTime
        package let log: GalleryLog

        package init(
            database: String, store: GalleryStore, accounts: Accounts, door: GuestDoor,
            storage: any ObjectStorage, renderer: any Renderer, settings: GallerySettings, imageSources: [String] = [],
            time: any TimeSource, wall: any WallTime, log: GalleryLog
        ) {
            self.database = database
            self.store = store
            self.accounts = accounts
            self.door = door
            self.storage = storage
            self.renderer = renderer
            self.settings = settings
            self.imageSources = imageSources
            self.time = time
            self.wall = wall
            self.log = log
        }
    }

    package init(_ parts: Parts) throws {
        let looking = ThreadExecutor(name: "looking")
        threads = [looking]
        store = parts.store
        accounts = parts.accounts
        door = parts.door
        storage = parts.storage
        settings = parts.settings
        imageSources = parts.imageSources
        time = parts.time
        log = parts.log
        started = parts.wall.wallNow
        reader = try GalleryReader(path: parts.database, executor: looking)
        images = try ImageIndex(path: parts.database)
        let log = parts.log
        processor = Processor(
            store: store, storage: storage, renderer: parts.renderer, feeds: feeds, time: time
        ) { log.warning($0) }
        let processor = processor
        sync = SyncEndpoint(store: store) { [store, feeds] touches in
            Task { await Self.tell(touches, store, feeds, log) }
        }
        sweeper = Sweeper(store: store, storage: storage, onLanded: { processor.lookAgain() }) { log.warning($0) }
        
    }

    /// What came by sync is seen at once, as what came by a page is.
    private static func tell(
        _ touches: [SyncTouch], _ store: GalleryStore, _ feeds: Feeds, _ log: GalleryLog
    ) async {
        do {
            for touch in touches where touch.kind == .photo {
                guard let event = try await store.event(touch.event) else { continue }
                if let photo = touch.isDeleted ? nil : try await store.photo(touch.id, of: event.owner) {
                    feeds.tell(photo, in: event)
                } else {
                    feeds.gone(touch.id, in: event, at: try await store.lastStamp())
                }
            }
        } catch {
            log.warning("nobody was told of a change that came by sync: \(error)")
        }
    }

    /// Bytes lie at that key, as the storage has seen.
    package func landed(_ key: String) async {
        do {
            if try await store.landed(key) { processor.lookAgain() }
        } catch {
            // Nothing is lost: whoever asks for the status makes us look again.
            log.warning("bytes at \(key) have come, and that could not be written: \(error)")
        }
    }

    /// What goes on by itself, until the task is cancelled.
    package func run(workers: Int) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.processor.run(atOnce: workers) }
            group.addTask {
                while !Task.isCancelled {
                    do {
                        try await self.sweeper.sweep()
                    } catch {
                        self.log.warning("putting away what was left did not work, and is tried again: \(error)")
                    }
                    do {
                        try await self.time.sleep(until: self.time.now + Self.sweepPause)
                    } catch {
                        return
                    }
                }
            }
        }
        for thread in threads { thread.shutDown() }
    }

    // MARK: Routes

    private typealias Endpoint = @Sendable (Request) async throws -> Response

    /// Wants no body, or a small one.
    private func route(_ method: String, _ pattern: String, _ endpoint: @escaping Endpoint) -> Route {
        let log = log
        return Route(
            method, pattern,
            .whole(limit: Self.jsonLimit) { request in await Self.answer(request, log) { try await endpoint(request) } })
    }

    private static func answer(
        _ request: Request, _ log: GalleryLog, _ endpoint: () async throws -> Response
    ) async -> Response {
        do {
            return try await endpoint()
        } catch {
            return refusal(error, request, log)
        }
    }

    private static func refusal(_ error: any Error, _ request: Request, _ log: GalleryLog) -> Response {
        switch error {
        case let error as APIError: return error.response
        case let problem as StorageProblem:
            log.warning("request \(request.id): \(problem)")
            return APIError(.serviceUnavailable, "the storage cannot be reached; try again in a moment").response
        default:
            log.error("request \(request.id), \(request.method) \(request.path): \(error)")
            return APIError(.internalError, "something went wrong here; the log knows more under \(request.id)").response
        }
    }

    /// What the server itself refuses, before any endpoint is asked.
    package static func refusal(_ status: Int, _ message: String) -> Response {
        let code: APIError.Code =
            switch status {
            case 404: .notFound
            case 405: .methodNotAllowed
            case 408: .requestTimeout
            case 413: .payloadTooLarge
            case 429: .rateLimited
            case 500: .internalError
            case 503: .serviceUnavailable
            default: .badRequest
            }
        var response = APIError(code, message).response
        response.status = status
        return response
    }

    package var routes: [Route] {
        accountRoutes + eventRoutes + uploadRoutes + photoRoutes + guestRoutes + operationRoutes
    }

    private var accountRoutes: [Route] {
        let accounts = accounts
        return [
            route("POST", "/auth/register") { try await accounts.register($0) },
            route("POST", "/auth/login") { try await accounts.login($0) },
            route("POST", "/auth/refresh") { try await accounts.refresh($0) },
            route("POST", "/auth/logout") { try await accounts.logout($0) },
            route("GET", "/me") { try await accounts.me($0) },
            route("DELETE", "/me") { [images] request in
                let response = try await accounts.deleteMe(request)
                images.forget()
                return response
            },
            route("GET", "/consent") { try await accounts.consent($0) },
            route("POST", "/consent") { try await accounts.giveConsent($0) },
        ]
    }

    private var eventRoutes: [Route] {
        let events = EventEndpoints(
            store: store, reader: reader, accounts: accounts, door: door, settings: settings, images: images)
        return [
            route("GET", "/events") { try await events.list($0) },
            route("POST", "/events") { try await events.make($0) },
            route("GET", "/events/{id}") { try await events.show($0) },
            route("PATCH", "/events/{id}") { try await events.change($0) },
            route("DELETE", "/events/{id}") { try await events.delete($0) },
        ]
    }

    private var uploadRoutes: [Route] {
        let processor = processor
        let uploads = UploadEndpoints(
            store: store, storage: storage, accounts: accounts, sweeper: sweeper, settings: settings
        ) { processor.lookAgain() }
        return [
            route("POST", "/uploads/presign") { try await uploads.presign($0) },
            route("POST", "/uploads/{uploadId}/presign") { try await uploads.presignAgain($0) },
            route("GET", "/uploads/status") { try await uploads.status($0) },
            route("GET", "/uploads/events/{eventId}") { try await uploads.list($0) },
            route("POST", "/uploads/events/{eventId}/{uploadId}/retry") { try await uploads.retry($0) },
            route("POST", "/uploads/events/{eventId}/retry-all") { try await uploads.retryAll($0) },
        ] + ((storage as? FolderStorage).map { [$0.places.route] } ?? [])
    }

    private var photoRoutes: [Route] {
        let photos = PhotoEndpoints(
            store: store, reader: reader, accounts: accounts, door: door, settings: settings, images: images,
            feeds: feeds)
        let image = ImageEndpoint(images: images, storage: storage, door: door)
        let storage = storage
        let log = log
        let images: Route =
            if let folder = storage as? FolderStorage {
                Route(
                    "GET", "/images/{key}",
                    .quick { request in
                        do {
                            return try image.answerNow(request, folder)
                        } catch {
                            return Self.refusal(error, request, log)
                        }
                    })
            } else {
                route("GET", "/images/{key}") { try await image.answer($0) }
            }
        let sync = sync
        let accounts = accounts
        let forget = self.images
        return [
            route("GET", "/events/{id}/photos") { try await photos.list($0) },
            route("GET", "/photos/{id}") { try await photos.show($0) },
            route("PATCH", "/photos/{id}") { try await photos.change($0) },
            route("DELETE", "/photos/{id}") { try await photos.delete($0) },
            route("POST", "/events/{id}/zip-link") { try await photos.zipLink($0) },
            route("GET", "/events/{id}/zip") { request in
                guard let folder = storage as? FolderStorage else {
                    throw APIError(.notFound, "originals in a bucket are fetched one by one")
                }
                return try await photos.zip(request, storage: folder)
            },
            images,
            route("POST", "/sync") { request in
                let response = try await sync.sync(request, of: try await accounts.authenticate(request))
                forget.forget()
                return response
            },
        ]
    }

    private var guestRoutes: [Route] {
        let guests = GuestEndpoints(
            store: store, reader: reader, accounts: accounts, door: door, settings: settings, feeds: feeds,
            answers: PageAnswers(imageSources: imageSources))
        let answers = PageAnswers(imageSources: imageSources)
        return [
            route("GET", "/e/{slug}") { try await guests.page($0) },
            route("GET", "/e/{slug}/photos") { try await guests.photos($0) },
            route("GET", "/e/{slug}/live") { try await guests.live($0) },
            route("POST", "/e/{slug}/access") { try await guests.access($0) },
            route("GET", "/e/{slug}/qr.svg") { try await guests.qrCode($0) },
            route("GET", "/events/{id}/live") { try await guests.liveByID($0) },
            Route("GET", "/host", .quick { _ in answers.answer(200, HostPage.html) }),
            Route(
                "GET", "/assets/{version}/{name}",
                .quick { PageAssets.answer($0) ?? APIError.notFound("file").response }),
        ]
    }

    private var operationRoutes: [Route] {
        let metrics = metrics
        let processor = processor
        let store = store
        let started = started
        let storage = storage
        let reader = reader
        return [
            Route("GET", "/health", .quick { _ in .data(["status": .string("ok")]) }),
            route("GET", "/ready") { _ in
                do {
                    try await reader.look()
                    _ = try await storage.look(String(repeating: "0", count: ObjectKey.length))
                } catch {
                    throw APIError(.serviceUnavailable, "not ready: \(error)")
                }
                return .data(["status": .string("ready")])
            },
            route("GET", "/metrics") { _ in
                .text(
                    200, metrics.text(await processor.totals, try await store.totals(), since: started),
                    type: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(
                "GET", "/openapi.json",
                .quick { _ in .text(200, OpenAPI.document, type: "application/json", headers: [HTTPHeader("Cache-Control", "no-cache")]) }),
        ]
    }
}
