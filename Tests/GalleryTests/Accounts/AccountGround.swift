import Basics
import Database
import HTTPServer
import Posix
import Synchronization
import TestSupport
import Testing

@testable import Gallery

/// A calendar and a clock that stand still until a test moves them.
final class GalleryWall: WallTime {
    static let start = Timestamp(milliseconds: 1_795_000_000_000)

    let clock = ManualClock()
    private let shift = Mutex(Duration.zero)

    var wallNow: Timestamp { Self.start + clock.now + shift.withLock { $0 } }
    func localOffset(at moment: Timestamp) -> Int64 { 3600 }
    func go(_ span: Duration) { clock.advance(by: span) }
    /// The calendar is set; the clock goes on.
    func set(by span: Duration) { shift.withLock { $0 += span } }
}

/// Threads that live as long as the tests.
enum GalleryThreads {
    static let store = ThreadExecutor(name: "test store")
    static let hasher = ThreadExecutor(name: "test hasher")
    /// What goes on by itself, for those who wait for a database.
    private static let clock = Result { try Reactor(name: "test time") }

    static func time() throws -> Reactor { try clock.get() }
}

/// A gallery's accounts over a real database, with passwords that are cheap to hash.
struct AccountGround: Sendable {
    static let secret = ServerSecret(Array(0..<32))

    /// Registration is open; what closes it has tests of its own.
    static let settings: AccountSettings = {
        var settings = AccountSettings()
        settings.registration = .open
        return settings
    }()

    let folder: TemporaryFolder
    let wall: GalleryWall
    let database: GalleryDatabase
    /// Held until the test ends, where galleries are tried on PostgreSQL.
    let postgres: PostgresServer.Database?
    var store: GalleryStore { database.store.members[0] }
    let hasher: PasswordHasher
    let accounts: Accounts

    init(
        seed: UInt64 = 1, settings: AccountSettings = AccountGround.settings, mostWaiting: Int = 40,
        in known: TemporaryFolder? = nil, on filled: PostgresServer.Database? = nil,
        wall knownWall: GalleryWall? = nil, cost: Int = 1,
        keys: KeyRing = KeyRing(AccountGround.secret)
    ) throws {
        folder = try known ?? TemporaryFolder(in: TemporaryFolder.memory)
        wall = knownWall ?? GalleryWall()
        let time = try GalleryThreads.time()
        let isWanted = PostgresServer.isWanted
        if let own = try filled ?? (isWanted ? PostgresServer.shared.get().database(of: folder) : nil) {
            postgres = own
            // One connection that writes, so that it is the one that tests look at.
            database = try GalleryDatabase(
                .server(try own.server.gallery(own.name), Worker(name: "test"), connections: 1), time: time,
                wall: wall, random: SeededSource(seed))
        } else {
            postgres = nil
            database = try GalleryDatabase(
                .file(path: folder.file(GalleryStore.fileName)), time: time, wall: wall,
                random: SeededSource(seed), writing: GalleryThreads.store)
        }
        hasher = PasswordHasher(
            executor: GalleryThreads.hasher, random: SeededSource(seed + 1), hash: PasswordHash(cost: cost),
            mostWaiting: mostWaiting)
        accounts = Accounts(
            store: database.store, keys: keys, hasher: hasher, time: wall.clock, settings: settings)
    }

    /// Another way to the same rows, on a thread that the test holds; `through` puts another session before the database's.
    func reader(
        on executor: any SerialExecutor, through: @Sendable (any SQLSession) throws -> any SQLSession = { $0 }
    ) throws -> ReaderPool {
        let place = database.place
        let reader = try GalleryReader(executor: executor) {
            switch place {
            case .file(let path): try through(SQLiteGallery.openForReading(path))
            case .server(let gallery, _, _): try through(gallery.session())
            }
        }
        return ReaderPool([reader], time: try GalleryThreads.time(), random: SystemRandomSource())
    }

    static func post(_ value: JSONValue, token: String? = nil, peer: String = "192.0.2.1") -> Request {
        Request(
            method: "POST", path: "/", headers: authorization(token), peer: peer,
            body: Array(value.compact.utf8))
    }

    static func get(_ token: String?) -> Request {
        Request(path: "/", headers: authorization(token))
    }

    private static func authorization(_ token: String?) -> [HTTPHeader] {
        token.map { [HTTPHeader("Authorization", "Bearer \($0)")] } ?? []
    }

    struct Pair: Equatable, Sendable {
        let access: String
        let refresh: String
    }

    func register(_ email: String = "host@example.org", password: String = "correct horse") async throws
        -> Pair
    {
        try Self.pair(
            try await accounts.register(
                Self.post([
                    "email": .string(email), "password": .string(password), "displayName": "The host",
                ])))
    }

    func login(_ email: String, _ password: String, peer: String = "192.0.2.1") async throws -> Pair {
        try Self.pair(
            try await accounts.login(
                Self.post(["email": .string(email), "password": .string(password)], peer: peer)))
    }

    func refresh(_ token: String) async throws -> Pair {
        try Self.pair(try await accounts.refresh(Self.post(["refreshToken": .string(token)])))
    }

    static func pair(_ response: Response) throws -> Pair {
        let data = try data(response)
        return Pair(
            access: try #require(data["accessToken"]?.string),
            refresh: try #require(data["refreshToken"]?.string))
    }

    static func data(_ response: Response) throws -> JSONValue {
        guard case .bytes(let bytes) = response.body else {
            throw Surprise("the answer \(response.status) has no body")
        }
        return try #require(try JSON5.parse(bytes)["data"])
    }

    /// What a call is refused with.
    static func refusal(_ call: () async throws -> some Sendable) async throws -> APIError? {
        do {
            _ = try await call()
            return nil
        } catch let error as APIError {
            return error
        } catch let refusal as GalleryRefusal {
            return APIError(refusal)
        }
    }
}

struct Surprise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
