/// Hearts and comments of guests: a part of the seventh version. Events from before take none until their hosts say so.
extension GallerySchema {
    static let reactions = """
        ALTER TABLE events ADD COLUMN allows_hearts INTEGER NOT NULL DEFAULT 0 CHECK (allows_hearts IN (0, 1));
        ALTER TABLE events ADD COLUMN allows_comments INTEGER NOT NULL DEFAULT 0 CHECK (allows_comments IN (0, 1));

        -- One for a photo and a device.
        CREATE TABLE hearts (
            photo_id TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            -- As its cookie calls it.
            device   TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
            event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            given_at INTEGER NOT NULL,
            PRIMARY KEY (photo_id, device)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX hearts_of_device ON hearts (event_id, device, given_at);

        CREATE TABLE comments (
            id         TEXT PRIMARY KEY CHECK (length(id) = 36),
            photo_id   TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            event_id   TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            device     TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
            name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
            words      TEXT NOT NULL CHECK (length(words) BETWEEN 1 AND 500),
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX comments_of_photo ON comments (photo_id, created_at, id);
        CREATE INDEX comments_of_event ON comments (event_id, created_at, id);

        -- How many each photo has, for photos that had some.
        CREATE TABLE photo_reactions (
            photo_id TEXT PRIMARY KEY REFERENCES photos (id) ON DELETE CASCADE,
            event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            hearts   INTEGER NOT NULL DEFAULT 0 CHECK (hearts >= 0),
            comments INTEGER NOT NULL DEFAULT 0 CHECK (comments >= 0),
            -- Grows with every comment that comes or goes.
            edits    INTEGER NOT NULL DEFAULT 0,
            -- Of the change that told it last.
            stamp    INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reactions_of_event ON photo_reactions (event_id, photo_id);
        CREATE INDEX reactions_by_hearts ON photo_reactions (event_id, hearts, comments, photo_id);
        CREATE INDEX reactions_by_stamp ON photo_reactions (event_id, stamp);

        CREATE TRIGGER heart_given AFTER INSERT ON hearts BEGIN
            INSERT INTO photo_reactions (photo_id, event_id, hearts) VALUES (new.photo_id, new.event_id, 1)
                ON CONFLICT (photo_id) DO UPDATE SET hearts = photo_reactions.hearts + 1;
        END;
        CREATE TRIGGER heart_gone AFTER DELETE ON hearts BEGIN
            UPDATE photo_reactions SET hearts = hearts - 1 WHERE photo_id = old.photo_id;
        END;
        CREATE TRIGGER comment_made AFTER INSERT ON comments BEGIN
            INSERT INTO photo_reactions (photo_id, event_id, comments) VALUES (new.photo_id, new.event_id, 1)
                ON CONFLICT (photo_id) DO UPDATE SET comments = photo_reactions.comments + 1;
        END;
        CREATE TRIGGER comment_gone AFTER DELETE ON comments BEGIN
            UPDATE photo_reactions SET comments = comments - 1 WHERE photo_id = old.photo_id;
        END;

        """
}
