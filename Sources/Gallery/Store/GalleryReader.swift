import Basics
import Database

/// Reads without holding up the writer: a connection of its own, on a thread of its own.
package actor GalleryReader {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let database: any SQLSession

    private let zones: TimeZones
    /// What other readers of the same server have read as well.
    private let blocks: KnownBlocks?

    init(
        executor: any SerialExecutor, zones: TimeZones = .system, blocks: KnownBlocks? = nil,
        open: () throws -> any SQLSession
    ) throws {
        self.executor = executor
        self.zones = zones
        self.blocks = blocks
        database = try open()
    }

    package init(path: String, executor: any SerialExecutor, zones: TimeZones = .system) throws {
        try self.init(executor: executor, zones: zones) { try SQLiteGallery.openForReading(path) }
    }

    package func events(of account: String) throws -> [Event] { try database.events(of: account) }
    package func events(named name: String) throws -> [Event] { try database.events(named: name) }
    package func event(slug: String) throws -> Event? { try database.event(slug: slug) }

    func eventAndStamp(slug: String) throws -> (event: Event, stamp: Int64)? {
        try database.eventAndStamp(slug: slug)
    }

    package func event(_ id: String) throws -> Event? { try database.event(id) }

    package func event(_ id: String, of account: String) throws -> Event {
        guard let event = try database.event(id), event.owner == account else {
            throw GalleryRefusal.notFound(.event)
        }
        return event
    }

    package func photos(of event: String, _ filter: PhotoFilter) throws -> [Photo] {
        try database.photos(of: event, filter, known: blocks)
    }

    package func photo(_ id: String, of account: String) throws -> Photo {
        guard let photo = try database.photo(id), photo.owner == account else {
            throw GalleryRefusal.notFound(.photo)
        }
        return photo
    }

    /// What stands behind the key of an image that is not deleted.
    func image(_ key: String) throws -> ImageAccessCache.Image? { try database.image(key) }

    /// Whether that log-in of the account has not ended.
    func isLoggedIn(_ account: String, family: String) throws -> Bool {
        try database.isLoggedIn(account, family: family)
    }

    package func photo(_ id: String) throws -> Photo? { try database.photo(id) }

    func cameras(of event: String) throws -> [EventCamera] { try database.cameras(of: event, zones) }

    /// The last change of anything that the lists before it show, or one that came after.
    package func lastStamp(ofEvent event: String) throws -> Int64 { try database.lastStamp(ofEvent: event) }

    /// Whether any photo of an event is not what it was at that change; by the index of what an account's devices ask for.
    func haveChanged(photosOf event: String, after stamp: Int64) throws -> Bool {
        try database.has(
            """
            SELECT 1 FROM photos WHERE owner_id = (SELECT owner_id FROM events WHERE id = ?1) AND event_id = ?1
                AND stamp > ?2 LIMIT 1
            """, event, stamp)
    }

    /// The sequence of the last photo that came.
    package func lastSequence(of event: String) throws -> Int64 { try database.lastSequence(of: event) }

    /// Why this program does not work with the tables as they are now; nothing where it does.
    func schemaRefusal() throws -> String? {
        guard database.dialect == .postgres else { return nil }
        return try PostgresGallery.version(database)?.refusal
    }

    /// Answers at all, as a health check asks.
    package func look() throws { try database.run("SELECT 1 FROM accounts LIMIT 1") }
}

extension GalleryReader: Lane {}
