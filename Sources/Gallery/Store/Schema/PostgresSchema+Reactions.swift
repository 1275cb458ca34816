/// The same for PostgreSQL. Programs of the version before go on: their events take no hearts and no comments.
extension PostgresSchema {
    static let reactions = """
        ALTER TABLE events
            ADD COLUMN allows_hearts BIGINT NOT NULL DEFAULT 0 CHECK (allows_hearts IN (0, 1)),
            ADD COLUMN allows_comments BIGINT NOT NULL DEFAULT 0 CHECK (allows_comments IN (0, 1));

        CREATE TABLE hearts (
            photo_id TEXT COLLATE "C" NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            device   TEXT COLLATE "C" NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
            event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            given_at BIGINT NOT NULL,
            PRIMARY KEY (photo_id, device)
        );
        CREATE INDEX hearts_of_device ON hearts (event_id, device, given_at);

        CREATE TABLE comments (
            id         TEXT COLLATE "C" PRIMARY KEY CHECK (length(id) = 36),
            photo_id   TEXT COLLATE "C" NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
            event_id   TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            device     TEXT COLLATE "C" NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
            name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
            words      TEXT NOT NULL CHECK (length(words) BETWEEN 1 AND 500),
            created_at BIGINT NOT NULL
        );
        CREATE INDEX comments_of_photo ON comments (photo_id, created_at, id);
        CREATE INDEX comments_of_event ON comments (event_id, created_at, id);

        CREATE TABLE photo_reactions (
            photo_id TEXT COLLATE "C" PRIMARY KEY REFERENCES photos (id) ON DELETE CASCADE,
            event_id TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            hearts   BIGINT NOT NULL DEFAULT 0 CHECK (hearts >= 0),
            comments BIGINT NOT NULL DEFAULT 0 CHECK (comments >= 0),
            edits    BIGINT NOT NULL DEFAULT 0,
            stamp    BIGINT NOT NULL DEFAULT 0
        ) WITH (fillfactor = 70);
        CREATE INDEX reactions_of_event ON photo_reactions (event_id, photo_id);
        CREATE INDEX reactions_by_hearts ON photo_reactions (event_id, hearts, comments, photo_id);
        CREATE INDEX reactions_by_stamp ON photo_reactions (event_id, stamp);

        -- Once for each statement, and in one order, so that no two wait for each other in a circle.
        CREATE FUNCTION hearts_given() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO photo_reactions (photo_id, event_id, hearts)
                SELECT photo_id, event_id, count(*) FROM fresh GROUP BY photo_id, event_id ORDER BY photo_id
                ON CONFLICT (photo_id) DO UPDATE SET hearts = photo_reactions.hearts + excluded.hearts;
            RETURN NULL;
        END $$;
        CREATE FUNCTION hearts_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE photo_reactions AS r SET hearts = r.hearts - gone.count
                FROM (SELECT photo_id, count(*) AS count FROM stale GROUP BY photo_id) AS gone
                WHERE r.photo_id = gone.photo_id;
            RETURN NULL;
        END $$;
        CREATE FUNCTION comments_made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO photo_reactions (photo_id, event_id, comments)
                SELECT photo_id, event_id, count(*) FROM fresh GROUP BY photo_id, event_id ORDER BY photo_id
                ON CONFLICT (photo_id) DO UPDATE SET comments = photo_reactions.comments + excluded.comments;
            RETURN NULL;
        END $$;
        CREATE FUNCTION comments_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE photo_reactions AS r SET comments = r.comments - gone.count
                FROM (SELECT photo_id, count(*) AS count FROM stale GROUP BY photo_id) AS gone
                WHERE r.photo_id = gone.photo_id;
            RETURN NULL;
        END $$;
        CREATE TRIGGER heart_given AFTER INSERT ON hearts
            REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION hearts_given();
        CREATE TRIGGER heart_gone AFTER DELETE ON hearts
            REFERENCING OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION hearts_gone();
        CREATE TRIGGER comment_made AFTER INSERT ON comments
            REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION comments_made();
        CREATE TRIGGER comment_gone AFTER DELETE ON comments
            REFERENCING OLD TABLE AS stale FOR EACH STATEMENT EXECUTE FUNCTION comments_gone();

        """
}
