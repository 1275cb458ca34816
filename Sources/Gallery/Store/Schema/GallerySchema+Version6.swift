/// What archives need to go on from any place, and uploads that failed and were dismissed.
extension GallerySchema {
    static let version6 = checksums + dismissals

    private static let checksums = """
        -- CRC-32, which stands in an archive before and behind a file's bytes. None for photos from before it was kept, until
        -- an archive has made it out of their bytes.
        ALTER TABLE photos ADD COLUMN original_crc INTEGER CHECK (original_crc BETWEEN 0 AND 4294967295);
        ALTER TABLE photos ADD COLUMN screen_crc   INTEGER CHECK (screen_crc BETWEEN 0 AND 4294967295);

        """

    /// They are told as failed to the client that asks, and are counted no more.
    private static let dismissals = """
        DROP TRIGGER upload_made;
        DROP TRIGGER upload_changed;
        DROP TRIGGER upload_gone;
        CREATE TRIGGER upload_made AFTER INSERT ON uploads BEGIN
            UPDATE event_counts SET pending = pending + (new.status IN ('pending', 'processing')),
                failed = failed + (new.status = 'failed' AND new.error_code <> 'DISMISSED')
                WHERE event_id = new.event_id;
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
        """
}
