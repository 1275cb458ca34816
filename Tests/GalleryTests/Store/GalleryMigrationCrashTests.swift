import Database
import TestSupport
import Testing

@testable import Gallery

/// The program dies while it brings an older gallery up to date: at every place of the log. There is always one version
/// more than today's, so that this is tried before it is needed.
@Suite struct GalleryMigrationCrashTests {
    private static let logHeader = 32
    private static let frame = 24 + 1024

    private static let tomorrow = Migrations(
        applicationID: GallerySchema.migrations.applicationID,
        steps: GallerySchema.migrations.steps + [
            """
            ALTER TABLE accounts ADD COLUMN later TEXT;
            UPDATE accounts SET later = email;
            CREATE TABLE later (id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE) STRICT;
            INSERT INTO later SELECT id FROM accounts;
            CREATE INDEX photos_by_size ON photos (size);
            """
        ], advice: GallerySchema.migrations.advice)

    @Test(
        "a migration of a gallery that is cut at any place of its log goes on at the next start",
        arguments: OldGallery.versions)
    func cutLog(version: Int) throws {
        let old = try OldGallery(version)
        let (file, log, end) = try {
            let connection = try Connection.open(path: old.path, Self.tomorrow)
            return (
                try readFile(old.path), try readFile(old.path + "-wal"), try OldGallery.contents(connection)
            )
        }()
        let frames = (log.count - Self.logHeader) / Self.frame
        #expect(frames > 3)
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let path = folder.file("g.sqlite")
        var seen: [Int] = []
        for cut in 0...frames {
            // In the middle of the next frame as well.
            for length in [0, 500].map({ Self.logHeader + cut * Self.frame + $0 }) {
                try folder.write(file, to: "g.sqlite")
                try folder.write(Array(log.prefix(length)), to: "g.sqlite-wal")
                seen.append(try Connection(path: path, .readWrite).pragma("user_version"))
                try folder.write(file, to: "g.sqlite")
                try folder.write(Array(log.prefix(length)), to: "g.sqlite-wal")
                let connection = try Connection.open(path: path, Self.tomorrow)
                #expect(try connection.problems() == [])
                let isTheSame = try OldGallery.contents(connection) == end
                #expect(isTheSame)
            }
        }
        // Each step counts from its last frame on, and never half.
        #expect(seen == seen.sorted() && Set(seen) == Set(version...Self.tomorrow.version))
    }
}
