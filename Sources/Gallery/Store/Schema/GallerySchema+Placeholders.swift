/// What stands for a picture until that has come.
extension GallerySchema {
    static let placeholders = """
        -- Four by four pixels: blue, green and red of each, from the bottom row up. None of photos from before there were any.
        ALTER TABLE photos ADD COLUMN placeholder BLOB CHECK (length(placeholder) = 48);

        """
}

/// The same for PostgreSQL. A program of the version before leaves it empty, and pages do without.
extension PostgresSchema {
    static let placeholders = """
        -- Not held against the rows that are there: all nodes would wait for that, and they have none.
        ALTER TABLE photos ADD COLUMN placeholder BYTEA,
            ADD CONSTRAINT photos_placeholder_check CHECK (length(placeholder) = 48) NOT VALID;

        """
}
