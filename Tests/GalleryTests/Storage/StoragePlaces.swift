import Basics
import Digest
import Gallery
import HTTPClient
import HTTPServer
import Posix
import S3
import TestSupport

/// A storage as clients see it: what is handed out, and an independent HTTP client that uses it.
final class StoragePlace: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case folder
        case s3

        static let there = allCases.filter { $0 == .folder || SeaweedFS.isThere }
    }

    let kind: Kind
    let storage: any ObjectStorage
    let calendar: StandingCalendar
    let scratch: TemporaryFolder
    private let server: WebServer?
    /// Where it is one.
    let bucket: S3Client?

    init(_ kind: Kind, http: (any HTTPTransport)? = nil) throws {
        let http = try http ?? CurlClient()
        self.kind = kind
        scratch = try TemporaryFolder()
        calendar = StandingCalendar(SystemWallTime().wallNow.seconds)
        switch kind {
        case .folder:
            let port = try FreePort.next()
            let folder = try FolderStorage(
                path: scratch.file("objects"), publicURL: "http://127.0.0.1:\(port)",
                keys: KeyRing(FolderRig.secret), wall: calendar, random: SystemRandomSource()
            ) { _ in }
            storage = folder
            bucket = nil
            server = try WebServer(
                ServerSettings(listen: .loopback(port: port)), routes: [folder.places.route],
                time: ManualClock(), wall: SystemWallTime(), random: SystemRandomSource(),
                refusal: { status, message in .text(status, message) }, log: { _ in })
        case .s3:
            let store = try SeaweedFS.shared.get()
            let site = try S3Site(
                bucket: store.makeBucket(), region: "us-east-1", endpoint: store.endpoint)
            let keys = try S3Settings(S3Settings.Choice(), environment: store.environment).keys
            let client = S3Client(site: site, keys: keys, http: http, wall: calendar)
            bucket = client
            storage = try S3Storage(
                BucketObjects(client: client, prefix: "a gallery/"), workshop: scratch.file("workshop"),
                wall: calendar, random: SystemRandomSource())
            server = nil
        }
    }

    func stop() async { await server?.stop(within: .seconds(2)) }

    static let key = "0123456789abcdef0123456789abcdef"

    func claim(_ bytes: [UInt8], key: String = StoragePlace.key, hashed: Bool = true) -> PlaceClaim {
        PlaceClaim(
            key: key, contentType: "image/jpeg", length: UInt64(bytes.count),
            sha256: hashed ? "\(SHA256.of(bytes))" : nil, expiresAt: calendar.wallNow + .seconds(300))
    }

    /// The status that curl got for it.
    func put(_ bytes: [UInt8], at place: UploadTarget, changing changes: [String: String] = [:]) async throws
        -> Int
    {
        let name = "body \(bytes.count) \(bytes.first ?? 0)"
        try scratch.write(bytes, to: name)
        var arguments = ["-T", scratch.file(name), "-o", "/dev/null", "-w", "%{http_code}"]
        for header in place.requiredHeaders {
            let value = changes[header.name] ?? header.value
            // A header without a value is one that curl leaves out.
            arguments += ["-H", "\(header.name): \(value)"]
        }
        let said = try await curl(arguments + [place.url])
        guard let status = Int(said) else { throw FileProblem(path: said, number: 0) }
        return status
    }

    /// On a thread of its own: the server that it talks to may be in this process.
    func curl(_ arguments: [String]) async throws -> String { try await curl { arguments } }

    /// With what is made on that thread just before: an address that is good for a minute only is not to wait for other tests.
    func curl(_ arguments: @escaping @Sendable () throws -> [String]) async throws -> String {
        let thread = ThreadExecutor(name: "curl")
        defer { thread.shutDown() }
        return try await Task(executorPreference: thread) {
            guard let curl = Tool("curl") else { throw FileProblem(path: "curl", number: 2) }
            return try curl.run(
                ["-s", "-g", "--max-time", "\(60 * Cases.minutesOfHang)", "--noproxy", "*"] + arguments()
            ).text
        }.value
    }

    func problem(_ body: () async throws -> Void) async throws -> StorageProblem.Meaning? {
        do {
            try await body()
            return nil
        } catch let problem as StorageProblem {
            return problem.meaning
        }
    }
}
