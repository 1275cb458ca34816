/// How each camera's photos stand, at a glance.
extension Schema {
    static let version8 = """
        -- Deliveries of each camera's photos by their state, as counts has them for the whole event: counted by triggers,
        -- because a hundred thousand jobs are not counted at each look.
        CREATE TABLE camera_counts (
            event_id  TEXT NOT NULL,
            camera_id INTEGER NOT NULL,
            state     TEXT NOT NULL,
            number    INTEGER NOT NULL DEFAULT 0 CHECK (number >= 0),
            PRIMARY KEY (event_id, camera_id, state)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO camera_counts (event_id, camera_id, state, number)
        SELECT j.event_id, c.camera_id, iif(j.cancelled, 'cancelled', j.state) AS counted, count(*)
        FROM upload_jobs j JOIN captures c ON c.id = j.capture_id WHERE c.camera_id IS NOT NULL
        GROUP BY j.event_id, c.camera_id, counted;

        CREATE TRIGGER camera_counts_inserted AFTER INSERT ON upload_jobs BEGIN
        \(countingCamera("NEW", "+"))
        END;
        CREATE TRIGGER camera_counts_updated AFTER UPDATE OF state, cancelled, event_id, capture_id ON upload_jobs
        WHEN iif(OLD.cancelled, 'cancelled', OLD.state) <> iif(NEW.cancelled, 'cancelled', NEW.state)
            OR OLD.event_id <> NEW.event_id OR OLD.capture_id <> NEW.capture_id BEGIN
        \(countingCamera("OLD", "-"))
        \(countingCamera("NEW", "+"))
        END;
        CREATE TRIGGER camera_counts_deleted AFTER DELETE ON upload_jobs BEGIN
        \(countingCamera("OLD", "-"))
        END;
        -- A photo that is found to be another body's takes its deliveries along.
        CREATE TRIGGER camera_counts_moved AFTER UPDATE OF camera_id ON captures
        WHEN OLD.camera_id IS NOT NEW.camera_id BEGIN
        \(movingCamera("OLD", "-"))
        \(movingCamera("NEW", "+"))
        END;
        """

    /// What was found in the spool without a row has no camera.
    private static func countingCamera(_ row: String, _ sign: String) -> String {
        """
        INSERT INTO camera_counts (event_id, camera_id, state, number)
        SELECT \(row).event_id, camera_id, iif(\(row).cancelled, 'cancelled', \(row).state), 1 FROM captures
        WHERE id = \(row).capture_id AND camera_id IS NOT NULL
        ON CONFLICT DO UPDATE SET number = number \(sign) 1;
        """
    }

    private static func movingCamera(_ row: String, _ sign: String) -> String {
        """
        INSERT INTO camera_counts (event_id, camera_id, state, number)
        SELECT event_id, \(row).camera_id, iif(cancelled, 'cancelled', state), count(*) FROM upload_jobs
        WHERE capture_id = NEW.id AND \(row).camera_id IS NOT NULL GROUP BY 1, 3
        ON CONFLICT DO UPDATE SET number = number \(sign) excluded.number;
        """
    }
}
