/// What a search looks through. See ``SearchBlock``.
extension GallerySchema {
    static let search = """
        -- Photos that their block does not tell the truth about, or that are in none yet. A search looks at them one by one.
        CREATE TABLE photos_to_index (
            event_id TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (event_id, sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER photo_to_index AFTER INSERT ON photos BEGIN
            INSERT OR IGNORE INTO photos_to_index (event_id, sequence) VALUES (new.event_id, new.sequence);
        END;
        CREATE TRIGGER photo_to_index_again AFTER UPDATE OF caption, filename, tags, camera, shown_at, captured_at,
            created_at, rating, hidden, deleted_at ON photos BEGIN
            INSERT OR IGNORE INTO photos_to_index (event_id, sequence) VALUES (new.event_id, new.sequence);
        END;
        CREATE TRIGGER photo_to_index_no_more AFTER DELETE ON photos BEGIN
            INSERT OR IGNORE INTO photos_to_index (event_id, sequence) VALUES (old.event_id, old.sequence);
        END;
        INSERT INTO photos_to_index (event_id, sequence) SELECT event_id, sequence FROM photos WHERE deleted_at IS NULL;

        CREATE TABLE search_blocks (
            id          INTEGER PRIMARY KEY,
            event_id    TEXT NOT NULL,
            number      INTEGER NOT NULL,
            -- Of its photos.
            first_place INTEGER NOT NULL,
            last_place  INTEGER NOT NULL,
            UNIQUE (event_id, number)
        ) STRICT;
        -- In a table of their own: which blocks may hold something is known without them.
        CREATE TABLE search_records (
            block_id INTEGER PRIMARY KEY REFERENCES search_blocks (id) ON DELETE CASCADE,
            records  BLOB NOT NULL
        ) STRICT;
        -- Of each block, by its id, the words that are in it and nothing else.
        CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', detail = none, columnsize = 0,
            tokenize = 'ascii');

        """
}
