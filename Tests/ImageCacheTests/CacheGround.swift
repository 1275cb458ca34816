import Basics
import Digest
import Glibc
import HTTPClient
import HTTPServer
import ImageCache
import Posix
import TestSupport
import WorldSupport

/// A gallery's images behind a real server: each key has its bytes, unless a test says otherwise.
final class ImageServer: Sendable {
    typealias Handler = @Sendable (Request) async -> Response

    private let web: WebServer
    let requests = Shared<[Request]>([])
    private let handlers = Shared<[String: Handler]>([:])
    private let usual = Shared<[HTTPHeader]>([
        HTTPHeader("Cache-Control", "public, max-age=31536000, immutable")
    ])

    init(size: @escaping @Sendable (String) -> Int = { _ in 3000 }) throws {
        let (requests, handlers, usual) = (requests, handlers, usual)
        let reactor = try Reactor(name: "image-server")
        web = try WebServer(
            ServerSettings(listen: .loopback(port: 0)),
            routes: [
                Route(
                    "GET", "/images/{key}",
                    .quickOr({ _ in nil }) { request in
                        requests.change { $0.append(request) }
                        let key = request.parameters["key"] ?? ""
                        if let handler = handlers.value[key] { return await handler(request) }
                        return Self.answer(Self.bytes(key, size(key)), usual.value)
                    })
            ], time: reactor, wall: SystemWallTime(), random: SystemRandomSource(),
            refusal: { status, message in .text(status, message) }, log: { _ in })
    }

    /// Some bytes that tell whose they are.
    static func bytes(_ key: String, _ size: Int = 3000) -> [UInt8] {
        let name = Array(key.utf8)
        return Array(name.prefix(size))
            + [UInt8](repeating: SHA256.of(name).bytes[0], count: max(0, size - name.count))
    }

    static func answer(_ bytes: [UInt8], _ headers: [HTTPHeader], type: String = "image/jpeg") -> Response {
        Response(status: 200, headers: headers + [HTTPHeader("Content-Type", type)], body: .bytes(bytes))
    }

    var url: String { "http://127.0.0.1:\(web.port)" }
    var count: Int { requests.value.count }

    func handle(_ key: String, _ handler: Handler?) { handlers.change { $0[key] = handler } }

    /// How long every image counts from now on.
    func cache(_ value: String) { usual.change { $0 = [HTTPHeader("Cache-Control", value)] } }

    func stop() async { await web.stop(within: .seconds(10)) }
}

/// A folder, a server, a clock under the test's thumb, and caches one after another.
final class CacheGround: Sendable {
    let folder: TemporaryFolder
    let server: ImageServer
    let clock = ManualClock()
    let wall: TestCalendar
    private let client: CurlClient
    private let thread = ThreadExecutor(name: "images")

    static let host = ImageAccess(account: "ann")
    static let gone = ImageProblem.Meaning.gone

    init(
        _ folder: TemporaryFolder? = nil, size: @escaping @Sendable (String) -> Int = { _ in 3000 }
    ) throws {
        self.folder = try folder ?? TemporaryFolder(in: TemporaryFolder.memory)
        server = try ImageServer(size: size)
        client = try CurlClient()
        wall = TestCalendar(clock)
    }

    deinit {
        thread.shutDown()
    }

    /// Our threads let no signal in; with this one a write that passes a limit ends the process.
    func endsAtFileLimit(of bytes: UInt64) async {
        await Task(executorPreference: thread) { Self.endAtFileLimit(of: bytes) }.value
    }

    private static func endAtFileLimit(of bytes: UInt64) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        signal(SIGXFSZ, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    var path: String { folder.file("cache") }
    var index: String { "\(path)/index.sqlite" }

    func cache(
        _ access: ImageAccess = CacheGround.host, reserve: UInt64 = 0, at path: String? = nil,
        transport: (any HTTPTransport)? = nil,
        _ change: (inout ImageCacheLimits) -> Void = { _ in }
    ) -> ImageCache {
        var limits = ImageCacheLimits()
        change(&limits)
        return ImageCache(
            ImageCache.Parts(
                folder: path ?? self.path, transport: transport ?? client, time: clock, wall: wall,
                reserve: { _ in reserve }),
            limits: limits, access: access, executor: thread)
    }

    func request(
        _ key: String, event: String = "wedding", account: String = "ann", kind: String = "thumb",
        object: String? = nil, neverChanges: Bool = false, expiresAt: Timestamp? = nil,
        from url: String? = nil, path: String? = nil
    ) -> ImageRequest {
        ImageRequest(
            key: key, url: "\(url ?? server.url)/images/\(path ?? key)",
            object: .photo(object ?? "photo-\(key)"), kind: kind,
            owner: ImageOwner(account: account, event: event),
            neverChanges: neverChanges, expiresAt: expiresAt)
    }

    /// The names of the images' files.
    func files() -> Set<String> {
        let names = folder.contents().filter { $0.hasPrefix("cache/") }.map { $0.dropFirst("cache/".count) }
        return Set(names.filter { !$0.hasPrefix("index.sqlite") }.map(String.init))
    }

    static func name(_ key: String) -> String { ImageRequest.cacheKey(of: key) }
}

/// Why there was none; nothing where there was one.
func problem(_ cache: ImageCache, _ request: ImageRequest) async -> ImageProblem? {
    do throws(ImageProblem) {
        _ = try await cache.image(request)
        return nil
    } catch {
        return error
    }
}
