/// What uploading to galleries and buckets added.
extension Schema {
    static let version2 = """
        -- What was agreed with a destination about this photo: a gallery's place, a multipart upload.
        ALTER TABLE upload_jobs ADD COLUMN note TEXT CHECK (note IS NULL OR json_valid(note));
        -- Taken back by the operator.
        ALTER TABLE upload_jobs ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0
            CHECK (cancelled IN (0, 1) AND (cancelled = 0 OR state = 'failedPermanent'));
        -- When it should be there.
        ALTER TABLE upload_jobs ADD COLUMN deadline_at INTEGER
            CHECK (kind <> 'gallery' OR note IS NOT NULL
                OR state NOT IN ('presigned', 'uploading', 'uploadedAwaitingProcessing'));

        -- Since when every job of it is completed or taken back, and at least one is completed.
        ALTER TABLE captures ADD COLUMN settled_at INTEGER CHECK (settled_at IS NULL OR state = 'staged');
        -- When its file was removed from the spool, because it had been delivered.
        ALTER TABLE captures ADD COLUMN removed_at INTEGER CHECK (removed_at IS NULL OR settled_at IS NOT NULL);
        CREATE INDEX captures_removable ON captures (settled_at)
            WHERE settled_at IS NOT NULL AND removed_at IS NULL;
        UPDATE captures SET settled_at = (SELECT max(completed_at) FROM upload_jobs WHERE capture_id = captures.id)
            WHERE state = 'staged'
                AND EXISTS (SELECT 1 FROM upload_jobs WHERE capture_id = captures.id)
                AND NOT EXISTS (SELECT 1 FROM upload_jobs WHERE capture_id = captures.id AND state <> 'completed');

        CREATE INDEX upload_jobs_sent ON upload_jobs (destination_id, id)
            WHERE claimed = 0 AND state = 'uploadedAwaitingProcessing';

        -- What is still to be sent to other programs.
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
        CREATE INDEX webhooks_due ON webhooks (due_at) WHERE gave_up = 0;

        DROP TRIGGER upload_jobs_inserted;
        DROP TRIGGER upload_jobs_updated;
        DROP TRIGGER upload_jobs_deleted;
        """
        + counting("upload_jobs", subject: "job", size: "size", watching: "state, cancelled") { row in
            // What the operator took back is neither failed nor open.
            "iif(\(row).cancelled, 'cancelled', \(row).state)"
        }

    /// Triggers that keep the counts of one table. `counted` says under which word a row of it counts.
    static func counting(
        _ table: String, subject: String, size: String, watching: String = "state",
        counted: (String) -> String = { "\($0).state" }
    ) -> String {
        func change(_ row: String, _ sign: String) -> String {
            """
            INSERT INTO counts (event_id, subject, state, number, bytes)
            VALUES (\(row).event_id, '\(subject)', \(counted(row)), 1, \(row).\(size))
            ON CONFLICT DO UPDATE SET number = number \(sign) 1, bytes = bytes \(sign) excluded.bytes;
            """
        }
        let differs =
            "\(counted("OLD")) <> \(counted("NEW")) OR OLD.\(size) <> NEW.\(size) OR OLD.event_id <> NEW.event_id"
        return """

            CREATE TRIGGER \(table)_inserted AFTER INSERT ON \(table) BEGIN
            \(change("NEW", "+"))
            END;
            CREATE TRIGGER \(table)_updated AFTER UPDATE OF \(watching), \(size), event_id ON \(table)
            WHEN \(differs) BEGIN
            \(change("OLD", "-"))
            \(change("NEW", "+"))
            END;
            CREATE TRIGGER \(table)_deleted AFTER DELETE ON \(table) BEGIN
            \(change("OLD", "-"))
            END;

            """
    }
}
