package import Database

/// The ledger's tables, as SQL that is only ever appended to.
///
/// The machines are written into it a second time, as CHECKs: a bug that would lose a receipt or stage a photo
/// without its hash is refused by the database. Counts are kept by triggers, because counting a million rows takes
/// longer than an operator looks.
package enum Schema {
    /// "TETH" in ASCII.
    package static let migrations = Migrations(
        applicationID: 0x5445_5448,
        steps: [version1, version2, version3, version4, version5, version6, version7, version8],
        advice: OpeningAdvice(
            goElsewhere: "name another home", update: "tetherline run",
            withoutIt: "; photos in the spool are found again without it"))

    /// Which jobs wait and are in no window. A query uses the partial indexes only when it says this word
    /// for word; said the other way round, with IN, it would be taken for a search of its own and the rows
    /// would be sorted.
    package static let waits = """
        claimed = 0 AND state NOT IN ('uploading', 'uploadedAwaitingProcessing', 'completed', 'failedPermanent')
        """

    static let version1 = """
        CREATE TABLE events (
            id         TEXT PRIMARY KEY CHECK (length(id) = 36),
            name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
            -- Where it was made: here, or by a gallery.
            origin     TEXT NOT NULL CHECK (origin IN ('local', 'gallery')),
            created_at INTEGER NOT NULL,
            next_seq   INTEGER NOT NULL DEFAULT 1 CHECK (next_seq > 0)
        ) STRICT;

        CREATE TABLE cameras (
            id           INTEGER PRIMARY KEY,
            key          TEXT NOT NULL UNIQUE,
            manufacturer TEXT NOT NULL,
            model        TEXT NOT NULL,
            body         TEXT NOT NULL,
            address      TEXT NOT NULL,
            first_seen   INTEGER NOT NULL,
            last_seen    INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE destinations (
            id         INTEGER PRIMARY KEY,
            event_id   TEXT NOT NULL REFERENCES events (id),
            url        TEXT NOT NULL,
            kind       TEXT NOT NULL CHECK (kind IN ('file', 'gallery')),
            created_at INTEGER NOT NULL,
            UNIQUE (event_id, url),
            UNIQUE (id, kind)
        ) STRICT;

        CREATE TABLE captures (
            id           INTEGER PRIMARY KEY,
            event_id     TEXT NOT NULL REFERENCES events (id),
            -- None for a file that was found in the spool without a row.
            camera_id    INTEGER REFERENCES cameras (id),
            -- Written when size and date are final; never for what lies in a camera's memory.
            identity     TEXT,
            -- How the camera called it, and in which connection: a hint, good for that one.
            connection   TEXT,
            handle       INTEGER,
            in_memory    INTEGER NOT NULL CHECK (in_memory IN (0, 1)),
            slot         INTEGER NOT NULL,
            folder       TEXT NOT NULL,
            name         TEXT NOT NULL,
            stem         TEXT NOT NULL,
            kind         TEXT NOT NULL CHECK (kind IN ('picture', 'raw', 'other')),
            format       INTEGER NOT NULL,
            size         INTEGER NOT NULL CHECK (size >= 0),
            capture_date TEXT NOT NULL,
            taken_at     INTEGER,
            -- The RAW of a JPEG, and the other way round.
            pair_id      INTEGER REFERENCES captures (id),
            -- Counts what is taken into this event.
            seq          INTEGER,
            state        TEXT NOT NULL CHECK (state IN
                ('announced', 'filtered', 'receiving', 'staged', 'duplicate', 'lost', 'abandoned')),
            reason       TEXT,
            duplicate_of INTEGER REFERENCES captures (id),
            verified     INTEGER NOT NULL DEFAULT 0 CHECK (verified >= 0),
            boot         TEXT,
            file         TEXT,
            staged_size  INTEGER,
            sha256       TEXT CHECK (length(sha256) = 64),
            announced_at INTEGER NOT NULL,
            staged_at    INTEGER,
            deleted_at   INTEGER,
            CHECK (state <> 'staged' OR
                (file IS NOT NULL AND staged_size IS NOT NULL AND sha256 IS NOT NULL AND staged_at IS NOT NULL)),
            CHECK (state <> 'duplicate' OR duplicate_of IS NOT NULL),
            CHECK (state NOT IN ('filtered', 'lost', 'abandoned') OR reason IS NOT NULL),
            CHECK (state = 'filtered' OR seq IS NOT NULL),
            CHECK (in_memory = 0 OR identity IS NULL)
        ) STRICT;
        -- The same identity in one event is one row.
        CREATE UNIQUE INDEX captures_identity ON captures (event_id, identity) WHERE identity IS NOT NULL;
        CREATE UNIQUE INDEX captures_handle ON captures (connection, handle) WHERE connection IS NOT NULL;
        CREATE INDEX captures_shot ON captures (event_id, camera_id, folder, stem, capture_date);
        CREATE INDEX captures_content ON captures (event_id, sha256) WHERE sha256 IS NOT NULL;
        CREATE INDEX captures_open ON captures (event_id, camera_id)
            WHERE state IN ('announced', 'receiving', 'abandoned');
        CREATE INDEX captures_pairs ON captures (pair_id) WHERE pair_id IS NOT NULL;
        CREATE INDEX captures_twins ON captures (duplicate_of) WHERE duplicate_of IS NOT NULL;
        CREATE INDEX captures_newest ON captures (camera_id, taken_at);

        CREATE TABLE upload_jobs (
            id             INTEGER PRIMARY KEY,
            capture_id     INTEGER NOT NULL REFERENCES captures (id),
            destination_id INTEGER NOT NULL,
            kind           TEXT NOT NULL,
            event_id       TEXT NOT NULL REFERENCES events (id),
            state          TEXT NOT NULL CHECK (state IN ('staged', 'presigned', 'uploading',
                'uploadedAwaitingProcessing', 'completed', 'failedRetryable', 'failedPermanent')),
            lane           INTEGER NOT NULL CHECK (lane IN (0, 1)),
            -- Goes with every request, so that a lost answer never makes a second photo.
            key            TEXT NOT NULL UNIQUE CHECK (length(key) = 36),
            attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            due_at         INTEGER NOT NULL,
            -- Taken into the window of the bridge that runs.
            claimed        INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1)),
            size           INTEGER NOT NULL CHECK (size >= 0),
            problem        TEXT,
            receipt        TEXT CHECK (receipt IS NULL OR json_valid(receipt)),
            created_at     INTEGER NOT NULL,
            completed_at   INTEGER,
            UNIQUE (capture_id, destination_id),
            FOREIGN KEY (destination_id, kind) REFERENCES destinations (id, kind),
            CHECK ((state = 'completed') = (receipt IS NOT NULL)),
            CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
            CHECK (state NOT IN ('failedRetryable', 'failedPermanent') OR problem IS NOT NULL),
            CHECK (kind = 'gallery' OR state NOT IN ('presigned', 'uploadedAwaitingProcessing'))
        ) STRICT;
        -- Only what waits is in it: claiming does not slow down while completed jobs pile up.
        CREATE INDEX upload_jobs_waiting ON upload_jobs (destination_id, state, lane, id)
            WHERE \(waits);
        CREATE INDEX upload_jobs_due ON upload_jobs (destination_id, due_at)
            WHERE \(waits);
        CREATE INDEX upload_jobs_claimed ON upload_jobs (claimed) WHERE claimed = 1;
        CREATE INDEX upload_jobs_failed ON upload_jobs (event_id, id) WHERE state = 'failedPermanent';

        CREATE TABLE counts (
            event_id TEXT NOT NULL,
            subject  TEXT NOT NULL CHECK (subject IN ('capture', 'job')),
            state    TEXT NOT NULL,
            number   INTEGER NOT NULL DEFAULT 0 CHECK (number >= 0),
            bytes    INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (event_id, subject, state)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE state (
            key   TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT;

        -- What happened, in sentences for the operator.
        CREATE TABLE journal (
            id         INTEGER PRIMARY KEY,
            at         INTEGER NOT NULL,
            level      TEXT NOT NULL CHECK (level IN ('info', 'warning', 'error')),
            camera_id  INTEGER,
            capture_id INTEGER,
            job_id     INTEGER,
            text       TEXT NOT NULL
        ) STRICT;
        """ + counting("captures", subject: "capture", size: "size")
        + counting("upload_jobs", subject: "job", size: "size")
}
