CREATE TRIGGER comment_gone AFTER DELETE ON comments BEGIN
    UPDATE photo_reactions SET comments = comments - 1 WHERE photo_id = old.photo_id;
END;
CREATE TRIGGER comment_made AFTER INSERT ON comments BEGIN
    INSERT INTO photo_reactions (photo_id, event_id, comments) VALUES (new.photo_id, new.event_id, 1)
        ON CONFLICT (photo_id) DO UPDATE SET comments = photo_reactions.comments + 1;
END;
CREATE TRIGGER event_made AFTER INSERT ON events BEGIN
    INSERT INTO event_counts (event_id) VALUES (new.id);
END;
CREATE TRIGGER heart_given AFTER INSERT ON hearts BEGIN
    INSERT INTO photo_reactions (photo_id, event_id, hearts) VALUES (new.photo_id, new.event_id, 1)
        ON CONFLICT (photo_id) DO UPDATE SET hearts = photo_reactions.hearts + 1;
END;
CREATE TRIGGER heart_gone AFTER DELETE ON hearts BEGIN
    UPDATE photo_reactions SET hearts = hearts - 1 WHERE photo_id = old.photo_id;
END;
CREATE TRIGGER photo_changed AFTER UPDATE OF deleted_at, hidden ON photos BEGIN
    UPDATE event_counts SET
        photos = photos + (new.deleted_at IS NULL) - (old.deleted_at IS NULL),
        bytes = bytes + new.size * ((new.deleted_at IS NULL) - (old.deleted_at IS NULL)),
        visible = visible + (new.deleted_at IS NULL AND new.hidden = 0)
            - (old.deleted_at IS NULL AND old.hidden = 0)
        WHERE event_id = new.event_id;
END;
CREATE TRIGGER photo_gone AFTER DELETE ON photos WHEN old.deleted_at IS NULL BEGIN
    UPDATE event_counts SET photos = photos - 1, bytes = bytes - old.size, visible = visible - (old.hidden = 0)
        WHERE event_id = old.event_id;
END;
CREATE TRIGGER photo_made AFTER INSERT ON photos WHEN new.deleted_at IS NULL BEGIN
    UPDATE event_counts SET photos = photos + 1, bytes = bytes + new.size, visible = visible + (new.hidden = 0)
        WHERE event_id = new.event_id;
END;
CREATE TRIGGER photo_sorted AFTER INSERT ON photo_albums BEGIN
    UPDATE photo_albums SET place = coalesce(p.captured_at, p.created_at), sequence = p.sequence,
        shown = p.hidden = 0 AND p.deleted_at IS NULL FROM photos AS p
        WHERE p.id = new.photo_id AND photo_id = new.photo_id AND album_id = new.album_id;
END;
CREATE TRIGGER photo_sorted_anew AFTER UPDATE OF captured_at, hidden, deleted_at ON photos
    WHEN new.captured_at IS NOT old.captured_at OR new.hidden <> old.hidden
        OR new.deleted_at IS NOT old.deleted_at BEGIN
    UPDATE photo_albums SET place = coalesce(new.captured_at, new.created_at),
        shown = new.hidden = 0 AND new.deleted_at IS NULL WHERE photo_id = new.id;
END;
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
CREATE TRIGGER upload_changed AFTER UPDATE OF status, error_code ON uploads BEGIN
    UPDATE event_counts SET
        pending = pending + (new.status IN ('pending', 'processing')) - (old.status IN ('pending', 'processing')),
        failed = failed + (new.status = 'failed' AND new.error_code <> 'DISMISSED')
            - (old.status = 'failed' AND old.error_code <> 'DISMISSED') WHERE event_id = new.event_id;
END;
CREATE TRIGGER upload_gone AFTER DELETE ON uploads BEGIN
    UPDATE event_counts SET pending = pending - (old.status IN ('pending', 'processing')),
        failed = failed - (old.status = 'failed' AND old.error_code <> 'DISMISSED')
        WHERE event_id = old.event_id;
END;
CREATE TRIGGER upload_made AFTER INSERT ON uploads BEGIN
    UPDATE event_counts SET pending = pending + (new.status IN ('pending', 'processing')),
        failed = failed + (new.status = 'failed' AND new.error_code <> 'DISMISSED')
        WHERE event_id = new.event_id;
END;
CREATE TABLE accounts (
    id              TEXT PRIMARY KEY CHECK (length(id) = 36),
    -- In lower case: one account for each.
    email           TEXT NOT NULL UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
    display_name    TEXT NOT NULL CHECK (length(display_name) BETWEEN 1 AND 100),
    password_hash   TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    -- None for unlimited.
    credits         INTEGER CHECK (credits >= 0),
    consent_version INTEGER,
    consented_at    INTEGER
, stamp INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE albums (
    id         TEXT PRIMARY KEY CHECK (length(id) = 36),
    event_id   TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    owner_id   TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    position   INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    stamp      INTEGER NOT NULL
) STRICT;
CREATE TABLE cameras (
    id        TEXT PRIMARY KEY CHECK (length(id) = 36),
    event_id  TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    make      TEXT NOT NULL,
    model     TEXT NOT NULL,
    -- Empty where the body does not say it.
    serial    TEXT NOT NULL,
    -- In order of their first photos.
    number    INTEGER NOT NULL,
    -- Seconds that the host adds to its clock.
    shift     INTEGER,
    -- What its first photos say of the event's zone, in minutes, and how well they know; 1 is best.
    hint      INTEGER,
    hint_rank INTEGER,
    UNIQUE (event_id, make, model, serial)
) STRICT;
CREATE TABLE comments (
    id         TEXT PRIMARY KEY CHECK (length(id) = 36),
    photo_id   TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
    event_id   TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    device     TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    words      TEXT NOT NULL CHECK (length(words) BETWEEN 1 AND 500),
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE download_days (
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    -- Since 1970, in UTC.
    day      INTEGER NOT NULL CHECK (day >= 0),
    kind     TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
    times    INTEGER NOT NULL DEFAULT 0 CHECK (times >= 0),
    photos   INTEGER NOT NULL DEFAULT 0 CHECK (photos >= 0),
    bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    PRIMARY KEY (event_id, day, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE download_guests (
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    -- As its cookie calls it; empty for all that have none, or came when there were as many as there may be.
    device   TEXT NOT NULL CHECK (length(device) <= 64),
    -- As it gives hearts and writes comments, whose names are its name.
    author   TEXT CHECK (length(author) BETWEEN 1 AND 64),
    -- What hosts call it: in the order in which they came.
    number   INTEGER NOT NULL CHECK (number >= 0),
    times    INTEGER NOT NULL DEFAULT 0 CHECK (times >= 0),
    bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    last_day INTEGER NOT NULL CHECK (last_day >= 0),
    PRIMARY KEY (event_id, device)
) STRICT, WITHOUT ROWID;
CREATE TABLE download_photos (
    photo_id TEXT PRIMARY KEY REFERENCES photos (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    times    INTEGER NOT NULL DEFAULT 0 CHECK (times >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE event_counts (
    event_id TEXT PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    photos   INTEGER NOT NULL DEFAULT 0 CHECK (photos >= 0),
    bytes    INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    -- Those that are not hidden, which is what guests count.
    visible  INTEGER NOT NULL DEFAULT 0 CHECK (visible >= 0),
    pending  INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
    failed   INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0)
, sequence INTEGER NOT NULL DEFAULT 0, arrival INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE events (
    id               TEXT PRIMARY KEY CHECK (length(id) = 36),
    owner_id         TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name             TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    slug             TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 3 AND 100),
    starts_at        INTEGER,
    expires_at       INTEGER,
    -- Whoever has the address of the page may look; otherwise only with the PIN.
    pin_hash         TEXT,
    allows_originals INTEGER NOT NULL DEFAULT 0 CHECK (allows_originals IN (0, 1)),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    deleted_at       INTEGER,
    stamp            INTEGER NOT NULL
, guest_key BLOB CHECK (length(guest_key) = 16), time_zone TEXT CHECK (length(time_zone) BETWEEN 1 AND 64), guessed_offset INTEGER CHECK (guessed_offset BETWEEN -720 AND 840), lasts INTEGER GENERATED ALWAYS AS (expires_at - starts_at) VIRTUAL CHECK (lasts > 0), allows_hearts INTEGER NOT NULL DEFAULT 0 CHECK (allows_hearts IN (0, 1)), allows_comments INTEGER NOT NULL DEFAULT 0 CHECK (allows_comments IN (0, 1)), cover_photo TEXT CHECK (length(cover_photo) = 36), accent TEXT CHECK (length(accent) = 7 AND accent LIKE '#%'), theme TEXT NOT NULL DEFAULT 'auto' CHECK (theme IN ('light', 'dark', 'auto')), typeface TEXT NOT NULL DEFAULT 'classic' CHECK (length(typeface) BETWEEN 1 AND 20), logo_key    TEXT CHECK (length(logo_key) = 32), logo_size   INTEGER CHECK (logo_size > 0), logo_width  INTEGER CHECK (logo_width > 0), logo_height INTEGER CHECK (logo_height > 0), allows_guest_uploads INTEGER NOT NULL DEFAULT 0
    CHECK (allows_guest_uploads IN (0, 1)), guest_uploads_moderated INTEGER NOT NULL DEFAULT 1
    CHECK (guest_uploads_moderated IN (0, 1)), guest_upload_credits INTEGER CHECK (guest_upload_credits >= 0), guest_credits_spent INTEGER NOT NULL DEFAULT 0 CHECK (guest_credits_spent >= 0)) STRICT;
CREATE TABLE guest_uploads (
    upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
    event_id  TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    -- As its cookie calls it.
    device    TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
    name      TEXT NOT NULL CHECK (length(name) <= 50),
    begun_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE hearts (
    photo_id TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
    -- As its cookie calls it.
    device   TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 64),
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    given_at INTEGER NOT NULL,
    PRIMARY KEY (photo_id, device)
) STRICT, WITHOUT ROWID;
CREATE TABLE invitations (
    -- SHA-256; the code itself is nowhere.
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
    -- How many accounts may still be made with it.
    uses       INTEGER NOT NULL CHECK (uses >= 0),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE password_links (
    -- SHA-256; the link itself is nowhere.
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Or printed for the operator.
    is_mailed  INTEGER NOT NULL CHECK (is_mailed IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT;
CREATE TABLE photo_albums (
    photo_id TEXT NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
    album_id TEXT NOT NULL REFERENCES albums (id) ON DELETE CASCADE, place    INTEGER NOT NULL DEFAULT 0, sequence INTEGER NOT NULL DEFAULT 0, shown    INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1)),
    PRIMARY KEY (photo_id, album_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE photo_reactions (
    photo_id TEXT PRIMARY KEY REFERENCES photos (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    hearts   INTEGER NOT NULL DEFAULT 0 CHECK (hearts >= 0),
    comments INTEGER NOT NULL DEFAULT 0 CHECK (comments >= 0),
    -- Grows with every comment that comes or goes.
    edits    INTEGER NOT NULL DEFAULT 0,
    -- Of the change that told it last.
    stamp    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE "photos" (
    id              TEXT PRIMARY KEY CHECK (length(id) = 36),
    event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    owner_id        TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Grows with every photo of the event: what has a higher one came later.
    sequence        INTEGER NOT NULL,
    sha256          TEXT NOT NULL CHECK (length(sha256) = 64),
    content_type    TEXT NOT NULL,
    size            INTEGER NOT NULL CHECK (size > 0),
    width           INTEGER NOT NULL CHECK (width > 0),
    height          INTEGER NOT NULL CHECK (height > 0),
    filename        TEXT,
    source          TEXT,
    camera          TEXT,
    copyright       TEXT,
    captured_at     INTEGER,
    created_at      INTEGER NOT NULL,
    thumb_key       TEXT NOT NULL UNIQUE,
    screen_key      TEXT NOT NULL UNIQUE,
    original_key    TEXT NOT NULL UNIQUE,
    thumb_size      INTEGER NOT NULL,
    screen_size     INTEGER NOT NULL,
    thumb_width     INTEGER NOT NULL,
    thumb_height    INTEGER NOT NULL,
    caption         TEXT NOT NULL DEFAULT '' CHECK (length(caption) <= 2000),
    rating          INTEGER NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5),
    -- JSON: ["a", "b"].
    tags            TEXT NOT NULL DEFAULT '[]',
    hidden          INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
    updated_at      INTEGER NOT NULL,
    deleted_at      INTEGER,
    stamp           INTEGER NOT NULL,
    camera_id       TEXT REFERENCES cameras (id),
    clock           INTEGER,
    clock_offset    INTEGER,
    satellites      INTEGER,
    claimed_at      INTEGER,
    clock_ahead     INTEGER,
    captured_offset INTEGER,
    shown_at        INTEGER,
    is_unread       INTEGER NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1)),
    place           INTEGER GENERATED ALWAYS AS (coalesce(captured_at, created_at)) VIRTUAL, original_crc INTEGER CHECK (original_crc BETWEEN 0 AND 4294967295), screen_crc   INTEGER CHECK (screen_crc BETWEEN 0 AND 4294967295), stream_key TEXT, stream_size INTEGER CHECK (stream_size > 0), stream_crc INTEGER CHECK (stream_crc BETWEEN 0 AND 4294967295), duration INTEGER CHECK (duration >= 0), has_poster INTEGER NOT NULL DEFAULT 1 CHECK (has_poster IN (0, 1)), guest_name TEXT CHECK (length(guest_name) <= 50), waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1)), tile_key TEXT CHECK (length(tile_key) = 32), tile_size INTEGER CHECK (tile_size > 0), tile_width INTEGER CHECK (tile_width > 0), placeholder BLOB CHECK (length(placeholder) = 48),
    UNIQUE (event_id, sequence)
) STRICT;
CREATE TABLE photos_to_index (
    event_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (event_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE places (
    object_key TEXT PRIMARY KEY,
    upload_id  TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
, number INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE purges (
    object_key TEXT PRIMARY KEY,
    -- When it was taken back; later, where that was done again.
    noted_at   INTEGER NOT NULL,
    due_at     INTEGER NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    told       INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1))
) STRICT;
CREATE TABLE purging (wanted_until INTEGER NOT NULL) STRICT;
CREATE TABLE refresh_tokens (
    -- SHA-256; the token itself is nowhere.
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
    family_id  TEXT NOT NULL REFERENCES token_families (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    spent_at   INTEGER,
    -- When it, or the access token that came with it, was first used.
    used_at    INTEGER,
    UNIQUE (family_id, number)
) STRICT;
CREATE TABLE reminders (
    event_id   TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    stage      TEXT NOT NULL CHECK (length(stage) BETWEEN 1 AND 32),
    -- The end that it is about: of another one the host is told anew.
    expires_at INTEGER NOT NULL,
    -- Until then one node is at it, or waits after a failure.
    due_at     INTEGER NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    told_at    INTEGER,
    PRIMARY KEY (event_id, stage)
) STRICT, WITHOUT ROWID;
CREATE TABLE removals (
    object_key TEXT PRIMARY KEY,
    due_at     INTEGER NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE search_blocks (
    id          INTEGER PRIMARY KEY,
    event_id    TEXT NOT NULL,
    number      INTEGER NOT NULL,
    -- Of its photos.
    first_place INTEGER NOT NULL,
    last_place  INTEGER NOT NULL,
    UNIQUE (event_id, number)
) STRICT;
CREATE TABLE search_records (
    block_id INTEGER PRIMARY KEY REFERENCES search_blocks (id) ON DELETE CASCADE,
    records  BLOB NOT NULL
) STRICT;
CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', detail = none, columnsize = 0,
    tokenize = 'ascii');
CREATE TABLE 'search_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'search_words_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'search_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE token_families (
    id         TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
, device TEXT CHECK (length(device) <= 200)) STRICT;
CREATE TABLE tus_pieces (
    object_key TEXT PRIMARY KEY,
    upload_id  TEXT NOT NULL REFERENCES tus_uploads (upload_id) ON DELETE CASCADE,
    start      INTEGER NOT NULL CHECK (start >= 0),
    size       INTEGER NOT NULL CHECK (size > 0),
    UNIQUE (upload_id, start)
) STRICT;
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
CREATE TABLE uploads (
    id              TEXT PRIMARY KEY CHECK (length(id) = 36),
    account_id      TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    idempotency_key TEXT,
    -- Of what was asked with that key, so that another question with it is told.
    request_hash    BLOB NOT NULL CHECK (length(request_hash) = 32),
    content_type    TEXT NOT NULL,
    content_length  INTEGER NOT NULL CHECK (content_length > 0),
    sha256          TEXT CHECK (length(sha256) = 64),
    filename        TEXT,
    captured_at     INTEGER,
    source          TEXT,
    status          TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'expired')),
    -- Where the bytes lie that are being worked on.
    object_key      TEXT,
    error_code      TEXT,
    error_message   TEXT,
    -- Starts of the renderer that did not come to an end.
    starts          INTEGER NOT NULL DEFAULT 0,
    -- In order of arrival of the bytes.
    arrival         INTEGER,
    photo_id        TEXT,
    expires_at      INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER, clock_ahead INTEGER, worker TEXT, leased_until INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account_id, idempotency_key),
    CHECK ((status = 'failed') = (error_code IS NOT NULL)),
    CHECK ((status = 'completed') = (photo_id IS NOT NULL)),
    CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
    CHECK (status <> 'processing' OR object_key IS NOT NULL AND arrival IS NOT NULL)
) STRICT;
CREATE INDEX albums_by_stamp ON albums (owner_id, stamp);
CREATE INDEX albums_of_event ON albums (event_id, position, id) WHERE deleted_at IS NULL;
CREATE INDEX comments_of_device ON comments (event_id, device, created_at);
CREATE INDEX comments_of_event ON comments (event_id, created_at, id);
CREATE INDEX comments_of_photo ON comments (photo_id, created_at, id);
CREATE INDEX downloads_by_times ON download_photos (event_id, times, photo_id);
CREATE UNIQUE INDEX event_of_logo ON events (logo_key) WHERE logo_key IS NOT NULL;
CREATE INDEX events_by_end ON events (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX events_by_stamp ON events (owner_id, stamp);
CREATE INDEX events_of_owner ON events (owner_id, created_at);
CREATE INDEX families_of_account ON token_families (account_id);
CREATE INDEX hearts_of_device ON hearts (event_id, device, given_at);
CREATE INDEX links_of_account ON password_links (account_id, created_at);
CREATE UNIQUE INDEX photo_once ON photos (event_id, sha256) WHERE deleted_at IS NULL;
CREATE INDEX photos_by_stamp ON photos (owner_id, stamp);
CREATE INDEX photos_by_time ON photos (event_id, place DESC, sequence DESC) WHERE deleted_at IS NULL;
CREATE INDEX photos_of_camera ON photos (camera_id);
CREATE INDEX photos_of_section ON photo_albums (album_id, place DESC, sequence DESC) WHERE shown = 1;
CREATE INDEX photos_unread ON photos (event_id, sequence) WHERE is_unread = 1 AND deleted_at IS NULL;
CREATE INDEX photos_waiting ON photos (event_id, place DESC, sequence DESC)
    WHERE waiting = 1 AND hidden = 1 AND deleted_at IS NULL;
CREATE INDEX places_by_end ON places (expires_at);
CREATE INDEX places_of_upload ON places (upload_id, expires_at);
CREATE INDEX purges_by_time ON purges (due_at);
CREATE INDEX reactions_by_hearts ON photo_reactions (event_id, hearts, comments, photo_id);
CREATE INDEX reactions_by_stamp ON photo_reactions (event_id, stamp);
CREATE INDEX reactions_of_event ON photo_reactions (event_id, photo_id);
CREATE INDEX removals_by_time ON removals (due_at);
CREATE UNIQUE INDEX tiles_by_key ON photos (tile_key) WHERE tile_key IS NOT NULL;
CREATE INDEX tus_by_end ON tus_uploads (expires_at);
CREATE INDEX tus_waiting ON tus_uploads (upload_id) WHERE is_waiting = 1;
CREATE INDEX uploads_of_event ON uploads (event_id, created_at DESC, id);
CREATE INDEX uploads_of_guest ON guest_uploads (event_id, device, begun_at, upload_id);
CREATE INDEX uploads_open ON uploads (account_id) WHERE status IN ('pending', 'expired');
CREATE INDEX uploads_to_expire ON uploads (expires_at) WHERE status = 'pending';
CREATE INDEX uploads_to_process ON uploads (arrival) WHERE status = 'processing';
CREATE UNIQUE INDEX videos_by_key ON photos (stream_key) WHERE stream_key IS NOT NULL;
