import Basics
import Database
import Digest
import Glibc
import HTTPClient
import Posix
import TestSupport
import Testing

@testable import Gallery

/// A gallery in a folder, beside it an empty database and an empty bucket, and moves from one to the other.
final class MoveGround: Sendable {
    let folder: TemporaryFolder
    let database: PostgresServer.Database
    let bucket: BucketObjects
    let said = Shared<[String]>([])

    static let canRun = SeaweedFS.isThere && PostgresServer.isInstalled

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        database = try PostgresServer.shared.get().freshDatabase()
        bucket = try Self.makeBucket()
    }

    static func makeBucket() throws -> BucketObjects {
        let store = try SeaweedFS.shared.get()
        return try BucketObjects(
            address: "s3://\(try store.makeBucket())/gallery", variable: { store.environment[$0] },
            http: try CurlClient(), wall: SystemWallTime())
    }

    var path: String { folder.file(GalleryStore.fileName) }
    private var tree: ObjectTree { ObjectTree(path: folder.file("objects")) }

    /// The process ended there.
    struct Killed: Error {}

    /// `batches` says after how many transactions of the target's the process ends.
    @discardableResult
    func move(
        isLocked: Bool = true, to other: BucketObjects? = nil, secret: ServerSecret = AccountGround.secret,
        dyingAfter batches: Int? = nil
    ) async throws -> GalleryMover.End {
        let count = Shared(0)
        let said = said
        let rows = MovingRows(
            from: path, to: try database.server.gallery(database.name), executor: GalleryThreads.store,
            wall: SystemWallTime(),
            onBatch: {
                let number = count.change { count in
                    count += 1
                    return count
                }
                if number == batches { throw Killed() }
            })
        let mover = GalleryMover(
            rows, from: FolderObjects(path: folder.file("objects")), to: other ?? bucket,
            secret: secret,
            place: folder.path, targetName: "the cluster", time: try GalleryThreads.time(),
            wall: SystemWallTime()
        ) { line in said.change { $0.append(line) } }
        return try await mover.run(isLocked: isLocked, random: SystemRandomSource())
    }

    /// The same, and what it said where it did not come to its end.
    func problem(
        isLocked: Bool = true, to other: BucketObjects? = nil, secret: ServerSecret = AccountGround.secret,
        dyingAfter batches: Int? = nil
    ) async throws -> String? {
        do {
            try await move(isLocked: isLocked, to: other, secret: secret, dyingAfter: batches)
            return nil
        } catch let problem as MoveProblem {
            return problem.description
        } catch is Killed {
            return "killed"
        }
    }

    // MARK: Objects of a stored gallery

    /// Stored galleries are rows alone: what they refer to is made anew, as the stand-ins of pictures that it was.
    func makeObjects() throws {
        let look = try Connection(path: path, .readOnly)
        let photos = try look.all(
            """
            SELECT filename, original_key, thumb_key, thumb_size, screen_key, screen_size FROM photos
            WHERE deleted_at IS NULL
            """
        ) { row in
            (
                name: try row.get(0, as: String.self), original: try row.get(1, as: String.self),
                renditions: [
                    (try row.get(2, as: String.self), try row.get(3, as: Int.self)),
                    (try row.get(4, as: String.self), try row.get(5, as: Int.self)),
                ]
            )
        }
        for photo in photos {
            try put(Array(photo.name.dropLast(".jpg".count).utf8), at: photo.original)
            for (key, size) in photo.renditions {
                try put(Array(repeating: key.utf8.first ?? UInt8(ascii: "0"), count: size), at: key)
            }
        }
        let uploads = try look.all(
            "SELECT idempotency_key, object_key FROM uploads WHERE status = 'processing'"
        ) { row in (name: try row.get(0, as: String.self), key: try row.get(1, as: String.self)) }
        for upload in uploads { try put(Array(upload.name.utf8), at: upload.key) }
        guard try look.has("SELECT 1 FROM sqlite_master WHERE name = 'tus_pieces'") else { return }
        let others = try look.all(
            """
            SELECT object_key, size FROM tus_pieces
            UNION ALL SELECT logo_key, logo_size FROM events WHERE logo_key IS NOT NULL
            """
        ) { row in (key: try row.get(0, as: String.self), size: try row.get(1, as: Int.self)) }
        for other in others { try put(Array(repeating: 1, count: other.size), at: other.key) }
    }

    private func put(_ bytes: [UInt8], at key: String) throws {
        let (first, second) = ObjectTree.folders(of: key)
        for name in ["objects", "objects/\(first)", "objects/\(first)/\(second)"] { folder.makeFolder(name) }
        try folder.write(bytes, to: "objects/\(first)/\(second)/\(key)")
    }

    /// The file of an object of the source's.
    func file(of key: String) -> String { tree.path(of: key) }

    // MARK: Whether both are the same

    /// Every value of a table, not by what moves it.
    static func values(_ session: any SQLSession, _ table: String, _ columns: [String]) throws -> [String] {
        try session.all("SELECT \(columns.joined(separator: ", ")) FROM \(table)") { row in
            try columns.map { "\(try row.value($0))" }.joined(separator: " | ")
        }.sorted()
    }

    /// Every row of the source is at the target, and no other.
    func expectSameRows(
        except others: Set<String> = [], at location: SourceLocation = #_sourceLocation
    ) throws {
        let source = try Connection(path: path, .readOnly)
        let target = try database.server.session(database.name)
        for (name, table) in try OldGallery.contents(source)
        where !MovedTable.isLeft(name) && name != "closure" && !others.contains(name) {
            let ours = try Self.values(source, name, table.columns)
            let theirs = try Self.values(target, name, table.columns)
            #expect(ours == theirs, "\(name)", sourceLocation: location)
        }
    }

    /// Every object that a photo or an upload under way has, to the byte.
    func expectSameObjects(
        in other: BucketObjects? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let source = try Connection(path: path, .readOnly)
        // Sources of older versions know none of these.
        var others: [String] = []
        if try source.has("SELECT 1 FROM sqlite_master WHERE name = 'tus_pieces'") {
            others.append("UNION SELECT object_key FROM tus_pieces")
            others.append("UNION SELECT logo_key FROM events WHERE logo_key IS NOT NULL")
        }
        if try source.has("SELECT 1 FROM pragma_table_info('photos') WHERE name = 'stream_key'") {
            others.append(
                "UNION SELECT stream_key FROM photos WHERE stream_key IS NOT NULL AND deleted_at IS NULL")
        }
        let keys = try source.all(
            """
            SELECT original_key FROM photos WHERE deleted_at IS NULL UNION SELECT thumb_key FROM photos
            WHERE deleted_at IS NULL UNION SELECT screen_key FROM photos WHERE deleted_at IS NULL
            UNION SELECT object_key FROM uploads WHERE status = 'processing'
            \(others.joined(separator: " "))
            """
        ) { try $0.get(0, as: String.self) }
        #expect(!keys.isEmpty, sourceLocation: location)
        for key in keys {
            let bytes = try readFile(file(of: key))
            let there = try await (other ?? bucket).readBack(key)
            #expect(
                there?.size == UInt64(bytes.count) && there?.sha256 == SHA256.of(bytes), "\(key)",
                sourceLocation: location)
        }
    }
}
