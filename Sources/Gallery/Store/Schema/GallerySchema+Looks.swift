/// What an event looks like, as its host has chosen.
extension GallerySchema {
    /// `cover_photo` refers to a photo without saying so to the database: whether guests see that photo is asked for each time.
    static let looks = """
        ALTER TABLE events ADD COLUMN cover_photo TEXT CHECK (length(cover_photo) = 36);
        -- "#rrggbb", in small letters.
        ALTER TABLE events ADD COLUMN accent TEXT CHECK (length(accent) = 7 AND accent LIKE '#%');
        ALTER TABLE events ADD COLUMN theme TEXT NOT NULL DEFAULT 'auto' CHECK (theme IN ('light', 'dark', 'auto'));
        ALTER TABLE events ADD COLUMN typeface TEXT NOT NULL DEFAULT 'classic' CHECK (length(typeface) BETWEEN 1 AND 20);
        -- An object in the storage, and what is said of it.
        ALTER TABLE events ADD COLUMN logo_key    TEXT CHECK (length(logo_key) = 32);
        ALTER TABLE events ADD COLUMN logo_size   INTEGER CHECK (logo_size > 0);
        ALTER TABLE events ADD COLUMN logo_width  INTEGER CHECK (logo_width > 0);
        ALTER TABLE events ADD COLUMN logo_height INTEGER CHECK (logo_height > 0);
        CREATE UNIQUE INDEX event_of_logo ON events (logo_key) WHERE logo_key IS NOT NULL;

        """
}

/// The same for PostgreSQL. Programs of the version before go on: all of it is empty, or has a value, where they write.
extension PostgresSchema {
    static let looks = """
        ALTER TABLE events ADD COLUMN cover_photo TEXT COLLATE "C" CHECK (length(cover_photo) = 36),
            ADD COLUMN accent TEXT CHECK (length(accent) = 7 AND accent LIKE '#%'),
            ADD COLUMN theme TEXT NOT NULL DEFAULT 'auto' CHECK (theme IN ('light', 'dark', 'auto')),
            ADD COLUMN typeface TEXT NOT NULL DEFAULT 'classic' CHECK (length(typeface) BETWEEN 1 AND 20),
            ADD COLUMN logo_key TEXT COLLATE "C" CHECK (length(logo_key) = 32),
            ADD COLUMN logo_size BIGINT CHECK (logo_size > 0),
            ADD COLUMN logo_width BIGINT CHECK (logo_width > 0),
            ADD COLUMN logo_height BIGINT CHECK (logo_height > 0);
        CREATE UNIQUE INDEX event_of_logo ON events (logo_key) WHERE logo_key IS NOT NULL;

        """
}
