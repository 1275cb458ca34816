/// The same for PostgreSQL.
extension PostgresSchema {
    static let guestUploads = """
        ALTER TABLE events
            ADD COLUMN allows_guest_uploads BIGINT NOT NULL DEFAULT 0 CHECK (allows_guest_uploads IN (0, 1)),
            ADD COLUMN guest_uploads_moderated BIGINT NOT NULL DEFAULT 1 CHECK (guest_uploads_moderated IN (0, 1)),
            ADD COLUMN guest_upload_credits BIGINT CHECK (guest_upload_credits >= 0),
            ADD COLUMN guest_credits_spent BIGINT NOT NULL DEFAULT 0 CHECK (guest_credits_spent >= 0);

        ALTER TABLE photos
            ADD COLUMN guest_name TEXT CHECK (length(guest_name) <= 50),
            ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1));
        CREATE INDEX photos_waiting ON photos (event_id, place DESC, sequence DESC)
            WHERE waiting = 1 AND hidden = 1 AND deleted_at IS NULL;

        CREATE TABLE guest_uploads (
            upload_id TEXT COLLATE "C" PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
            event_id  TEXT COLLATE "C" NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            device    TEXT COLLATE "C" NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
            name      TEXT NOT NULL CHECK (length(name) <= 50),
            begun_at  BIGINT NOT NULL
        );
        CREATE INDEX uploads_of_guest ON guest_uploads (event_id, device, begun_at, upload_id);

        -- A program of the version before knows no guests' uploads, and would show at once what they bring, at no expense of
        -- theirs. Its work on one fails, and may be tried again.
        CREATE FUNCTION guest_photo_unnamed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF EXISTS (SELECT 1 FROM places AS p JOIN guest_uploads AS g ON g.upload_id = p.upload_id
                WHERE p.object_key = NEW.original_key) THEN
                RAISE EXCEPTION 'what guests bring is for a newer version of the program';
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER guest_photo_unnamed BEFORE INSERT ON photos
            FOR EACH ROW WHEN (NEW.guest_name IS NULL) EXECUTE FUNCTION guest_photo_unnamed();

        """
}
