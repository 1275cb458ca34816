extension PostgresSchema {
    /// Counts, kept by triggers as in SQLite.
    static let counts = """
        CREATE TABLE event_counts (
            event_id TEXT COLLATE "C" PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
            photos   BIGINT NOT NULL DEFAULT 0 CHECK (photos >= 0),
            bytes    BIGINT NOT NULL DEFAULT 0 CHECK (bytes >= 0),
            visible  BIGINT NOT NULL DEFAULT 0 CHECK (visible >= 0),
            pending  BIGINT NOT NULL DEFAULT 0 CHECK (pending >= 0),
            failed   BIGINT NOT NULL DEFAULT 0 CHECK (failed >= 0),
            sequence BIGINT NOT NULL DEFAULT 0,
            arrival  BIGINT NOT NULL DEFAULT 0
        ) WITH (fillfactor = 50);

        CREATE FUNCTION count_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO event_counts (event_id) VALUES (new.id);
            RETURN NULL;
        END $$;
        CREATE TRIGGER event_made AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION count_event();

        CREATE FUNCTION is_open(status TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
            $$ SELECT (status IN ('pending', 'processing'))::int::bigint $$;
        CREATE FUNCTION has_failed(status TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
            $$ SELECT (status = 'failed')::int::bigint $$;
        CREATE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF tg_op = 'INSERT' THEN
                UPDATE event_counts SET pending = pending + is_open(new.status), failed = failed + has_failed(new.status)
                    WHERE event_id = new.event_id;
            ELSIF tg_op = 'DELETE' THEN
                UPDATE event_counts SET pending = pending - is_open(old.status), failed = failed - has_failed(old.status)
                    WHERE event_id = old.event_id;
            ELSIF is_open(new.status) <> is_open(old.status) OR has_failed(new.status) <> has_failed(old.status) THEN
                UPDATE event_counts SET pending = pending + is_open(new.status) - is_open(old.status),
                    failed = failed + has_failed(new.status) - has_failed(old.status) WHERE event_id = new.event_id;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER upload_counted AFTER INSERT OR DELETE OR UPDATE OF status ON uploads
            FOR EACH ROW EXECUTE FUNCTION count_upload();

        -- Once for each statement: fifty thousand changes of one row in one transaction would take minutes.
        CREATE FUNCTION count_photos(event TEXT, more BIGINT, more_visible BIGINT, more_bytes BIGINT)
        RETURNS void LANGUAGE sql AS $$
            UPDATE event_counts SET photos = photos + more, visible = visible + more_visible, bytes = bytes + more_bytes
                WHERE event_id = event AND (more <> 0 OR more_visible <> 0 OR more_bytes <> 0)
        $$;
        CREATE FUNCTION photos_made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM count_photos(event_id, count(*), sum((hidden = 0)::int), sum(size)::bigint)
                FROM fresh WHERE deleted_at IS NULL GROUP BY event_id;
            RETURN NULL;
        END $$;
        CREATE FUNCTION photos_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM count_photos(event_id, -count(*), -sum((hidden = 0)::int), -sum(size)::bigint)
                FROM stale WHERE deleted_at IS NULL GROUP BY event_id;
            RETURN NULL;
        END $$;
        CREATE FUNCTION photos_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM count_photos(event_id, sum(one)::bigint, sum(one * (hidden = 0)::int)::bigint, sum(one * size)::bigint)
                FROM (SELECT event_id, 1 AS one, hidden, size FROM fresh WHERE deleted_at IS NULL
                    UNION ALL SELECT event_id, -1, hidden, size FROM stale WHERE deleted_at IS NULL) AS each_one
                GROUP BY event_id;
            RETURN NULL;
        END $$;
        CREATE TRIGGER photo_made AFTER INSERT ON photos
            REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION photos_made();
        CREATE TRIGGER photo_gone AFTER DELETE ON photos
            REFERENCING OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION photos_gone();
        CREATE TRIGGER photo_changed AFTER UPDATE ON photos
            REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION photos_changed();

        """

    /// What several nodes share beside the rows themselves.
    static let nodes = """
        -- What has changed of what hosts and guests may be looking at, in the order of its owner's stamps: every node tells
        -- its own listeners. Kept for as long as clients may come back.
        CREATE TABLE changes (
            event_id   TEXT COLLATE "C" NOT NULL,
            stamp      BIGINT NOT NULL,
            kind       TEXT NOT NULL,
            subject    TEXT COLLATE "C",
            changed_at BIGINT NOT NULL,
            PRIMARY KEY (event_id, stamp)
        );
        CREATE INDEX changes_by_time ON changes (changed_at);

        -- Left by each transaction, so that one whose end was not heard is not done twice.
        CREATE TABLE commit_marks (
            mark      BYTEA PRIMARY KEY,
            marked_at BIGINT NOT NULL
        );
        CREATE INDEX commit_marks_by_time ON commit_marks (marked_at);

        -- Work that one node does for all.
        CREATE TABLE duties (
            name         TEXT PRIMARY KEY,
            worker       TEXT NOT NULL,
            leased_until BIGINT NOT NULL
        );

        -- How often something was tried, by its kind and key: as text that the limit itself writes and reads.
        CREATE TABLE limits (
            kind       TEXT NOT NULL,
            key        TEXT COLLATE "C" NOT NULL,
            state      TEXT NOT NULL,
            changed_at BIGINT NOT NULL,
            PRIMARY KEY (kind, key)
        ) WITH (fillfactor = 70);
        CREATE INDEX limits_by_time ON limits (changed_at);

        -- What log-ins, passes and device cookies are signed with. The newest signs; the others are good until they are removed.
        CREATE TABLE signing_keys (
            number     BIGINT PRIMARY KEY,
            secret     BYTEA NOT NULL CHECK (length(secret) = 32),
            created_at BIGINT NOT NULL
        );

        """
}
