/// A part of the eighth version: sections of the guests' page, what was taken home, and of what hosts are reminded.
extension GallerySchema {
    static let downloads = sections + downloadCounts + reminders

    /// Where a photo stands on the page is written beside its album as well, so that a section is read in its order by one
    /// index, as all photos are.
    private static let sections = """
        ALTER TABLE photo_albums ADD COLUMN place    INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE photo_albums ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
        -- Guests see the photo. Of its album nothing is said by it.
        ALTER TABLE photo_albums ADD COLUMN shown    INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1));
        UPDATE photo_albums SET (place, sequence, shown) =
            (SELECT coalesce(captured_at, created_at), p.sequence, p.hidden = 0 AND p.deleted_at IS NULL
                FROM photos AS p WHERE p.id = photo_id);
        CREATE INDEX photos_of_section ON photo_albums (album_id, place DESC, sequence DESC) WHERE shown = 1;
        CREATE INDEX albums_of_event ON albums (event_id, position, id) WHERE deleted_at IS NULL;

        CREATE TRIGGER photo_sorted AFTER INSERT ON photo_albums BEGIN
            UPDATE photo_albums SET place = coalesce(p.captured_at, p.created_at), sequence = p.sequence,
                shown = p.hidden = 0 AND p.deleted_at IS NULL FROM photos AS p
                WHERE p.id = new.photo_id AND photo_id = new.photo_id AND album_id = new.album_id;
        END;
        CREATE TRIGGER photo_sorted_anew AFTER UPDATE OF captured_at, hidden, deleted_at ON photos
            WHEN new.captured_at IS NOT old.captured_at OR new.hidden <> old.hidden
                OR new.deleted_at IS NOT old.deleted_at BEGIN
            UPDATE photo_albums SET place = coalesce(new.captured_at, new.created_at),
                shown = new.hidden = 0 AND new.deleted_at IS NULL WHERE photo_id = new.id;
        END;

        """

    /// Counts, and nothing of any single download.
    private static let downloadCounts = """
        -- By day and kind. Day 0 has what is too old to be kept by days.
        CREATE TABLE download_days (
            event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            -- Since 1970, in UTC.
            day      INTEGER NOT NULL CHECK (day >= 0),
            kind     TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
            times    INTEGER NOT NULL DEFAULT 0 CHECK (times >= 0),
            photos   INTEGER NOT NULL DEFAULT 0 CHECK (photos >= 0),
            bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
            PRIMARY KEY (event_id, day, kind)
        ) STRICT, WITHOUT ROWID;

        -- How often each was taken by itself or was picked.
        CREATE TABLE download_photos (
            photo_id TEXT PRIMARY KEY REFERENCES photos (id) ON DELETE CASCADE,
            event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            times    INTEGER NOT NULL DEFAULT 0 CHECK (times >= 0)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX downloads_by_times ON download_photos (event_id, times, photo_id);

        CREATE TABLE download_guests (
            event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            -- As its cookie calls it; empty for all that have none, or came when there were as many as there may be.
            device   TEXT NOT NULL CHECK (length(device) <= 64),
            -- As it gives hearts and writes comments, whose names are its name.
            author   TEXT CHECK (length(author) BETWEEN 1 AND 64),
            -- What hosts call it: in the order in which they came.
            number   INTEGER NOT NULL CHECK (number >= 0),
            times    INTEGER NOT NULL DEFAULT 0 CHECK (times >= 0),
            bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
            last_day INTEGER NOT NULL CHECK (last_day >= 0),
            PRIMARY KEY (event_id, device)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX comments_of_device ON comments (event_id, device, created_at);

        """

    private static let reminders = """
        -- That the host of an event was told of its end, or is to be.
        CREATE TABLE reminders (
            event_id   TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            stage      TEXT NOT NULL CHECK (length(stage) BETWEEN 1 AND 32),
            -- The end that it is about: of another one the host is told anew.
            expires_at INTEGER NOT NULL,
            -- Until then one node is at it, or waits after a failure.
            due_at     INTEGER NOT NULL,
            tries      INTEGER NOT NULL DEFAULT 0,
            told_at    INTEGER,
            PRIMARY KEY (event_id, stage)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX events_by_end ON events (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;

        """
}
