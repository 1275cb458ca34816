/// What is taken became a matter of the event and not of the process.
extension Schema {
    static let version4 = """
        -- When an event's photos are taken.
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
        CREATE INDEX windows_event ON windows (event_id);
        -- A bridge takes photos into one event at a time.
        CREATE UNIQUE INDEX windows_open ON windows (closed_at IS NULL) WHERE closed_at IS NULL;

        -- Times inside a window in which no run was alive for long.
        CREATE TABLE absences (
            id        INTEGER PRIMARY KEY,
            window_id INTEGER NOT NULL REFERENCES windows (id),
            from_at   INTEGER NOT NULL,
            until_at  INTEGER NOT NULL,
            verdict   TEXT CHECK (verdict IN ('taken', 'declined'))
        ) STRICT;
        CREATE INDEX absences_window ON absences (window_id);

        -- Where both lie on each body's own clock, as its first connection showed, in seconds.
        CREATE TABLE window_clocks (
            window_id  INTEGER NOT NULL REFERENCES windows (id),
            camera_id  INTEGER NOT NULL REFERENCES cameras (id),
            begins     INTEGER,
            ends       INTEGER,
            -- By how many seconds the clock was ahead of UTC; none where it is by what the card held.
            difference INTEGER,
            PRIMARY KEY (window_id, camera_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE absence_clocks (
            absence_id INTEGER NOT NULL REFERENCES absences (id),
            camera_id  INTEGER NOT NULL REFERENCES cameras (id),
            begins     INTEGER,
            ends       INTEGER,
            difference INTEGER,
            PRIMARY KEY (absence_id, camera_id)
        ) STRICT, WITHOUT ROWID;

        -- Why photos were passed over, counted for status and reports.
        CREATE INDEX captures_filtered ON captures (event_id, reason) WHERE state = 'filtered';

        -- Events of before began with their first photo, or with the session that was cut off. The latest is open still; what
        -- fell between its runs is looked at again.
        INSERT INTO windows (event_id, opened_at, since, since_said, closed_at, alive_at)
        SELECT event_id, min(first, coalesce(session, first)), 'begin', last + 1, iif(place = 1, NULL, last), last
        FROM (
            SELECT c.event_id, min(c.announced_at) AS first,
                max(max(c.announced_at), coalesce(max(c.staged_at), 0)) AS last,
                (SELECT CAST(value AS INTEGER) FROM state WHERE key = 'session.' || c.event_id) AS session,
                row_number() OVER (ORDER BY max(c.id) DESC) AS place
            FROM captures c GROUP BY c.event_id
        ) ORDER BY place DESC;
        """
}
