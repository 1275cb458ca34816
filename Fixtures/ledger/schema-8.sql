CREATE TRIGGER camera_counts_deleted AFTER DELETE ON upload_jobs BEGIN
INSERT INTO camera_counts (event_id, camera_id, state, number)
SELECT OLD.event_id, camera_id, iif(OLD.cancelled, 'cancelled', OLD.state), 1 FROM captures
WHERE id = OLD.capture_id AND camera_id IS NOT NULL
ON CONFLICT DO UPDATE SET number = number - 1;
END;
CREATE TRIGGER camera_counts_inserted AFTER INSERT ON upload_jobs BEGIN
INSERT INTO camera_counts (event_id, camera_id, state, number)
SELECT NEW.event_id, camera_id, iif(NEW.cancelled, 'cancelled', NEW.state), 1 FROM captures
WHERE id = NEW.capture_id AND camera_id IS NOT NULL
ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER camera_counts_moved AFTER UPDATE OF camera_id ON captures
WHEN OLD.camera_id IS NOT NEW.camera_id BEGIN
INSERT INTO camera_counts (event_id, camera_id, state, number)
SELECT event_id, OLD.camera_id, iif(cancelled, 'cancelled', state), count(*) FROM upload_jobs
WHERE capture_id = NEW.id AND OLD.camera_id IS NOT NULL GROUP BY 1, 3
ON CONFLICT DO UPDATE SET number = number - excluded.number;
INSERT INTO camera_counts (event_id, camera_id, state, number)
SELECT event_id, NEW.camera_id, iif(cancelled, 'cancelled', state), count(*) FROM upload_jobs
WHERE capture_id = NEW.id AND NEW.camera_id IS NOT NULL GROUP BY 1, 3
ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER camera_counts_updated AFTER UPDATE OF state, cancelled, event_id, capture_id ON upload_jobs
WHEN iif(OLD.cancelled, 'cancelled', OLD.state) <> iif(NEW.cancelled, 'cancelled', NEW.state)
    OR OLD.event_id <> NEW.event_id OR OLD.capture_id <> NEW.capture_id BEGIN
INSERT INTO camera_counts (event_id, camera_id, state, number)
SELECT OLD.event_id, camera_id, iif(OLD.cancelled, 'cancelled', OLD.state), 1 FROM captures
WHERE id = OLD.capture_id AND camera_id IS NOT NULL
ON CONFLICT DO UPDATE SET number = number - 1;
INSERT INTO camera_counts (event_id, camera_id, state, number)
SELECT NEW.event_id, camera_id, iif(NEW.cancelled, 'cancelled', NEW.state), 1 FROM captures
WHERE id = NEW.capture_id AND camera_id IS NOT NULL
ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER captures_deleted AFTER DELETE ON captures BEGIN
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (OLD.event_id, 'capture', OLD.state, 1, OLD.size)
ON CONFLICT DO UPDATE SET number = number - 1, bytes = bytes - excluded.bytes;
END;
CREATE TRIGGER captures_inserted AFTER INSERT ON captures BEGIN
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (NEW.event_id, 'capture', NEW.state, 1, NEW.size)
ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER captures_updated AFTER UPDATE OF state, size, event_id ON captures
WHEN OLD.state <> NEW.state OR OLD.size <> NEW.size OR OLD.event_id <> NEW.event_id BEGIN
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (OLD.event_id, 'capture', OLD.state, 1, OLD.size)
ON CONFLICT DO UPDATE SET number = number - 1, bytes = bytes - excluded.bytes;
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (NEW.event_id, 'capture', NEW.state, 1, NEW.size)
ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER upload_jobs_deleted AFTER DELETE ON upload_jobs BEGIN
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (OLD.event_id, 'job', iif(OLD.cancelled, 'cancelled', OLD.state), 1, OLD.size)
ON CONFLICT DO UPDATE SET number = number - 1, bytes = bytes - excluded.bytes;
END;
CREATE TRIGGER upload_jobs_inserted AFTER INSERT ON upload_jobs BEGIN
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (NEW.event_id, 'job', iif(NEW.cancelled, 'cancelled', NEW.state), 1, NEW.size)
ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER upload_jobs_updated AFTER UPDATE OF state, cancelled, size, event_id ON upload_jobs
WHEN iif(OLD.cancelled, 'cancelled', OLD.state) <> iif(NEW.cancelled, 'cancelled', NEW.state) OR OLD.size <> NEW.size OR OLD.event_id <> NEW.event_id BEGIN
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (OLD.event_id, 'job', iif(OLD.cancelled, 'cancelled', OLD.state), 1, OLD.size)
ON CONFLICT DO UPDATE SET number = number - 1, bytes = bytes - excluded.bytes;
INSERT INTO counts (event_id, subject, state, number, bytes)
VALUES (NEW.event_id, 'job', iif(NEW.cancelled, 'cancelled', NEW.state), 1, NEW.size)
ON CONFLICT DO UPDATE SET number = number + 1, bytes = bytes + excluded.bytes;
END;
CREATE TABLE absence_clocks (
    absence_id INTEGER NOT NULL REFERENCES absences (id),
    camera_id  INTEGER NOT NULL REFERENCES cameras (id),
    begins     INTEGER,
    ends       INTEGER,
    difference INTEGER,
    PRIMARY KEY (absence_id, camera_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE absences (
    id        INTEGER PRIMARY KEY,
    window_id INTEGER NOT NULL REFERENCES windows (id),
    from_at   INTEGER NOT NULL,
    until_at  INTEGER NOT NULL,
    verdict   TEXT CHECK (verdict IN ('taken', 'declined'))
) STRICT;
CREATE TABLE camera_counts (
    event_id  TEXT NOT NULL,
    camera_id INTEGER NOT NULL,
    state     TEXT NOT NULL,
    number    INTEGER NOT NULL DEFAULT 0 CHECK (number >= 0),
    PRIMARY KEY (event_id, camera_id, state)
) STRICT, WITHOUT ROWID;
CREATE TABLE cameras (
    id           INTEGER PRIMARY KEY,
    key          TEXT NOT NULL UNIQUE,
    manufacturer TEXT NOT NULL,
    model        TEXT NOT NULL,
    body         TEXT NOT NULL,
    address      TEXT NOT NULL,
    first_seen   INTEGER NOT NULL,
    last_seen    INTEGER NOT NULL
, learned TEXT CHECK (learned IS NULL OR json_valid(learned))) STRICT;
CREATE TABLE captures (
    id           INTEGER PRIMARY KEY,
    event_id     TEXT NOT NULL REFERENCES events (id),
    -- None for a file that was found in the spool without a row.
    camera_id    INTEGER REFERENCES cameras (id),
    -- Written when size and date are final; never for what lies in a camera's memory.
    identity     TEXT,
    -- How the camera called it, and in which connection: a hint, good for that one.
    connection   TEXT,
    in_memory    INTEGER NOT NULL CHECK (in_memory IN (0, 1)),
    slot         INTEGER NOT NULL,
    folder       TEXT NOT NULL,
    name         TEXT NOT NULL,
    stem         TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('picture', 'raw', 'other')),
    format       INTEGER NOT NULL,
    size         INTEGER NOT NULL CHECK (size >= 0),
    capture_date TEXT NOT NULL,
    taken_at     INTEGER,
    -- The RAW of a JPEG, and the other way round.
    pair_id      INTEGER REFERENCES captures (id),
    -- Counts what is taken into this event.
    seq          INTEGER,
    state        TEXT NOT NULL CHECK (state IN
        ('announced', 'filtered', 'receiving', 'staged', 'duplicate', 'lost', 'abandoned')),
    reason       TEXT,
    duplicate_of INTEGER REFERENCES captures (id),
    verified     INTEGER NOT NULL DEFAULT 0 CHECK (verified >= 0),
    boot         TEXT,
    file         TEXT,
    staged_size  INTEGER,
    sha256       TEXT CHECK (length(sha256) = 64),
    announced_at INTEGER NOT NULL,
    staged_at    INTEGER,
    deleted_at   INTEGER, settled_at INTEGER CHECK (settled_at IS NULL OR state = 'staged'), removed_at INTEGER CHECK (removed_at IS NULL OR settled_at IS NOT NULL), reference TEXT, stable_id TEXT, doubts TEXT CHECK (length(doubts) BETWEEN 1 AND 100), cost_connections INTEGER NOT NULL DEFAULT 0 CHECK (cost_connections >= 0), cost_bytes INTEGER NOT NULL DEFAULT 0 CHECK (cost_bytes >= 0), cost_ms INTEGER NOT NULL DEFAULT 0 CHECK (cost_ms >= 0), clock_ahead INTEGER, wire_id TEXT CHECK (length(wire_id) BETWEEN 1 AND 100),
    CHECK (state <> 'staged' OR
        (file IS NOT NULL AND staged_size IS NOT NULL AND sha256 IS NOT NULL AND staged_at IS NOT NULL)),
    CHECK (state <> 'duplicate' OR duplicate_of IS NOT NULL),
    CHECK (state NOT IN ('filtered', 'lost', 'abandoned') OR reason IS NOT NULL),
    CHECK (state = 'filtered' OR seq IS NOT NULL),
    CHECK (in_memory = 0 OR identity IS NULL)
) STRICT;
CREATE TABLE counts (
    event_id TEXT NOT NULL,
    subject  TEXT NOT NULL CHECK (subject IN ('capture', 'job')),
    state    TEXT NOT NULL,
    number   INTEGER NOT NULL DEFAULT 0 CHECK (number >= 0),
    bytes    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (event_id, subject, state)
) STRICT, WITHOUT ROWID;
CREATE TABLE destinations (
    id         INTEGER PRIMARY KEY,
    event_id   TEXT NOT NULL REFERENCES events (id),
    url        TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('file', 'gallery')),
    created_at INTEGER NOT NULL, removed_at INTEGER, replaced_by INTEGER REFERENCES destinations (id)
    CHECK (replaced_by IS NULL OR (removed_at IS NOT NULL AND replaced_by <> id)),
    UNIQUE (event_id, url),
    UNIQUE (id, kind)
) STRICT;
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
CREATE TABLE events (
    id         TEXT PRIMARY KEY CHECK (length(id) = 36),
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- Where it was made: here, or by a gallery.
    origin     TEXT NOT NULL CHECK (origin IN ('local', 'gallery')),
    created_at INTEGER NOT NULL,
    next_seq   INTEGER NOT NULL DEFAULT 1 CHECK (next_seq > 0)
) STRICT;
CREATE TABLE journal (
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    level      TEXT NOT NULL CHECK (level IN ('info', 'warning', 'error')),
    camera_id  INTEGER,
    capture_id INTEGER,
    job_id     INTEGER,
    text       TEXT NOT NULL
) STRICT;
CREATE TABLE state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE upload_jobs (
    id             INTEGER PRIMARY KEY,
    capture_id     INTEGER NOT NULL REFERENCES captures (id),
    destination_id INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    event_id       TEXT NOT NULL REFERENCES events (id),
    state          TEXT NOT NULL CHECK (state IN ('staged', 'presigned', 'uploading',
        'uploadedAwaitingProcessing', 'completed', 'failedRetryable', 'failedPermanent')),
    lane           INTEGER NOT NULL CHECK (lane IN (0, 1)),
    -- Goes with every request, so that a lost answer never makes a second photo.
    key            TEXT NOT NULL UNIQUE CHECK (length(key) = 36),
    attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    due_at         INTEGER NOT NULL,
    -- Taken into the window of the bridge that runs.
    claimed        INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1)),
    size           INTEGER NOT NULL CHECK (size >= 0),
    problem        TEXT,
    receipt        TEXT CHECK (receipt IS NULL OR json_valid(receipt)),
    created_at     INTEGER NOT NULL,
    completed_at   INTEGER, note TEXT CHECK (note IS NULL OR json_valid(note)), cancelled INTEGER NOT NULL DEFAULT 0
    CHECK (cancelled IN (0, 1) AND (cancelled = 0 OR state = 'failedPermanent')), deadline_at INTEGER
    CHECK (kind <> 'gallery' OR note IS NOT NULL
        OR state NOT IN ('presigned', 'uploading', 'uploadedAwaitingProcessing')),
    UNIQUE (capture_id, destination_id),
    FOREIGN KEY (destination_id, kind) REFERENCES destinations (id, kind),
    CHECK ((state = 'completed') = (receipt IS NOT NULL)),
    CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
    CHECK (state NOT IN ('failedRetryable', 'failedPermanent') OR problem IS NOT NULL),
    CHECK (kind = 'gallery' OR state NOT IN ('presigned', 'uploadedAwaitingProcessing'))
) STRICT;
CREATE TABLE webhooks (
    id         INTEGER PRIMARY KEY,
    url        TEXT NOT NULL,
    -- The same at each try, so that whoever gets it twice knows.
    key        TEXT NOT NULL UNIQUE CHECK (length(key) = 36),
    body       TEXT NOT NULL CHECK (json_valid(body)),
    attempts   INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    due_at     INTEGER NOT NULL,
    -- Given up, and why.
    problem    TEXT,
    gave_up    INTEGER NOT NULL DEFAULT 0 CHECK (gave_up IN (0, 1)),
    created_at INTEGER NOT NULL,
    CHECK (gave_up = 0 OR problem IS NOT NULL)
) STRICT;
CREATE TABLE window_clocks (
    window_id  INTEGER NOT NULL REFERENCES windows (id),
    camera_id  INTEGER NOT NULL REFERENCES cameras (id),
    begins     INTEGER,
    ends       INTEGER,
    -- By how many seconds the clock was ahead of UTC; none where it is by what the card held.
    difference INTEGER,
    PRIMARY KEY (window_id, camera_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE windows (
    id         INTEGER PRIMARY KEY,
    event_id   TEXT NOT NULL REFERENCES events (id),
    opened_at  INTEGER NOT NULL,
    -- From when on: its first run, the newest photo that was known of each camera, a second by each camera's clock,
    -- or ever.
    since      TEXT NOT NULL CHECK (since IN ('begin', 'last-seen', 'date', 'all')),
    since_at   INTEGER,
    -- When the operator last said so: what was passed over before that is looked at again.
    since_said INTEGER,
    closed_at  INTEGER,
    -- A run of it was alive then.
    alive_at   INTEGER NOT NULL,
    CHECK ((since = 'date') = (since_at IS NOT NULL))
) STRICT;
CREATE INDEX absences_window ON absences (window_id);
CREATE INDEX captures_content ON captures (event_id, sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX captures_filtered ON captures (event_id, reason) WHERE state = 'filtered';
CREATE UNIQUE INDEX captures_identity ON captures (event_id, identity) WHERE identity IS NOT NULL;
CREATE INDEX captures_newest ON captures (camera_id, taken_at);
CREATE INDEX captures_open ON captures (event_id, camera_id)
    WHERE state IN ('announced', 'receiving', 'abandoned');
CREATE INDEX captures_pairs ON captures (pair_id) WHERE pair_id IS NOT NULL;
CREATE UNIQUE INDEX captures_reference ON captures (connection, reference) WHERE connection IS NOT NULL;
CREATE INDEX captures_removable ON captures (settled_at)
    WHERE settled_at IS NOT NULL AND removed_at IS NULL;
CREATE INDEX captures_shot ON captures (event_id, camera_id, folder, stem, capture_date);
CREATE INDEX captures_stable ON captures (event_id, camera_id, stable_id) WHERE stable_id IS NOT NULL;
CREATE INDEX captures_twins ON captures (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX earlier_deliveries_photo ON earlier_deliveries (capture_id, destination_id, id);
CREATE INDEX upload_jobs_claimed ON upload_jobs (claimed) WHERE claimed = 1;
CREATE INDEX upload_jobs_due ON upload_jobs (destination_id, due_at)
    WHERE claimed = 0 AND state NOT IN ('uploading', 'uploadedAwaitingProcessing', 'completed', 'failedPermanent');
CREATE INDEX upload_jobs_failed ON upload_jobs (event_id, id) WHERE state = 'failedPermanent';
CREATE INDEX upload_jobs_sent ON upload_jobs (destination_id, id)
    WHERE claimed = 0 AND state = 'uploadedAwaitingProcessing';
CREATE INDEX upload_jobs_waiting ON upload_jobs (destination_id, state, lane, id)
    WHERE claimed = 0 AND state NOT IN ('uploading', 'uploadedAwaitingProcessing', 'completed', 'failedPermanent');
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE gave_up = 0;
CREATE INDEX windows_event ON windows (event_id);
CREATE UNIQUE INDEX windows_open ON windows (closed_at IS NULL) WHERE closed_at IS NULL;
