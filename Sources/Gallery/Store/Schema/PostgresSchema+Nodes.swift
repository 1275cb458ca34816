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

        CREATE FUNCTION count_photo() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            was BIGINT := 0;
            was_visible BIGINT := 0;
            is_there BIGINT := 0;
            is_visible BIGINT := 0;
        BEGIN
            IF tg_op <> 'INSERT' THEN
                was := (old.deleted_at IS NULL)::int;
                was_visible := (old.deleted_at IS NULL AND old.hidden = 0)::int;
            END IF;
            IF tg_op <> 'DELETE' THEN
                is_there := (new.deleted_at IS NULL)::int;
                is_visible := (new.deleted_at IS NULL AND new.hidden = 0)::int;
            END IF;
            IF was <> is_there OR was_visible <> is_visible THEN
                UPDATE event_counts SET photos = photos + is_there - was, visible = visible + is_visible - was_visible,
                    bytes = bytes + CASE WHEN tg_op = 'DELETE' THEN old.size ELSE new.size END * (is_there - was)
                    WHERE event_id = CASE WHEN tg_op = 'DELETE' THEN old.event_id ELSE new.event_id END;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER photo_counted AFTER INSERT OR DELETE OR UPDATE OF deleted_at, hidden ON photos
            FOR EACH ROW EXECUTE FUNCTION count_photo();

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
