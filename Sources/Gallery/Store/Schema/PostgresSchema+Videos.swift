/// Photos that move.
extension PostgresSchema {
    static let videos = """
        ALTER TABLE photos ADD COLUMN stream_key TEXT,
            ADD COLUMN stream_size BIGINT CHECK (stream_size > 0),
            ADD COLUMN stream_crc BIGINT CHECK (stream_crc BETWEEN 0 AND 4294967295),
            ADD COLUMN duration BIGINT CHECK (duration >= 0),
            ADD COLUMN has_poster BIGINT NOT NULL DEFAULT 1 CHECK (has_poster IN (0, 1));
        CREATE UNIQUE INDEX videos_by_key ON photos (stream_key) WHERE stream_key IS NOT NULL;

        """
}
