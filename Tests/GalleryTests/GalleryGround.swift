import Basics
import Digest
import Glibc
import HTTPServer
import Imaging
import Posix
import Rendering
import TestSupport
import Testing

@testable import Gallery

/// A whole gallery without sockets: its routes are called as the server would call them. Its folder and its database are
/// real; pictures are not looked at, because what is tried here is everything around them.
final class GalleryGround: Sendable {
    let ground: AccountGround
    let server: GalleryServer
    let storage: FolderStorage
    let objects: String
    let renderer: StandInRenderer
    private let routes: [Route]
    /// Where requests go over the network.
    private let served: ServedGround?
    var port: UInt16? { served?.web.port }
    let warnings = Shared<[String]>([])
    /// What people did.
    let told = Shared<[String]>([])

    var store: GalleryStore { ground.store }
    var wall: GalleryWall { ground.wall }

    init(
        seed: UInt64 = 1, isServed: Bool = false, in known: TemporaryFolder? = nil,
        on filled: PostgresServer.Database? = nil, wall knownWall: GalleryWall? = nil,
        accounts: AccountSettings = AccountGround.settings,
        videos: VideoStudio = VideoStudio(VideoThread()),
        _ change: (inout GallerySettings) -> Void = { _ in }
    ) throws {
        var settings = GallerySettings(publicURL: "http://gallery.example")
        change(&settings)
        ground = try AccountGround(seed: seed, settings: accounts, in: known, on: filled, wall: knownWall)
        let wall = ground.wall
        let landing = Landing()
        objects = ground.folder.file("objects")
        storage = try FolderStorage(
            path: objects, publicURL: "http://gallery.example", keys: KeyRing(AccountGround.secret),
            wall: wall,
            random: SeededSource(seed + 2)
        ) { landing.keys.change { [key = $0] in $0.append(key) } }
        renderer = StandInRenderer()
        let (warnings, told) = (warnings, told)
        server = try GalleryServer(
            GalleryServer.Parts(
                database: ground.database, accounts: ground.accounts,
                door: GuestDoor(
                    keys: ground.accounts.keys, hasher: ground.hasher, time: wall.clock, wall: wall,
                    random: SeededSource(seed + 3), isSecure: false, shared: ground.accounts.sharedLimits),
                storage: storage, renderer: renderer, videos: videos,
                settings: settings, time: wall.clock, wall: wall,
                log: GalleryLog { level, line in
                    (level == .info ? told : warnings).change { $0.append(line) }
                }))
        routes = server.routes
        served = isServed ? try ServedGround(server) : nil
        self.landing = landing
    }

    /// Keys whose bytes have come, and the server has not been told.
    private final class Landing: Sendable {
        let keys = Shared<[String]>([])
    }

    private let landing: Landing

    /// The server hears of bytes that have come, or a crash comes first.
    func hear(_ isLost: Bool = false) async {
        let keys = landing.keys.change { keys in
            defer { keys = [] }
            return keys
        }
        if isLost { return }
        for key in keys { await server.landed(key) }
        await settle()
    }

    /// What has changed is told to those who listen, as a node does all the time.
    func settle() async { await server.cluster?.follower.settle() }

    func totals() async throws -> GalleryTotals { try await server.reader { try $0.totals() } }

    // MARK: Requests

    struct Answer: Sendable, CustomStringConvertible {
        let status: Int
        let headers: [HTTPHeader]
        let json: JSONValue
        let text: String
        /// As they came, where they are here.
        let bytes: [UInt8]

        /// Where the answer goes on.
        let stream: EventStream?

        subscript(key: String) -> JSONValue? { json["data"]?[key] }
        var data: JSONValue? { json["data"] }
        var code: String? { json["error"]?["code"]?.string }
        var description: String { "\(status) \(text)" }

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    func call(
        _ method: String, _ target: String, _ body: JSONValue? = nil, token: String? = nil,
        headers: [HTTPHeader] = [], peer: String = "192.0.2.1"
    ) async throws -> Answer {
        let authorization = token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? []
        return try await call(
            method, target, bytes: body.map { Array($0.compact.utf8) } ?? [],
            headers: authorization + headers,
            peer: peer)
    }

    func call(
        _ method: String, _ target: String, bytes: [UInt8], headers: [HTTPHeader], peer: String = "192.0.2.1"
    ) async throws -> Answer {
        let (route, request) = try request(method, target, bytes, headers, peer)
        let response =
            if let served {
                try await served.call(method, target, bytes, headers)
            } else {
                try await Self.response(route, request, bytes)
            }
        await settle()
        let answer = try Self.answer(response)
        #expect(
            Contract.has(answer.status, at: "\(method) \(route.pattern)"),
            "the document does not know that \(method) \(route.pattern) answers \(answer.status)")
        return answer
    }

    /// As the server would send it, also where that takes a while.
    func response(to target: String, peer: String = "192.0.2.1") async throws -> Response {
        let (route, request) = try request("GET", target, [], [], peer)
        return try await Self.response(route, request, [])
    }

    private func request(
        _ method: String, _ target: String, _ bytes: [UInt8], _ headers: [HTTPHeader], _ peer: String
    ) throws -> (Route, Request) {
        let parts = target.split(separator: "?", maxSplits: 1)
        let path = String(parts[0])
        let query = try (parts.count > 1 ? parts[1].split(separator: "&") : []).map { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPHeader(String(sides[0]), sides.count > 1 ? try PercentEncoding.decoded(sides[1]) : "")
        }
        for route in routes where route.method == method {
            guard let parameters = Self.match(route.pattern, path) else { continue }
            let request = Request(
                id: "test", method: method, path: path, parameters: parameters,
                query: Query(query, isAbsent: !target.contains("?")), headers: headers, peer: peer,
                body: bytes)
            return (route, request)
        }
        throw Surprise("nothing is at \(method) \(path)")
    }

    private static func response(_ route: Route, _ request: Request, _ bytes: [UInt8]) async throws
        -> Response
    {
        try await Request.$answeredID.withValue(request.id) { try await handled(request, by: route, bytes) }
    }

    private static func handled(_ request: Request, by route: Route, _ bytes: [UInt8]) async throws
        -> Response
    {
        switch route.handler {
        case .quick(let handler): return handler(request)
        case .quickOr(let handler, let other):
            if let response = handler(request) { return response }
            return await other(request)
        case .whole(_, let handler): return await handler(request)
        case .intake(let handler):
            switch await handler(request) {
            case .refuse(let response): return response
            case .take(let sink, let limit):
                guard UInt64(bytes.count) == limit else {
                    sink.abandon()
                    return Response(status: 400)
                }
                try bytes.withUnsafeBytes { try sink.write($0) }
                return await sink.finish()
            }
        }
    }

    private static func match(_ pattern: String, _ path: String) -> [String: String]? {
        let wanted = pattern.split(separator: "/", omittingEmptySubsequences: false)
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == given.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, value) in zip(wanted, given) {
            if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = String(value)
            } else if part != value {
                return nil
            }
        }
        return parameters
    }

    private static func answer(_ response: Response) throws -> Answer {
        var bytes: [UInt8] = []
        if case .bytes(let body) = response.body { bytes = body }
        let text = String(decoding: bytes, as: UTF8.self)
        var stream: EventStream?
        if case .events(let events) = response.body { stream = events }
        let isJSON = text.hasPrefix("{")
        return Answer(
            status: response.status, headers: response.headers, json: isJSON ? try JSON5.parse(text) : .null,
            text: text, bytes: bytes, stream: stream)
    }

    // MARK: Who and what

    struct Host: Sendable {
        let account: String
        let family: String
        let event: String
        let slug: String
    }

    /// One that is good now, whatever time has passed.
    func token(_ host: Host) -> String { token(host.account, host.family) }

    private func token(_ account: String, _ family: String) -> String {
        AccessToken(account: account, family: family, number: 1, issuedAt: wall.wallNow.seconds)
            .signed(with: ground.accounts.accessKeys.current)
    }

    func host(
        _ email: String = "host@example.org", credits: Int? = nil, event: JSONValue = ["name": "Wedding"]
    ) async throws -> Host {
        // Without the limits of the door, which have tests of their own.
        let account = try #require(try await store.addAccount(email: email, name: "Host", hash: "*"))
        let pair = try #require(
            try await store.login(
                account.id, known: "*", newHash: nil, key: ground.accounts.refreshKeys.current))
        let token = token(account.id, pair.family)
        if let credits { _ = try await store.grantCredits(to: account.id, credits) }
        _ = try await call("POST", "/consent", ["version": .integer(1)], token: token)
        let made = try await call("POST", "/events", event, token: token)
        return Host(
            account: account.id, family: pair.family, event: try #require(made["id"]?.string),
            slug: try #require(made["slug"]?.string))
    }

    /// Everything that is there to be worked on becomes photos.
    func work() async throws {
        while try await server.processor.workOnce() {}
        await settle()
    }
}

/// Looks at no picture. Bytes that begin with "bad" are none; others have renditions as large as their names.
final class StandInRenderer: Renderer {
    /// What the file says of itself, by the text that stands for it.
    let exif = Shared<[String: ExifFacts]>([:])
    let passing = Shared(0)
    /// Whether what it is given is large enough for a tile.
    let hasTiles = Shared(false)
    let hasPlaceholders = Shared(false)

    func render(_ job: RenderJob) async throws(RenderProblem) -> RenderedPhoto {
        let fails = passing.change { left in
            left = max(0, left - 1)
            return left > 0
        }
        if fails { throw RenderProblem(.timeout, "it took too long") }
        do {
            let bytes = try readFile(job.file)
            if bytes.starts(with: Array("bad".utf8)) { throw RenderProblem(.notAnImage, "it is no image") }
            for rendition in job.renditions {
                try Self.write("rendition of \(SHA256.of(bytes))", to: rendition.path)
            }
            let image = Imaging.Rendition(size: 77, width: 3, height: 2)
            let tile = hasTiles.value ? Imaging.Rendition(size: 77, width: 800, height: 533) : image
            var plain = ExifFacts()
            plain.model = "Test"
            let exif = exif.change { $0[String(decoding: bytes, as: UTF8.self)] } ?? plain
            return RenderedPhoto(
                sha256: "\(SHA256.of(bytes))", size: UInt64(bytes.count), width: 30, height: 20,
                orientation: 1, exif: exif, renditions: [image, image, tile],
                placeholder: hasPlaceholders.value
                    ? Placeholder(Array(repeating: 7, count: Placeholder.size)) : nil)
        } catch let problem as RenderProblem {
            throw problem
        } catch {
            throw RenderProblem(.storage, "\(error)")
        }
    }

    private static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "wbx") else { throw Surprise("\(path) cannot be made") }
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Surprise("\(path) is cut") }
    }
}
