/// The same for PostgreSQL. Programs of the version before go on: what is new has no value where they write, and the counts
/// are right whichever program writes.
extension PostgresSchema {
    static let version6 = """
        DROP TRIGGER upload_counted ON uploads;
        CREATE FUNCTION counts_as_failed(status TEXT, code TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
            $$ SELECT (status = 'failed' AND code <> 'DISMISSED')::int::bigint $$;
        CREATE OR REPLACE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            more_open   BIGINT := 0;
            more_failed BIGINT := 0;
            event       TEXT;
        BEGIN
            IF tg_op <> 'DELETE' THEN
                event := new.event_id;
                more_open := is_open(new.status);
                more_failed := counts_as_failed(new.status, new.error_code);
            END IF;
            IF tg_op <> 'INSERT' THEN
                event := old.event_id;
                more_open := more_open - is_open(old.status);
                more_failed := more_failed - counts_as_failed(old.status, old.error_code);
            END IF;
            IF more_open <> 0 OR more_failed <> 0 THEN
                UPDATE event_counts SET pending = pending + more_open, failed = failed + more_failed
                    WHERE event_id = event;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER upload_counted AFTER INSERT OR DELETE OR UPDATE OF status, error_code ON uploads
            FOR EACH ROW EXECUTE FUNCTION count_upload();
        DROP FUNCTION has_failed(TEXT);

        ALTER TABLE photos ADD COLUMN original_crc BIGINT CHECK (original_crc BETWEEN 0 AND 4294967295),
            ADD COLUMN screen_crc BIGINT CHECK (screen_crc BETWEEN 0 AND 4294967295);
        """
}
