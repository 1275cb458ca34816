import Database
import Posix

extension ImageIndex {
    static let fileName = "index.sqlite"
    /// What SQLite puts beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Whether a cache has been used in that folder.
    static func isThere(in folder: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try ReadableFile.size(of: "\(folder)/\(fileName)") > 0
        } catch {
            guard error.kind == .missing else { throw error }
            return false
        }
    }

    /// "TLIC" in ASCII.
    static let migrations = Migrations(
        applicationID: 0x544C_4943, steps: [version1],
        advice: OpeningAdvice(
            goElsewhere: "remove the images with 'tetherline cache clear'", update: "tetherline run",
            withoutIt: "; images are fetched again without it"))

    static let version1 = """
        CREATE TABLE images (
            -- The SHA-256 of the image's key, and the name of its file.
            cache_key     TEXT PRIMARY KEY CHECK (length(cache_key) = 64),
            image_id      TEXT NOT NULL,
            url           TEXT NOT NULL,
            object_type   TEXT NOT NULL,
            object_id     TEXT NOT NULL,
            kind          TEXT NOT NULL,
            account       TEXT NOT NULL,
            event         TEXT NOT NULL,
            size          INTEGER NOT NULL CHECK (size >= 0),
            sha256        BLOB NOT NULL CHECK (length(sha256) = 32),
            content_type  TEXT NOT NULL,
            etag          TEXT,
            last_modified TEXT,
            fresh_until   INTEGER NOT NULL,
            may_be_stale  INTEGER NOT NULL CHECK (may_be_stale IN (0, 1)),
            expires_at    INTEGER,
            created_at    INTEGER NOT NULL,
            seal          BLOB NOT NULL CHECK (length(seal) = 32),
            -- Its object was deleted then: the file is gone, and the row says so without asking the gallery.
            deleted_at    INTEGER,
            accessed_at   INTEGER NOT NULL,
            -- Counts uses: clocks are set back, this is not.
            last_use      INTEGER NOT NULL,
            UNIQUE (object_type, object_id, kind)
        ) STRICT;
        CREATE INDEX images_by_use ON images (last_use) WHERE deleted_at IS NULL;
        CREATE INDEX images_by_expiry ON images (expires_at) WHERE expires_at IS NOT NULL;
        CREATE INDEX images_by_deletion ON images (deleted_at) WHERE deleted_at IS NOT NULL;
        """
}
