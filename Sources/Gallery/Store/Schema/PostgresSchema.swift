/// The same tables for PostgreSQL, which begins with the fifth version of the gallery's schema: same names, same checks, same
/// counts kept by triggers. From then on each version has its text for both engines.
///
/// Whole numbers are BIGINT throughout, so that a value means the same in both; what is yes or no is 0 or 1.
enum PostgresSchema {
    static let firstVersion = 5

    struct Step: Sendable {
        let sql: String
        /// The oldest version of the program, by its own schema, that goes on working beside this one: "expand, then contract".
        let worksWith: Int
    }

    /// The step that leads to `firstVersion`, and those after it.
    static let steps = [
        Step(sql: version5, worksWith: 5), Step(sql: version6, worksWith: 5),
        Step(sql: version7, worksWith: 6), Step(sql: version8, worksWith: 7),
        Step(sql: version9, worksWith: 8), Step(sql: version10, worksWith: 9),
    ]

    static var version: Int { firstVersion + steps.count - 1 }

    static let version5 =
        accounts + events + uploads + photos + counts + nodes + purges + search + moves
    static let version7 = reactions + tus + looks
    static let version8 = videos + guestUploads + downloads
    static let version9 = tiles
    static let version10 = placeholders

    private static let accounts = """
        CREATE TABLE accounts (
            id              TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            email           TEXT NOT NULL UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
            display_name    TEXT NOT NULL CHECK (length(display_name) BETWEEN 1 AND 100),
            password_hash   TEXT NOT NULL,
            created_at      BIGINT NOT NULL,
            credits         BIGINT CHECK (credits >= 0),
            consent_version BIGINT,
            consented_at    BIGINT,
            stamp           BIGINT NOT NULL DEFAULT 0
        ) WITH (fillfactor = 70);

        CREATE TABLE token_families (
            id         TEXT COLLATE "C" PRIMARY KEY,
            account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            created_at BIGINT NOT NULL,
            revoked_at BIGINT,
            device     TEXT CHECK (length(device) <= 200)
        );
        CREATE INDEX families_of_account ON token_families (account_id);

        CREATE TABLE refresh_tokens (
            hash       BYTEA PRIMARY KEY CHECK (length(hash) = 32),
            family_id  TEXT COLLATE "C" NOT NULL REFERENCES token_families (id) ON DELETE CASCADE,
            number     BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            spent_at   BIGINT,
            used_at    BIGINT,
            UNIQUE (family_id, number)
        );

        CREATE TABLE invitations (
            hash       BYTEA PRIMARY KEY CHECK (length(hash) = 32),
            uses       BIGINT NOT NULL CHECK (uses >= 0),
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        );

        CREATE TABLE password_links (
            hash       BYTEA PRIMARY KEY CHECK (length(hash) = 32),
            account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            is_mailed  BIGINT NOT NULL CHECK (is_mailed IN (0, 1)),
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at    BIGINT
        );
        CREATE INDEX links_of_account ON password_links (account_id, created_at);

        """

    private static let events = """
        CREATE TABLE events (
            id               TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            owner_id         TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            name             TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
            slug             TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(slug) BETWEEN 3 AND 100),
            starts_at        BIGINT,
            expires_at       BIGINT,
            pin_hash         TEXT,
            allows_originals BIGINT NOT NULL DEFAULT 0 CHECK (allows_originals IN (0, 1)),
            created_at       BIGINT NOT NULL,
            updated_at       BIGINT NOT NULL,
            deleted_at       BIGINT,
            stamp            BIGINT NOT NULL,
            guest_key        BYTEA CHECK (length(guest_key) = 16),
            time_zone        TEXT CHECK (length(time_zone) BETWEEN 1 AND 64),
            guessed_offset   BIGINT CHECK (guessed_offset BETWEEN -720 AND 840),
            lasts            BIGINT GENERATED ALWAYS AS (expires_at - starts_at) STORED CHECK (lasts > 0)
        );
        CREATE INDEX events_of_owner ON events (owner_id, created_at);
        CREATE INDEX events_by_stamp ON events (owner_id, stamp);

        CREATE TABLE albums (
            id         TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            event_id   TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            owner_id   TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
            position   BIGINT NOT NULL DEFAULT 0,
            updated_at BIGINT NOT NULL,
            deleted_at BIGINT,
            stamp      BIGINT NOT NULL
        );
        CREATE INDEX albums_by_stamp ON albums (owner_id, stamp);

        CREATE TABLE cameras (
            id        TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            event_id  TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            make      TEXT NOT NULL,
            model     TEXT NOT NULL,
            serial    TEXT NOT NULL,
            number    BIGINT NOT NULL,
            shift     BIGINT,
            hint      BIGINT,
            hint_rank BIGINT,
            UNIQUE (event_id, make, model, serial)
        );

        """

    private static let uploads = """
        CREATE TABLE uploads (
            id              TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            account_id      TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            event_id        TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            idempotency_key TEXT COLLATE "C",
            request_hash    BYTEA NOT NULL CHECK (length(request_hash) = 32),
            content_type    TEXT NOT NULL,
            content_length  BIGINT NOT NULL CHECK (content_length > 0),
            sha256          TEXT CHECK (length(sha256) = 64),
            filename        TEXT,
            captured_at     BIGINT,
            source          TEXT,
            status          TEXT COLLATE "C" NOT NULL
                CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'expired')),
            object_key      TEXT COLLATE "C",
            error_code      TEXT,
            error_message   TEXT,
            starts          BIGINT NOT NULL DEFAULT 0,
            arrival         BIGINT,
            photo_id        TEXT COLLATE "C",
            expires_at      BIGINT NOT NULL,
            created_at      BIGINT NOT NULL,
            completed_at    BIGINT,
            clock_ahead     BIGINT,
            -- Which node works on it, and until when it may by the database's clock: then another does.
            worker          TEXT,
            leased_until    BIGINT NOT NULL DEFAULT 0,
            UNIQUE (account_id, idempotency_key),
            CHECK ((status = 'failed') = (error_code IS NOT NULL)),
            CHECK ((status = 'completed') = (photo_id IS NOT NULL)),
            CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
            CHECK (status <> 'processing' OR object_key IS NOT NULL AND arrival IS NOT NULL)
        );
        CREATE INDEX uploads_of_event ON uploads (event_id, created_at DESC, id);
        CREATE INDEX uploads_to_process ON uploads (arrival, id) WHERE status = 'processing';
        CREATE INDEX uploads_to_expire ON uploads (expires_at) WHERE status = 'pending';

        CREATE TABLE places (
            object_key TEXT COLLATE "C" PRIMARY KEY,
            upload_id  TEXT COLLATE "C" NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
            expires_at BIGINT NOT NULL,
            number     BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX places_of_upload ON places (upload_id, expires_at);
        CREATE INDEX places_by_end ON places (expires_at);

        CREATE TABLE removals (
            object_key TEXT COLLATE "C" PRIMARY KEY,
            due_at     BIGINT NOT NULL,
            tries      BIGINT NOT NULL DEFAULT 0
        );
        CREATE INDEX removals_by_time ON removals (due_at);

        """

    private static let photos = """
        CREATE TABLE photos (
            id              TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            event_id        TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            owner_id        TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            sequence        BIGINT NOT NULL,
            sha256          TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
            content_type    TEXT NOT NULL,
            size            BIGINT NOT NULL CHECK (size > 0),
            width           BIGINT NOT NULL CHECK (width > 0),
            height          BIGINT NOT NULL CHECK (height > 0),
            filename        TEXT,
            source          TEXT,
            camera          TEXT,
            copyright       TEXT,
            captured_at     BIGINT,
            created_at      BIGINT NOT NULL,
            thumb_key       TEXT COLLATE "C" NOT NULL UNIQUE,
            screen_key      TEXT COLLATE "C" NOT NULL UNIQUE,
            original_key    TEXT COLLATE "C" NOT NULL UNIQUE,
            thumb_size      BIGINT NOT NULL,
            screen_size     BIGINT NOT NULL,
            thumb_width     BIGINT NOT NULL,
            thumb_height    BIGINT NOT NULL,
            caption         TEXT NOT NULL DEFAULT '' CHECK (length(caption) <= 2000),
            rating          BIGINT NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
            tags            TEXT NOT NULL DEFAULT '[]',
            hidden          BIGINT NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
            updated_at      BIGINT NOT NULL,
            deleted_at      BIGINT,
            stamp           BIGINT NOT NULL,
            camera_id       TEXT COLLATE "C" REFERENCES cameras (id),
            clock           BIGINT,
            clock_offset    BIGINT,
            satellites      BIGINT,
            claimed_at      BIGINT,
            clock_ahead     BIGINT,
            captured_offset BIGINT,
            shown_at        BIGINT,
            is_unread       BIGINT NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1)),
            place           BIGINT GENERATED ALWAYS AS (coalesce(captured_at, created_at)) STORED,
            UNIQUE (event_id, sequence)
        );
        CREATE UNIQUE INDEX photo_once ON photos (event_id, sha256) WHERE deleted_at IS NULL;
        CREATE INDEX photos_by_stamp ON photos (owner_id, stamp);
        CREATE INDEX photos_by_time ON photos (event_id, place DESC, sequence DESC) WHERE deleted_at IS NULL;
        CREATE INDEX photos_of_camera ON photos (camera_id);
        CREATE INDEX photos_unread ON photos (event_id, sequence) WHERE is_unread = 1 AND deleted_at IS NULL;

        CREATE TABLE photo_albums (
            photo_id TEXT COLLATE "C" NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            album_id TEXT COLLATE "C" NOT NULL REFERENCES albums (id) ON DELETE CASCADE,
            PRIMARY KEY (photo_id, album_id)
        );
        CREATE INDEX photos_of_album ON photo_albums (album_id);

        """
}
