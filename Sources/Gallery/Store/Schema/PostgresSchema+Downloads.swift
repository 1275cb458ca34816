/// The same for PostgreSQL. What programs of the version before write is sorted by the triggers as well.
extension PostgresSchema {
    static let downloads = sections + downloadCounts + reminders

    private static let sections = """
        ALTER TABLE photo_albums
            ADD COLUMN place    BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN shown    BIGINT NOT NULL DEFAULT 0 CHECK (shown IN (0, 1));
        UPDATE photo_albums AS a SET place = coalesce(p.captured_at, p.created_at), sequence = p.sequence,
            shown = CASE WHEN p.hidden = 0 AND p.deleted_at IS NULL THEN 1 ELSE 0 END
            FROM photos AS p WHERE p.id = a.photo_id;
        CREATE INDEX photos_of_section ON photo_albums (album_id, place DESC, sequence DESC) WHERE shown = 1;
        CREATE INDEX albums_of_event ON albums (event_id, position, id) WHERE deleted_at IS NULL;

        CREATE FUNCTION photo_sorted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            SELECT coalesce(captured_at, created_at), p.sequence,
                CASE WHEN p.hidden = 0 AND p.deleted_at IS NULL THEN 1 ELSE 0 END
                INTO new.place, new.sequence, new.shown FROM photos AS p WHERE p.id = new.photo_id;
            -- That there is no such photo is for the foreign key to say.
            new.place := coalesce(new.place, 0);
            new.sequence := coalesce(new.sequence, 0);
            new.shown := coalesce(new.shown, 0);
            RETURN new;
        END $$;
        CREATE FUNCTION photo_sorted_anew() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE photo_albums SET place = coalesce(new.captured_at, new.created_at),
                shown = CASE WHEN new.hidden = 0 AND new.deleted_at IS NULL THEN 1 ELSE 0 END
                WHERE photo_id = new.id;
            RETURN NULL;
        END $$;
        CREATE TRIGGER photo_sorted BEFORE INSERT ON photo_albums
            FOR EACH ROW EXECUTE FUNCTION photo_sorted();
        CREATE TRIGGER photo_sorted_anew AFTER UPDATE OF captured_at, hidden, deleted_at ON photos
            FOR EACH ROW WHEN (new.captured_at IS DISTINCT FROM old.captured_at OR new.hidden <> old.hidden
                OR new.deleted_at IS DISTINCT FROM old.deleted_at) EXECUTE FUNCTION photo_sorted_anew();

        """

    private static let downloadCounts = """
        CREATE TABLE download_days (
            event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            day      BIGINT NOT NULL CHECK (day >= 0),
            kind     TEXT COLLATE "C" NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
            times    BIGINT NOT NULL DEFAULT 0 CHECK (times >= 0),
            photos   BIGINT NOT NULL DEFAULT 0 CHECK (photos >= 0),
            bytes    BIGINT NOT NULL DEFAULT 0 CHECK (bytes >= 0),
            PRIMARY KEY (event_id, day, kind)
        ) WITH (fillfactor = 70);

        CREATE TABLE download_photos (
            photo_id TEXT COLLATE "C" PRIMARY KEY REFERENCES photos (id) ON DELETE CASCADE,
            event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            times    BIGINT NOT NULL DEFAULT 0 CHECK (times >= 0)
        );
        CREATE INDEX downloads_by_times ON download_photos (event_id, times, photo_id);

        CREATE TABLE download_guests (
            event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            device   TEXT COLLATE "C" NOT NULL CHECK (length(device) <= 64),
            author   TEXT COLLATE "C" CHECK (length(author) BETWEEN 1 AND 64),
            number   BIGINT NOT NULL CHECK (number >= 0),
            times    BIGINT NOT NULL DEFAULT 0 CHECK (times >= 0),
            bytes    BIGINT NOT NULL DEFAULT 0 CHECK (bytes >= 0),
            last_day BIGINT NOT NULL CHECK (last_day >= 0),
            PRIMARY KEY (event_id, device)
        );
        CREATE INDEX comments_of_device ON comments (event_id, device, created_at);

        """

    private static let reminders = """
        CREATE TABLE reminders (
            event_id   TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            stage      TEXT COLLATE "C" NOT NULL CHECK (length(stage) BETWEEN 1 AND 32),
            expires_at BIGINT NOT NULL,
            due_at     BIGINT NOT NULL,
            tries      BIGINT NOT NULL DEFAULT 0,
            told_at    BIGINT,
            PRIMARY KEY (event_id, stage)
        );
        CREATE INDEX events_by_end ON events (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;

        """
}
