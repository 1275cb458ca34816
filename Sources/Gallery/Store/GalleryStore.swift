package import Basics
package import Database
import Synchronization

/// One connection that writes, on a thread of its own. Every call that returns is durable.
package actor GalleryStore {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let database: any SQLSession
    package nonisolated let wall: any WallTime
    package nonisolated let random: any RandomSource
    package nonisolated let zones: TimeZones
    /// What this node calls itself where several share a database; nothing where there is only this program.
    nonisolated let worker: Worker?

    let observers = Mutex<[@Sendable ([GalleryChange]) -> Void]>([])
    /// Of the transaction that is running.
    var changes: [GalleryChange] = []
    /// How often photos were noted there since the start.
    var photosChanged = 0

    package static let fileName = "gallery.sqlite"

    /// `open` runs on the thread that calls this, and all else on the executor's.
    package init(
        executor: any SerialExecutor, wall: any WallTime, random: any RandomSource,
        zones: TimeZones = .system, worker: Worker? = nil, open: () throws -> any SQLSession
    ) throws {
        self.worker = worker
        self.executor = executor
        self.wall = wall
        self.random = random
        self.zones = zones
        database = try open()
    }

    /// A gallery in a file of its own.
    package init(
        path: String, executor: any SerialExecutor, wall: any WallTime, random: any RandomSource,
        zones: TimeZones = .system
    ) throws {
        try self.init(executor: executor, wall: wall, random: random, zones: zones) {
            let database = try SQLiteGallery.open(path)
            try database.giveGuestKeys(random)
            return database
        }
    }

    /// Returns when the thread that writes has got to it: what it is at has come to its end.
    package func answer() {}

    /// Whatever else is about this account waits until the transaction ends. In a file there is one writer, who waits for
    /// no other.
    func lock(account id: String) throws {
        guard database.dialect == .postgres else { return }
        try database.run("SELECT 1 AS locked FROM accounts WHERE id = ?\(database.dialect.locking)", id)
    }

    func lockOwner(ofEvent id: String) throws {
        guard database.dialect == .postgres else { return }
        try database.run(
            """
            SELECT 1 AS locked FROM accounts WHERE id = (SELECT owner_id FROM events WHERE id = ?)
            \(database.dialect.locking)
            """, id)
    }

    func newID() -> String { Randomness.uuid(from: random) }

    /// 32 digits that cannot be guessed.
    func newKey() -> String {
        let halves = [random.next(), random.next()].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return halves.joined()
    }

    /// Whether something failed because the disk is full, which passes when there is room.
    static func hasNoRoom(_ error: any Error) -> Bool {
        (error as? any SQLError)?.failure == .noRoom
    }
}

extension GalleryStore: Lane {}
