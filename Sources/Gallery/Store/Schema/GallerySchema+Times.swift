/// When a photo was taken became what follows from what is known, which is kept beside it.
extension GallerySchema {
    static let times = """
        ALTER TABLE events ADD COLUMN time_zone TEXT CHECK (length(time_zone) BETWEEN 1 AND 64);
        -- In minutes, as the first photos tell it, for events whose host has said nothing.
        ALTER TABLE events ADD COLUMN guessed_offset INTEGER CHECK (guessed_offset BETWEEN -720 AND 840);

        -- By how many seconds the camera's clock was ahead of UTC, as the uploader has measured.
        ALTER TABLE uploads ADD COLUMN clock_ahead INTEGER;

        -- Bodies that an event's photos were taken with, each with a clock of its own.
        CREATE TABLE cameras (
            id        TEXT PRIMARY KEY CHECK (length(id) = 36),
            event_id  TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            make      TEXT NOT NULL,
            model     TEXT NOT NULL,
            -- Empty where the body does not say it.
            serial    TEXT NOT NULL,
            -- In order of their first photos.
            number    INTEGER NOT NULL,
            -- Seconds that the host adds to its clock.
            shift     INTEGER,
            -- What its first photos say of the event's zone, in minutes, and how well they know; 1 is best.
            hint      INTEGER,
            hint_rank INTEGER,
            UNIQUE (event_id, make, model, serial)
        ) STRICT;

        -- What the camera's clock showed, as if it were UTC; by how many minutes it believed to be ahead of that; when
        -- satellites told it where it was; when it was taken as the uploader says; and as the uploader has measured.
        ALTER TABLE photos ADD COLUMN camera_id    TEXT REFERENCES cameras (id);
        ALTER TABLE photos ADD COLUMN clock        INTEGER;
        ALTER TABLE photos ADD COLUMN clock_offset INTEGER;
        ALTER TABLE photos ADD COLUMN satellites   INTEGER;
        ALTER TABLE photos ADD COLUMN claimed_at   INTEGER;
        ALTER TABLE photos ADD COLUMN clock_ahead  INTEGER;
        -- What follows from these besides captured_at: minutes ahead of UTC, and what clocks in the event's zone showed.
        ALTER TABLE photos ADD COLUMN captured_offset INTEGER;
        ALTER TABLE photos ADD COLUMN shown_at        INTEGER;
        -- Where it stands on the page.
        ALTER TABLE photos ADD COLUMN place INTEGER GENERATED ALWAYS AS (coalesce(captured_at, created_at)) VIRTUAL;

        -- What was kept of a time until now may be a moment, as a camera or the uploader told it, or what a clock in no zone
        -- showed, and which of them was not written down. It stays as it is until its file has been read again.
        ALTER TABLE photos ADD COLUMN is_unread INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1));
        UPDATE photos SET claimed_at = captured_at, shown_at = captured_at, is_unread = 1 WHERE captured_at IS NOT NULL;
        -- Each bears the id of its first photo, so that a step that is cut off and done again makes the same.
        INSERT INTO cameras (id, event_id, make, model, serial, number)
            SELECT id, event_id, '', model, '', row_number() OVER (PARTITION BY event_id ORDER BY first)
            FROM (SELECT id, event_id, coalesce(camera, '') AS model, min(sequence) AS first FROM photos
                WHERE deleted_at IS NULL AND (camera IS NOT NULL OR captured_at IS NOT NULL)
                GROUP BY event_id, coalesce(camera, ''));
        UPDATE photos SET camera_id = c.id FROM cameras AS c
            WHERE c.event_id = photos.event_id AND c.model = coalesce(photos.camera, '')
                AND deleted_at IS NULL AND (camera IS NOT NULL OR captured_at IS NOT NULL);

        DROP INDEX photos_of_event;
        CREATE INDEX photos_by_time ON photos (event_id, place DESC, sequence DESC) WHERE deleted_at IS NULL;
        CREATE INDEX photos_of_camera ON photos (camera_id);
        CREATE INDEX photos_unread ON photos (sequence) WHERE is_unread = 1 AND deleted_at IS NULL;
        """
}
