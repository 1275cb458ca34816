import Database

/// The tables of a gallery's copy, as SQL that is only ever appended to.
enum CopySchema {
    /// "TLGC" in ASCII.
    static let migrations = Migrations(
        applicationID: 0x544C_4743, steps: [version1],
        advice: OpeningAdvice(
            goElsewhere: "remove this file; the gallery has all but the edits that were not sent",
            update: "tetherline run",
            withoutIt: "; it is made anew from the gallery, without the edits that were not sent"))

    static let version1 = """
        -- An event at a gallery.
        CREATE TABLE places (
            id         INTEGER PRIMARY KEY,
            server     TEXT NOT NULL,
            event      TEXT NOT NULL,
            -- Whose log-in the records were told to, by the gallery's id of the account.
            account    TEXT,
            -- Everything up to it has been told; none before the first exchange.
            stamp      INTEGER,
            -- By our clock: the last exchange that went well, and since when there is none.
            synced_at  INTEGER,
            problem    TEXT,
            problem_at INTEGER,
            CHECK ((problem IS NULL) = (problem_at IS NULL)),
            UNIQUE (server, event)
        ) STRICT;

        CREATE TABLE records (
            place      INTEGER NOT NULL REFERENCES places (id),
            kind       TEXT NOT NULL CHECK (kind IN ('event', 'album', 'photo')),
            id         TEXT NOT NULL,
            updated_at INTEGER NOT NULL,
            deleted_at INTEGER,
            -- A photo's file name, an album's or an event's name.
            name       TEXT,
            -- JSON with the gallery's names for everything; none once it is deleted.
            content    TEXT,
            CHECK ((deleted_at IS NULL) = (content IS NOT NULL)),
            PRIMARY KEY (place, kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX records_by_name ON records (place, kind, name COLLATE NOCASE) WHERE name IS NOT NULL;

        -- What was edited here and is not settled: on its way, or not taken.
        CREATE TABLE edits (
            -- Never given twice: an operator names edits by it.
            id       INTEGER PRIMARY KEY AUTOINCREMENT,
            place    INTEGER NOT NULL REFERENCES places (id),
            kind     TEXT NOT NULL CHECK (kind IN ('album', 'photo')),
            record   TEXT,
            -- The ledger's row of a photo that came by this bridge.
            capture  INTEGER,
            edit     TEXT NOT NULL,
            made_at  INTEGER NOT NULL,
            floor    INTEGER,
            stamp    INTEGER,
            is_ahead INTEGER NOT NULL DEFAULT 0 CHECK (is_ahead IN (0, 1)),
            -- Why it was not taken; none while it waits.
            cause    TEXT CHECK (cause IN ('newer', 'deleted', 'refused')),
            words    TEXT,
            ended_at INTEGER,
            CHECK (record IS NOT NULL OR capture IS NOT NULL),
            CHECK ((cause IS NULL) = (ended_at IS NULL))
        ) STRICT;
        CREATE INDEX edits_by_record ON edits (place, kind, record, id);
        CREATE INDEX edits_by_capture ON edits (place, capture) WHERE capture IS NOT NULL;
        """
}
