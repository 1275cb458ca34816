/// What caches outside are to be told to forget.
extension GallerySchema {
    static let purges = """
        -- Images that everybody could see and guests may see no more. Caches are told of each twice.
        CREATE TABLE purges (
            object_key TEXT PRIMARY KEY,
            -- When it was taken back; later, where that was done again.
            noted_at   INTEGER NOT NULL,
            due_at     INTEGER NOT NULL,
            tries      INTEGER NOT NULL DEFAULT 0,
            told       INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1))
        ) STRICT;
        CREATE INDEX purges_by_time ON purges (due_at);

        -- One row: until when they are written down, since somebody tells caches.
        CREATE TABLE purging (wanted_until INTEGER NOT NULL) STRICT;
        INSERT INTO purging VALUES (0);

        """
}
