import Basics
import Bridge
import Posix
import TestSupport
import Upload
import WorldSupport

/// A gallery in memory, an account at it, and a destination that delivers there, all under a test's clock.
final class GalleryRig: Sendable {
    let clock: ManualClock
    let calendar: TestCalendar
    let spool: TestSpool
    let home: TemporaryFolder
    let gallery: ModelGallery
    let member: ModelAccount
    let event: String
    let executor = ThreadExecutor(name: "account")
    private let reader = ThreadExecutor(name: "local")

    convenience init() throws {
        let clock = ManualClock()
        try self.init(ModelGallery(clock: clock), clock)
    }

    /// The gallery may have another clock, as real ones have.
    init(_ gallery: ModelGallery, _ clock: ManualClock) throws {
        self.clock = clock
        self.gallery = gallery
        calendar = TestCalendar(clock)
        spool = try TestSpool()
        home = try TemporaryFolder()
        member = gallery.account()
        event = gallery.event(of: member)
        try logIn(member)
    }

    deinit {
        executor.shutDown()
        reader.shutDown()
    }

    var file: CredentialsFile { CredentialsFile(folder: home.path) }

    func address() throws -> GalleryAddress { try GalleryAddress(gallery.base) }

    /// As the command writes it.
    func logIn(_ member: ModelAccount) throws {
        let address = try address()
        try file.update { credentials in
            credentials[address] = GalleryCredentials.Entry(
                server: "\(address)",
                user: GalleryUser(id: member.id, email: member.email, displayName: "Ann"),
                tokens: GalleryTokens(access: member.access, refresh: member.refresh))
        }
    }

    /// With another process writing the credentials all the time.
    func whileLocked<Value>(_ body: () async throws -> Value) async throws -> Value {
        let lock = try FileLock(path: "\(home.path)/.credentials.json.lock")
        let value = try await body()
        withExtendedLifetime(lock) {}
        return value
    }

    func account(
        mayRefresh: Bool = true, http: (any HTTPTransport)? = nil
    ) throws -> GalleryAccount {
        GalleryAccount(
            api: GalleryAPI(try address(), http: http ?? gallery, wall: calendar), file: file, time: clock,
            executor: executor, mayRefresh: mayRefresh)
    }

    func destination(
        _ account: GalleryAccount? = nil, http: (any HTTPTransport)? = nil, event: String? = nil,
        way: UploadWay = UploadWay(),
        onMoved: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws -> GalleryDestination {
        GalleryDestination(
            id: DestinationID(1),
            GalleryPlace(try address(), event: event ?? self.event, ledgerEvent: self.event),
            account: try account ?? self.account(http: http),
            means: DeliveryMeans(
                spool: spool.path, http: http ?? gallery, time: clock, wall: calendar,
                random: SeededSource(1), onMoved: { onMoved($1) }),
            executor: reader, way: { way })
    }

    // MARK: Jobs

    /// A whole photo in the spool, and its job at the gallery.
    func job(_ number: Int64, _ name: String = "DSC_0001.JPG", _ bytes: [UInt8]? = nil) throws -> Job {
        let job = try spool.job(number, name, bytes ?? jpeg(UInt64(number), 10_000))
        return Job(
            id: job.id, capture: job.capture, destination: job.destination, kind: .gallery,
            state: .uploading, lane: job.lane, key: job.key, attempts: 0, due: job.due, photo: job.photo,
            facts: job.facts)
    }

    /// The same with a place.
    func placed(_ job: Job, _ destination: GalleryDestination) async throws -> Job {
        var job = job
        let outcome = await destination.presign(job)
        guard case .presigned(let intent) = outcome else { throw Unexpected(outcome: outcome) }
        job.intent = intent
        return job
    }

    func placed(_ number: Int64, _ destination: GalleryDestination) async throws -> Job {
        try await placed(try job(number), destination)
    }

    struct Unexpected: Error {
        let outcome: DeliveryOutcome
    }

    /// The body of the last request of this kind.
    func sent(_ call: ModelCall) throws -> JSONValue? {
        guard case .bytes(let bytes) = gallery.exchanges.last(where: { $0.call == call })?.request.body else {
            return nil
        }
        return try JSON5.parse(bytes)
    }
}

/// Answers whatever it is asked as a test says.
final class AnsweringTransport: HTTPTransport {
    private let answer: @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse
    let requests = Shared<[HTTPRequest]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPResponse) {
        self.answer = answer
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.change { $0.append(request) }
        return try answer(request)
    }

    func forgetConnections() {}
}
