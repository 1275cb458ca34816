/// What a camera's clock was wrong by became a fact of each photo, for galleries that show when it was taken; and what was
/// delivered again keeps what had been acknowledged before.
extension Schema {
    static let version5 = """
        -- By how many seconds the camera's clock was ahead of UTC when the photo was staged, where it tells its time.
        ALTER TABLE captures ADD COLUMN clock_ahead INTEGER;

        -- What a destination had acknowledged of a photo before it was sent there once more.
        CREATE TABLE earlier_deliveries (
            id             INTEGER PRIMARY KEY,
            capture_id     INTEGER NOT NULL REFERENCES captures (id),
            destination_id INTEGER NOT NULL REFERENCES destinations (id),
            -- The delivery's own key; the one that follows has another.
            key            TEXT NOT NULL UNIQUE,
            receipt        TEXT NOT NULL CHECK (json_valid(receipt)),
            completed_at   INTEGER NOT NULL,
            -- Why it was sent again, and when that was wanted.
            reason         TEXT NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
            repeated_at    INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX earlier_deliveries_photo ON earlier_deliveries (capture_id, destination_id, id);
        """
}
