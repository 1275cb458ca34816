package import Database

/// The gallery's tables, as SQL that is only ever appended to. What the machines know is written into it a second time,
/// as CHECKs, and counts are kept by triggers.
package enum GallerySchema {
    /// "GALL" in ASCII.
    package static let migrations = Migrations(
        applicationID: 0x4741_4C4C,
        steps: [
            version1, version2, version3, version4, version5, version6, version7, version8, version9,
            version10,
        ],
        advice: OpeningAdvice(goElsewhere: "name another folder with --data", update: "gallery serve"))

    static let version1 = accounts + events + uploads + photos + counts
    static let version3 = times + passwords
    /// From here on each version has its text for PostgreSQL, too: see ``PostgresSchema``.
    static let version5 = leases + purges + search
    static let version7 = reactions + tus + looks
    static let version8 = videos + guestUploads + downloads
    static let version9 = tiles
    static let version10 = placeholders

    /// Which node works on an upload, and until when: in a file there is one, which needs no lease.
    private static let leases = """
        ALTER TABLE uploads ADD COLUMN worker TEXT;
        ALTER TABLE uploads ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;

        """

    /// Doors: invitations, and a key for each event that opens it without its PIN.
    private static let version2 = """
        CREATE TABLE invitations (
            -- SHA-256; the code itself is nowhere.
            hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
            -- How many accounts may still be made with it.
            uses       INTEGER NOT NULL CHECK (uses >= 0),
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT;

        -- Every event has one. Those that were made before are given theirs when the gallery is opened.
        ALTER TABLE events ADD COLUMN guest_key BLOB CHECK (length(guest_key) = 16);
        """

    /// Accounts: links for new passwords, and what a log-in came from.
    private static let passwords = """
        CREATE TABLE password_links (
            -- SHA-256; the link itself is nowhere.
            hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            -- Or printed for the operator.
            is_mailed  INTEGER NOT NULL CHECK (is_mailed IN (0, 1)),
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            used_at    INTEGER
        ) STRICT;
        CREATE INDEX links_of_account ON password_links (account_id, created_at);

        -- As the program called itself.
        ALTER TABLE token_families ADD COLUMN device TEXT CHECK (length(device) <= 200);
        """

    private static let accounts = """
        CREATE TABLE accounts (
            id              TEXT PRIMARY KEY CHECK (length(id) = 36),
            -- In lower case: one account for each.
            email           TEXT NOT NULL UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
            display_name    TEXT NOT NULL CHECK (length(display_name) BETWEEN 1 AND 100),
            password_hash   TEXT NOT NULL,
            created_at      INTEGER NOT NULL,
            -- None for unlimited.
            credits         INTEGER CHECK (credits >= 0),
            consent_version INTEGER,
            consented_at    INTEGER
        ) STRICT;

        -- A log-in and all tokens that came out of it.
        CREATE TABLE token_families (
            id         TEXT PRIMARY KEY,
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;
        CREATE INDEX families_of_account ON token_families (account_id);

        CREATE TABLE refresh_tokens (
            -- SHA-256; the token itself is nowhere.
            hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
            family_id  TEXT NOT NULL REFERENCES token_families (id) ON DELETE CASCADE,
            number     INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            spent_at   INTEGER,
            -- When it, or the access token that came with it, was first used.
            used_at    INTEGER,
            UNIQUE (family_id, number)
        ) STRICT;

        """

    private static let events = """
        CREATE TABLE events (
            id               TEXT PRIMARY KEY CHECK (length(id) = 36),
            owner_id         TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            name             TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
            slug             TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 3 AND 100),
            starts_at        INTEGER,
            expires_at       INTEGER,
            -- Whoever has the address of the page may look; otherwise only with the PIN.
            pin_hash         TEXT,
            allows_originals INTEGER NOT NULL DEFAULT 0 CHECK (allows_originals IN (0, 1)),
            created_at       INTEGER NOT NULL,
            updated_at       INTEGER NOT NULL,
            deleted_at       INTEGER,
            stamp            INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX events_of_owner ON events (owner_id, created_at);
        CREATE INDEX events_by_stamp ON events (owner_id, stamp);

        CREATE TABLE albums (
            id         TEXT PRIMARY KEY CHECK (length(id) = 36),
            event_id   TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            owner_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
            position   INTEGER NOT NULL DEFAULT 0,
            updated_at INTEGER NOT NULL,
            deleted_at INTEGER,
            stamp      INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX albums_by_stamp ON albums (owner_id, stamp);

        """

    private static let uploads = """
        CREATE TABLE uploads (
            id              TEXT PRIMARY KEY CHECK (length(id) = 36),
            account_id      TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            idempotency_key TEXT,
            -- Of what was asked with that key, so that another question with it is told.
            request_hash    BLOB NOT NULL CHECK (length(request_hash) = 32),
            content_type    TEXT NOT NULL,
            content_length  INTEGER NOT NULL CHECK (content_length > 0),
            sha256          TEXT CHECK (length(sha256) = 64),
            filename        TEXT,
            captured_at     INTEGER,
            source          TEXT,
            status          TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'expired')),
            -- Where the bytes lie that are being worked on.
            object_key      TEXT,
            error_code      TEXT,
            error_message   TEXT,
            -- Starts of the renderer that did not come to an end.
            starts          INTEGER NOT NULL DEFAULT 0,
            -- In order of arrival of the bytes.
            arrival         INTEGER,
            photo_id        TEXT,
            expires_at      INTEGER NOT NULL,
            created_at      INTEGER NOT NULL,
            completed_at    INTEGER,
            UNIQUE (account_id, idempotency_key),
            CHECK ((status = 'failed') = (error_code IS NOT NULL)),
            CHECK ((status = 'completed') = (photo_id IS NOT NULL)),
            CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
            CHECK (status <> 'processing' OR object_key IS NOT NULL AND arrival IS NOT NULL)
        ) STRICT;
        CREATE INDEX uploads_of_event ON uploads (event_id, created_at DESC, id);
        CREATE INDEX uploads_to_process ON uploads (arrival) WHERE status = 'processing';
        CREATE INDEX uploads_to_expire ON uploads (expires_at) WHERE status = 'pending';

        -- Every place that was ever given for an upload. The first whose bytes verify wins; the others are swept.
        CREATE TABLE places (
            object_key TEXT PRIMARY KEY,
            upload_id  TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX places_of_upload ON places (upload_id, expires_at);
        CREATE INDEX places_by_end ON places (expires_at);

        -- Objects that nothing refers to any more, to be removed from the storage.
        CREATE TABLE removals (
            object_key TEXT PRIMARY KEY,
            due_at     INTEGER NOT NULL,
            tries      INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX removals_by_time ON removals (due_at);

        """

    private static let photos = """
        CREATE TABLE photos (
            id           TEXT PRIMARY KEY CHECK (length(id) = 36),
            event_id     TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            owner_id     TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            -- Grows with every photo of the gallery: order on the page, and the id of the message about it.
            sequence     INTEGER NOT NULL UNIQUE,
            sha256       TEXT NOT NULL CHECK (length(sha256) = 64),
            content_type TEXT NOT NULL,
            size         INTEGER NOT NULL CHECK (size > 0),
            width        INTEGER NOT NULL CHECK (width > 0),
            height       INTEGER NOT NULL CHECK (height > 0),
            filename     TEXT,
            source       TEXT,
            camera       TEXT,
            copyright    TEXT,
            captured_at  INTEGER,
            created_at   INTEGER NOT NULL,
            -- Nobody guesses these; each is the name of an object in the storage.
            thumb_key    TEXT NOT NULL UNIQUE,
            screen_key   TEXT NOT NULL UNIQUE,
            original_key TEXT NOT NULL UNIQUE,
            thumb_size   INTEGER NOT NULL,
            screen_size  INTEGER NOT NULL,
            thumb_width  INTEGER NOT NULL,
            thumb_height INTEGER NOT NULL,
            caption      TEXT NOT NULL DEFAULT '' CHECK (length(caption) <= 2000),
            rating       INTEGER NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
            -- JSON: ["a", "b"].
            tags         TEXT NOT NULL DEFAULT '[]',
            hidden       INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
            updated_at   INTEGER NOT NULL,
            deleted_at   INTEGER,
            stamp        INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX photo_once ON photos (event_id, sha256) WHERE deleted_at IS NULL;
        CREATE INDEX photos_of_event ON photos (event_id, sequence DESC) WHERE deleted_at IS NULL;
        CREATE INDEX photos_by_stamp ON photos (owner_id, stamp);

        CREATE TABLE photo_albums (
            photo_id TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            album_id TEXT NOT NULL REFERENCES albums (id) ON DELETE CASCADE,
            PRIMARY KEY (photo_id, album_id)
        ) STRICT, WITHOUT ROWID;

        -- Numbers that only grow: the last stamp, the last sequence, the last arrival.
        CREATE TABLE counters (
            name  TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO counters VALUES ('stamp', 0), ('sequence', 0), ('arrival', 0);

        """

    private static let counts = """
        CREATE TABLE event_counts (
            event_id TEXT PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
            photos   INTEGER NOT NULL DEFAULT 0 CHECK (photos >= 0),
            bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
            -- Those that are not hidden, which is what guests count.
            visible  INTEGER NOT NULL DEFAULT 0 CHECK (visible >= 0),
            pending  INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
            failed   INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0)
        ) STRICT;
        CREATE TRIGGER event_made AFTER INSERT ON events BEGIN
            INSERT INTO event_counts (event_id) VALUES (new.id);
        END;
        CREATE TRIGGER upload_made AFTER INSERT ON uploads BEGIN
            UPDATE event_counts SET pending = pending + (new.status IN ('pending', 'processing')),
                failed = failed + (new.status = 'failed') WHERE event_id = new.event_id;
        END;
        CREATE TRIGGER upload_changed AFTER UPDATE OF status ON uploads BEGIN
            UPDATE event_counts SET
                pending = pending + (new.status IN ('pending', 'processing')) - (old.status IN ('pending', 'processing')),
                failed = failed + (new.status = 'failed') - (old.status = 'failed') WHERE event_id = new.event_id;
        END;
        CREATE TRIGGER upload_gone AFTER DELETE ON uploads BEGIN
            UPDATE event_counts SET pending = pending - (old.status IN ('pending', 'processing')),
                failed = failed - (old.status = 'failed') WHERE event_id = old.event_id;
        END;
        CREATE TRIGGER photo_made AFTER INSERT ON photos WHEN new.deleted_at IS NULL BEGIN
            UPDATE event_counts SET photos = photos + 1, bytes = bytes + new.size, visible = visible + (new.hidden = 0)
                WHERE event_id = new.event_id;
        END;
        CREATE TRIGGER photo_changed AFTER UPDATE OF deleted_at, hidden ON photos BEGIN
            UPDATE event_counts SET
                photos = photos + (new.deleted_at IS NULL) - (old.deleted_at IS NULL),
                bytes = bytes + new.size * ((new.deleted_at IS NULL) - (old.deleted_at IS NULL)),
                visible = visible + (new.deleted_at IS NULL AND new.hidden = 0)
                    - (old.deleted_at IS NULL AND old.hidden = 0)
                WHERE event_id = new.event_id;
        END;
        CREATE TRIGGER photo_gone AFTER DELETE ON photos WHEN old.deleted_at IS NULL BEGIN
            UPDATE event_counts SET photos = photos - 1, bytes = bytes - old.size, visible = visible - (old.hidden = 0)
                WHERE event_id = old.event_id;
        END;

        """
}
