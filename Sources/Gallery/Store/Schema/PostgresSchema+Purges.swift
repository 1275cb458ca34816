/// What caches outside are to be told to forget.
extension PostgresSchema {
    static let purges = """
        CREATE TABLE purges (
            object_key TEXT COLLATE "C" PRIMARY KEY,
            noted_at   BIGINT NOT NULL,
            due_at     BIGINT NOT NULL,
            tries      BIGINT NOT NULL DEFAULT 0,
            told       BIGINT NOT NULL DEFAULT 0 CHECK (told IN (0, 1))
        );
        CREATE INDEX purges_by_time ON purges (due_at);

        CREATE TABLE purging (wanted_until BIGINT NOT NULL);
        INSERT INTO purging VALUES (0);

        """
}
