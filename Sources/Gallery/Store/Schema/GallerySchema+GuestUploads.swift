/// What guests bring themselves.
extension GallerySchema {
    static let guestUploads = """
        ALTER TABLE events ADD COLUMN allows_guest_uploads INTEGER NOT NULL DEFAULT 0
            CHECK (allows_guest_uploads IN (0, 1));
        ALTER TABLE events ADD COLUMN guest_uploads_moderated INTEGER NOT NULL DEFAULT 1
            CHECK (guest_uploads_moderated IN (0, 1));
        -- None for the usual number.
        ALTER TABLE events ADD COLUMN guest_upload_credits INTEGER CHECK (guest_upload_credits >= 0);
        ALTER TABLE events ADD COLUMN guest_credits_spent INTEGER NOT NULL DEFAULT 0 CHECK (guest_credits_spent >= 0);

        -- Of a guest's photo: empty where none was given, none where the photo is the host's.
        ALTER TABLE photos ADD COLUMN guest_name TEXT CHECK (length(guest_name) <= 50);
        -- Its host has not decided on it. It counts as long as the photo is hidden, since older programs only show it.
        ALTER TABLE photos ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1));
        CREATE INDEX photos_waiting ON photos (event_id, place DESC, sequence DESC)
            WHERE waiting = 1 AND hidden = 1 AND deleted_at IS NULL;

        CREATE TABLE guest_uploads (
            upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
            event_id  TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
            -- As its cookie calls it.
            device    TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
            name      TEXT NOT NULL CHECK (length(name) <= 50),
            begun_at  INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX uploads_of_guest ON guest_uploads (event_id, device, begun_at, upload_id);

        """
}
