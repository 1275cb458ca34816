package import Basics
package import Bridge
import Database
package import Posix

/// The bridge's own copy of its events at galleries: captions, ratings, tags, hides and albums, edited here without an uplink
/// and brought together with the gallery's when there is one.
///
/// All of it runs on the thread that it was given, files included, so that it holds up none of the bridge's. The caller holds
/// the lock of the home: two copies never share a file.
package actor GalleryCopy {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    let wall: any WallTime
    private let random: any RandomSource
    private let report: @Sendable (String) -> Void
    private let told: @Sendable (CopyPlace, [GalleryRecord]) -> Void
    /// Fired by whatever may have to be sent.
    package nonisolated let news = Signal()
    private var opened: CopyDatabase?
    /// How far a gallery's clock is ahead of ours, by its last answer.
    private var clocks: [CopyPlaceID: Duration] = [:]
    /// Where an exchange is under way.
    private var busy: Set<CopyPlaceID> = []

    /// Nothing is opened before it is needed, on the executor's thread. `report`: what an operator has to know of the file.
    /// `told`: what a gallery has told, once it is kept here.
    package init(
        path: String, executor: any SerialExecutor, wall: any WallTime, random: any RandomSource,
        report: @escaping @Sendable (String) -> Void,
        told: @escaping @Sendable (CopyPlace, [GalleryRecord]) -> Void = { _, _ in }
    ) {
        self.path = path
        self.executor = executor
        self.wall = wall
        self.random = random
        self.report = report
        self.told = told
    }

    private func database() throws -> CopyDatabase {
        if let opened { return opened }
        let (database, remark) = try CopyRebuild(path: path).open()
        opened = database
        if let remark { report(remark) }
        return database
    }

    /// Damage that shows in the middle of the work is mended as at a start.
    private func work<Result>(_ body: (CopyDatabase) throws -> Result) throws -> Result {
        do {
            return try body(try database())
        } catch let error as DatabaseError where CopyRebuild.isDamage(error) {
            opened = nil
            let (database, remark) = try CopyRebuild(path: path).open(whereDamaged: error.message)
            opened = database
            if let remark { report(remark) }
            return try body(database)
        }
    }

    // MARK: What an operator does

    /// The place is made where there is none yet.
    package func place(_ server: String, event: String) throws -> CopyPlaceID {
        try work { try $0.makePlace(server, event: event) }
    }

    package func places() throws -> [CopyPlace] {
        try work { try $0.places() }
    }

    package func counts(of place: CopyPlaceID) throws -> CopyCounts {
        try work { try $0.counts(of: place) }
    }

    package func editCounts(of place: CopyPlaceID) throws -> CopyCounts {
        try work { try $0.editCounts(of: place) }
    }

    /// All of these or none of them; durable when it returns.
    package func edit(_ wishes: [EditWish], at place: CopyPlaceID) throws -> [EditID] {
        let now = wall.wallNow
        let made = try work { database in
            try database.database.transaction { try wishes.map { try database.insert($0, at: place, now) } }
        }
        news.fire()
        return made
    }

    /// What is said of every photo, before its upload: without what an operator, or an earlier try, has said already.
    package func say(_ edit: PhotoEdit, of capture: CaptureID, at place: CopyPlaceID) throws {
        let now = wall.wallNow
        let isSaid = try work { database in
            try database.database.transaction { () -> Bool in
                let rest = try database.edits(of: capture, at: place).reduce(edit) { $0.without($1.edit) }
                guard !rest.isEmpty else { return false }
                _ = try database.insert(
                    EditWish(.photo, record: nil, capture: capture, .photo(rest)), at: place, now)
                return true
            }
        }
        if isSaid { news.fire() }
    }

    /// The album of that name, made where there is none.
    package func album(named name: String, at place: CopyPlaceID) throws -> String {
        let id = Randomness.uuid(from: random)
        let now = wall.wallNow
        return try work { database in
            if let known = try database.album(named: name, at: place) { return known.id }
            let event = try database.place(place).event
            try database.database.transaction { () in
                _ = try database.insert(
                    EditWish(.album, record: id, .album(GalleryRecord.Album(event: event, name: name))),
                    at: place, now)
            }
            return id
        }
    }

    package func knownAlbum(named name: String, at place: CopyPlaceID) throws -> String? {
        try work { try $0.album(named: name, at: place)?.id }
    }

    package func makeAgain(_ edit: EditID) throws -> EditID? {
        let now = wall.wallNow
        defer { news.fire() }
        return try work { try $0.makeAgain(edit, now) }
    }

    package func drop(_ edit: EditID) throws -> Bool {
        try work { try $0.drop(edit) }
    }

    package func entries(at place: CopyPlaceID?, conflicts: Bool? = nil, limit: Int) throws -> [CopyDatabase
        .Entry]
    {
        try work { try $0.entries(at: place, conflicts: conflicts, limit: limit) }
    }

    /// A record as it is seen here; nothing where there is none.
    package func content(
        _ kind: GalleryRecord.Kind, _ id: String, at place: CopyPlaceID
    ) throws -> GalleryRecord.Content? {
        try work { try $0.merge(kind, id, at: place).content }
    }

    /// All of one kind as it is seen here, by the gallery's ids.
    package func contents(
        _ kind: GalleryRecord.Kind, at place: CopyPlaceID
    ) throws -> [String: GalleryRecord.Content] {
        try work { database in
            var contents: [String: GalleryRecord.Content] = [:]
            try database.contents(kind, at: place) { contents[$0] = $1 }
            return contents
        }
    }

    /// Photos that are hidden at the gallery, or deleted, as far as it has told.
    package func withdrawn(_ server: String, event: String) throws -> [GalleryRecord] {
        try work { database in
            guard let place = try database.place(server, event: event) else { return [] }
            return try database.withdrawn(at: place.id)
        }
    }

    // MARK: Exchanging

    /// Pages that one course pulls at most, and batches that it sends.
    private static let mostPages = 10_000
    private static let mostBatches = 10_000

    /// Brings both sides together: pulls all that the gallery has to tell, then sends what waits. Safe to be ended anywhere,
    /// and to be repeated. False where another is under way.
    package func exchange(
        at id: CopyPlaceID, with server: any SyncServer, confirmed: @Sendable (CaptureID) throws -> String?
    ) async throws -> Bool {
        guard busy.insert(id).inserted else { return false }
        defer { busy.remove(id) }
        do {
            let account = try await server.account()
            try work { try $0.use(id, by: account) }
            try await pull(id, server)
            try await push(id, server, confirmed)
            try work { try $0.note(id, problem: nil, at: wall.wallNow) }
        } catch let failure as SyncFailure {
            if failure != .cancelled {
                try work { try $0.note(id, problem: failure.sentence, at: wall.wallNow) }
            }
            throw failure
        }
        return true
    }

    /// Why there is no exchange at all, where that is known without asking.
    package func note(_ problem: String, at place: CopyPlaceID) throws {
        try work { try $0.note(place, problem: problem, at: wall.wallNow) }
    }

    private func pull(_ id: CopyPlaceID, _ server: any SyncServer) async throws {
        for _ in 0..<Self.mostPages {
            guard try await ask([], id, server) else { return }
        }
        throw SyncFailure.passing("the gallery has told \(Self.mostPages) pages and not come to an end")
    }

    /// Whether there is more to pull.
    private func ask(_ changes: [OutgoingChange], _ id: CopyPlaceID, _ server: any SyncServer) async throws
        -> Bool
    {
        let before = try work { try $0.place(id) }
        let answer = try await server.exchange(since: before.stamp, changes)
        if answer.isMore, let stamp = before.stamp, answer.stamp == stamp {
            throw SyncFailure.passing("the gallery says that there is more, and tells none of it")
        }
        clocks[id] = answer.clockAhead ?? clocks[id]
        let now = clock(of: id)
        try work { try $0.take(answer, to: changes, at: before, now) }
        if !answer.records.isEmpty { told(before, answer.records) }
        return answer.isMore
    }

    private func clock(of place: CopyPlaceID) -> CopyDatabase.Clocks {
        CopyDatabase.Clocks(now: wall.wallNow, ahead: clocks[place])
    }

    private func push(
        _ id: CopyPlaceID, _ server: any SyncServer, _ confirmed: @Sendable (CaptureID) throws -> String?
    ) async throws {
        var sent: Set<EditID> = []
        for _ in 0..<Self.mostBatches {
            let clocks = clock(of: id)
            let batch = try work { database in
                try database.resolve(at: id, clocks, confirmed)
                return try database.nextBatch(at: id, clocks, besides: sent)
            }
            guard !batch.isEmpty else { break }
            sent.formUnion(batch.map(\.edit))
            if try await ask(batch, id, server) { try await pull(id, server) }
        }
        let open = try work { database in try sent.filter { try database.isOpen($0) } }
        guard open.isEmpty else {
            throw SyncFailure.passing(
                "the gallery has neither taken nor refused \(open.count == 1 ? "an edit" : "\(open.count) edits")"
            )
        }
    }

    /// An end in order: the file alone is all there is.
    package func end() throws {
        try opened?.database.script("PRAGMA wal_checkpoint(TRUNCATE)")
        opened = nil
    }
}
