/// Uploads that come in pieces (tus 1.0.0). Each is an upload like others, with its place; here is how far it has come.
extension GallerySchema {
    static let tus = """
        CREATE TABLE tus_uploads (
            upload_id    TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
            -- So many bytes lie in the storage.
            received     INTEGER NOT NULL DEFAULT 0 CHECK (received >= 0),
            -- As it came, for clients that ask what an upload is.
            metadata     TEXT NOT NULL CHECK (length(metadata) <= 4096),
            expires_at   INTEGER NOT NULL,
            -- The request that brings bytes, and until when no other may.
            holder       TEXT,
            leased_until INTEGER NOT NULL DEFAULT 0,
            -- All bytes are here, and are not one object yet.
            is_waiting   INTEGER NOT NULL DEFAULT 0 CHECK (is_waiting IN (0, 1))
        ) STRICT;
        CREATE INDEX tus_by_end ON tus_uploads (expires_at);
        CREATE INDEX tus_waiting ON tus_uploads (upload_id) WHERE is_waiting = 1;
        CREATE INDEX uploads_open ON uploads (account_id) WHERE status IN ('pending', 'expired');

        -- What each request has brought, an object of its own until all are put together.
        CREATE TABLE tus_pieces (
            object_key TEXT PRIMARY KEY,
            upload_id  TEXT NOT NULL REFERENCES tus_uploads (upload_id) ON DELETE CASCADE,
            start      INTEGER NOT NULL CHECK (start >= 0),
            size       INTEGER NOT NULL CHECK (size > 0),
            UNIQUE (upload_id, start)
        ) STRICT;

        """
}

/// The same for PostgreSQL. Programs of the version before leave these tables alone, and go on.
extension PostgresSchema {
    static let tus = """
        CREATE TABLE tus_uploads (
            upload_id    TEXT COLLATE "C" PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
            received     BIGINT NOT NULL DEFAULT 0 CHECK (received >= 0),
            metadata     TEXT NOT NULL CHECK (length(metadata) <= 4096),
            expires_at   BIGINT NOT NULL,
            holder       TEXT,
            leased_until BIGINT NOT NULL DEFAULT 0,
            is_waiting   BIGINT NOT NULL DEFAULT 0 CHECK (is_waiting IN (0, 1))
        ) WITH (fillfactor = 70);
        CREATE INDEX tus_by_end ON tus_uploads (expires_at);
        CREATE INDEX tus_waiting ON tus_uploads (upload_id) WHERE is_waiting = 1;
        CREATE INDEX uploads_open ON uploads (account_id) WHERE status IN ('pending', 'expired');

        CREATE TABLE tus_pieces (
            object_key TEXT COLLATE "C" PRIMARY KEY,
            upload_id  TEXT COLLATE "C" NOT NULL REFERENCES tus_uploads (upload_id) ON DELETE CASCADE,
            start      BIGINT NOT NULL CHECK (start >= 0),
            size       BIGINT NOT NULL CHECK (size > 0),
            UNIQUE (upload_id, start)
        );

        """
}
