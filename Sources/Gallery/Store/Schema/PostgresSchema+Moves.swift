/// What is known of a gallery that is being moved here. See ``MoveLog``.
extension PostgresSchema {
    static let moves = """
        CREATE TABLE moves (
            -- Says which gallery it is, wherever its folder lies.
            source      TEXT COLLATE "C" PRIMARY KEY,
            -- Where it lay, for messages.
            place       TEXT NOT NULL,
            begun_at    BIGINT NOT NULL,
            -- With these words the source is closed once all of it is here, so that it is known what it was closed for.
            closing     TEXT,
            finished_at BIGINT
        );

        -- Objects that were read back at their new place and found to be what they were at the old; until the move ends.
        CREATE TABLE moved_objects (
            object_key TEXT COLLATE "C" PRIMARY KEY,
            size       BIGINT NOT NULL,
            -- Compared with that of photos, which is of this collation.
            sha256     TEXT COLLATE "C" NOT NULL
        );

        """
}
