package import Basics
import Database
import Digest
import Postgres

/// Both databases of a move, on a thread of its own.
package actor MovingRows {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    private let target: any SQLSession
    private let log: MoveLog
    private let wall: any WallTime
    private let onBatch: @Sendable () throws -> Void
    /// Some questions are about every photo there is.
    private static let patience = Duration.seconds(600)
    /// Nothing before it is first asked for.
    private var copy: (source: any SQLSession, rows: RowCopy)?

    /// `onBatch` runs after each transaction of the target's, and what it throws ends the move there.
    package init(
        from path: String, to gallery: PostgresGallery, executor: any SerialExecutor, wall: any WallTime,
        onBatch: @escaping @Sendable () throws -> Void
    ) {
        self.path = path
        self.executor = executor
        self.wall = wall
        self.onBatch = onBatch
        var patience = PostgresSession.Patience()
        patience.statement = Self.patience
        target = gallery.session(patience)
        log = MoveLog(target: target)
    }

    private func both() throws -> (source: any SQLSession, rows: RowCopy) {
        if let copy { return copy }
        let source = try SQLiteGallery.openForReading(path)
        let new = (source, RowCopy(from: source, to: target, onBatch: onBatch))
        copy = new
        return new
    }

    /// For a gallery that no other program has open: the tables of an older one are brought to this program's version.
    func bringUpToDate(_ random: any RandomSource) throws {
        try SQLiteGallery.open(path).giveGuestKeys(random)
    }

    /// Why the source is closed; nothing where it is not.
    func closure() throws -> String? { try SQLiteGallery.closure(path) }

    func standing(of source: String) throws -> MoveLog.Beginning { try log.standing(of: source) }

    func begin(source: String, place: String, keys: [ServerSecret.Key]) throws -> MoveLog.Beginning {
        let beginning = try log.begin(source: source, place: place, keys: keys, now: wall.wallNow)
        try onBatch()
        return beginning
    }

    /// How many rows of the target were changed.
    func copyRows() throws -> Int { try both().rows.run() }

    /// Rows in whose texts U+0000 was replaced.
    var replaced: [String] { copy?.rows.replaced.sorted() ?? [] }

    /// Those of these objects that are to be taken over and are not yet.
    func toMove(of keys: [String]) throws -> [WantedObject] {
        let wanted = try both().source.wanted(of: keys)
        let moved = try log.moved(of: wanted.map(\.key))
        return wanted.filter { !moved.contains($0.key) }
    }

    func countOfObjects() throws -> Int { try both().source.countOfObjects() }

    func note(_ objects: [MoveLog.MovedObject]) throws {
        try log.note(objects)
        try onBatch()
    }

    /// What was noted of objects that were taken over, in the order of their keys.
    func noted(after: String?, limit: Int) throws -> [ListedObject] {
        try log.noted(after: after, limit: limit)
    }

    func forget(_ keys: [String]) throws {
        try log.forget(keys)
        try onBatch()
    }

    package struct TableReport: Equatable, Sendable {
        package let name: String
        package let rows: Int
        package let digest: String
        /// Nothing where both sides hold the same.
        package let problem: String?
    }

    /// What each table holds at the source, and whether that is what it holds at the target.
    func compare() throws -> [TableReport] {
        let rows = try both().rows
        return try MovedTable.all.map { table in
            let sums = try rows.sums(of: table)
            let problem =
                sums.source == sums.target
                ? nil
                : "\(table.name): the source has \(sums.source.rows) rows, the target \(sums.target.rows), and they are not "
                    + "the same; does something write to either?"
            return TableReport(
                name: table.name, rows: sums.source.rows, digest: "\(sums.source.digest)", problem: problem)
        }
    }

    /// Photos whose objects are not at the target as their rows say.
    func missingObjects() throws -> [String] { try log.missing() }

    /// The source takes nothing more, and nodes may serve the target.
    func finish(because reason: String) throws {
        copy = nil
        try log.intend(toClose: reason)
        try onBatch()
        try SQLiteGallery.close(path, because: reason)
        try onBatch()
        try log.finish(now: wall.wallNow)
    }

    /// Why the source was about to be closed; nothing where it was not.
    func closing() throws -> String? { try log.closing() }

    /// The last step, where a run has ended before it.
    func finishClosed() throws { try log.finish(now: wall.wallNow) }
}
