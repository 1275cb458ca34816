/// Numbers that only grow are counted where they belong, so that no row is in every write: stamps by account, sequences and
/// arrivals by event. And the schema itself checks that an event ends after it begins.
///
/// The table `counters` stays as it was for one version more, and nothing reads it.
extension GallerySchema {
    static let version4 = counting + moments + places + photosByEvent

    /// What was given out until now is not given out again: clients and pages that are open go on from there.
    private static let counting = """
        ALTER TABLE accounts ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
        UPDATE accounts SET stamp = (SELECT value FROM counters WHERE name = 'stamp');
        ALTER TABLE event_counts ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE event_counts ADD COLUMN arrival INTEGER NOT NULL DEFAULT 0;
        UPDATE event_counts SET sequence = (SELECT value FROM counters WHERE name = 'sequence'),
            arrival = (SELECT value FROM counters WHERE name = 'arrival');

        """

    /// Two changes at once could leave an event that ended before it began, so that no guest could ever look. When it
    /// ends is what its door goes by; when it begins is only shown.
    private static let moments = """
        UPDATE events SET starts_at = NULL WHERE expires_at <= starts_at;
        ALTER TABLE events ADD COLUMN lasts INTEGER GENERATED ALWAYS AS (expires_at - starts_at) VIRTUAL CHECK (lasts > 0);

        """

    /// The order in which an upload was given its places.
    private static let places = """
        ALTER TABLE places ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        UPDATE places SET number = rowid;

        """

    /// A sequence is one photo's in its event, and no longer in the whole gallery: that is a part of the table itself, which
    /// is made anew with all its rows.
    private static let photosByEvent = """
        CREATE TABLE photos_by_event (
            id              TEXT PRIMARY KEY CHECK (length(id) = 36),
            event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            owner_id        TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            -- Grows with every photo of the event: what has a higher one came later.
            sequence        INTEGER NOT NULL,
            sha256          TEXT NOT NULL CHECK (length(sha256) = 64),
            content_type    TEXT NOT NULL,
            size            INTEGER NOT NULL CHECK (size > 0),
            width           INTEGER NOT NULL CHECK (width > 0),
            height          INTEGER NOT NULL CHECK (height > 0),
            filename        TEXT,
            source          TEXT,
            camera          TEXT,
            copyright       TEXT,
            captured_at     INTEGER,
            created_at      INTEGER NOT NULL,
            thumb_key       TEXT NOT NULL UNIQUE,
            screen_key      TEXT NOT NULL UNIQUE,
            original_key    TEXT NOT NULL UNIQUE,
            thumb_size      INTEGER NOT NULL,
            screen_size     INTEGER NOT NULL,
            thumb_width     INTEGER NOT NULL,
            thumb_height    INTEGER NOT NULL,
            caption         TEXT NOT NULL DEFAULT '' CHECK (length(caption) <= 2000),
            rating          INTEGER NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
            -- JSON: ["a", "b"].
            tags            TEXT NOT NULL DEFAULT '[]',
            hidden          INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
            updated_at      INTEGER NOT NULL,
            deleted_at      INTEGER,
            stamp           INTEGER NOT NULL,
            camera_id       TEXT REFERENCES cameras (id),
            clock           INTEGER,
            clock_offset    INTEGER,
            satellites      INTEGER,
            claimed_at      INTEGER,
            clock_ahead     INTEGER,
            captured_offset INTEGER,
            shown_at        INTEGER,
            is_unread       INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1)),
            place           INTEGER GENERATED ALWAYS AS (coalesce(captured_at, created_at)) VIRTUAL,
            UNIQUE (event_id, sequence)
        ) STRICT;
        INSERT INTO photos_by_event (\(photoColumns)) SELECT \(photoColumns) FROM photos;

        -- What belongs to photos is put aside, so that it does not go with their old table.
        CREATE TABLE photo_albums_kept (photo_id TEXT NOT NULL, album_id TEXT NOT NULL) STRICT;
        INSERT INTO photo_albums_kept SELECT photo_id, album_id FROM photo_albums;
        DROP TABLE photo_albums;
        DROP TABLE photos;
        ALTER TABLE photos_by_event RENAME TO photos;
        CREATE TABLE photo_albums (
            photo_id TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            album_id TEXT NOT NULL REFERENCES albums (id) ON DELETE CASCADE,
            PRIMARY KEY (photo_id, album_id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO photo_albums SELECT photo_id, album_id FROM photo_albums_kept;
        DROP TABLE photo_albums_kept;

        CREATE UNIQUE INDEX photo_once ON photos (event_id, sha256) WHERE deleted_at IS NULL;
        CREATE INDEX photos_by_stamp ON photos (owner_id, stamp);
        CREATE INDEX photos_by_time ON photos (event_id, place DESC, sequence DESC) WHERE deleted_at IS NULL;
        CREATE INDEX photos_of_camera ON photos (camera_id);
        CREATE INDEX photos_unread ON photos (event_id, sequence) WHERE is_unread = 1 AND deleted_at IS NULL;
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

    private static let photoColumns = """
        id, event_id, owner_id, sequence, sha256, content_type, size, width, height, filename, source, camera, copyright,
        captured_at, created_at, thumb_key, screen_key, original_key, thumb_size, screen_size, thumb_width, thumb_height,
        caption, rating, tags, hidden, updated_at, deleted_at, stamp, camera_id, clock, clock_offset, satellites,
        claimed_at, clock_ahead, captured_offset, shown_at, is_unread
        """
}
