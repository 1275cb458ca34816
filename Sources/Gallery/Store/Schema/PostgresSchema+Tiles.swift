/// The same for PostgreSQL.
extension PostgresSchema {
    static let tiles = """
        ALTER TABLE photos ADD COLUMN tile_key TEXT COLLATE "C" CHECK (length(tile_key) = 32),
            ADD COLUMN tile_size BIGINT CHECK (tile_size > 0),
            ADD COLUMN tile_width BIGINT CHECK (tile_width > 0);
        CREATE UNIQUE INDEX tiles_by_key ON photos (tile_key) WHERE tile_key IS NOT NULL;

        -- A program of the version before knows no tiles. What it deletes would leave the tile in the store for good, and a
        -- cache outside would keep what it hides. Not while a gallery is moved here: what is due comes with it.
        CREATE FUNCTION is_being_moved() RETURNS BOOLEAN LANGUAGE sql STABLE AS
            $$ SELECT EXISTS (SELECT 1 FROM moves WHERE finished_at IS NULL) $$;

        -- Row by row: a statement of a trigger is planned for what its session saw first, and tables of what has changed are
        -- joined by loops then, which takes minutes for an event of ten thousand.
        CREATE FUNCTION tile_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NOT is_being_moved() THEN
                INSERT INTO removals (object_key, due_at)
                    VALUES (OLD.tile_key, least(NEW.deleted_at, NEW.updated_at))
                    ON CONFLICT (object_key) DO NOTHING;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER tile_deleted AFTER UPDATE OF deleted_at ON photos FOR EACH ROW
            WHEN (OLD.tile_key IS NOT NULL AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
            EXECUTE FUNCTION tile_deleted();

        CREATE FUNCTION tiles_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NOT is_being_moved() THEN
                INSERT INTO removals (object_key, due_at)
                    SELECT tile_key, updated_at FROM stale WHERE deleted_at IS NULL AND tile_key IS NOT NULL
                    ON CONFLICT (object_key) DO NOTHING;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER tiles_removed AFTER DELETE ON photos REFERENCING OLD TABLE AS stale
            FOR EACH STATEMENT EXECUTE FUNCTION tiles_removed();

        -- By the index of photos, also where there were few when the statement was planned; and never compiled, which takes
        -- longer than any of these.
        CREATE FUNCTION tiles_taken_back() RETURNS trigger LANGUAGE plpgsql
            SET enable_seqscan = off SET jit = off AS $$ BEGIN
            IF NOT is_being_moved() THEN
                INSERT INTO purges (object_key, noted_at, due_at)
                    SELECT p.tile_key, f.noted_at, f.due_at FROM fresh AS f CROSS JOIN LATERAL
                            (SELECT tile_key FROM photos WHERE thumb_key = f.object_key OFFSET 0) AS p
                        WHERE p.tile_key IS NOT NULL
                    ON CONFLICT (object_key) DO UPDATE
                        SET noted_at = excluded.noted_at, due_at = excluded.due_at, told = 0
                        WHERE purges.noted_at < excluded.noted_at;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER tiles_taken_back AFTER INSERT ON purges REFERENCING NEW TABLE AS fresh
            FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION tiles_taken_back();

        CREATE FUNCTION tile_taken_back_again() RETURNS trigger LANGUAGE plpgsql
            SET enable_seqscan = off SET jit = off AS $$ BEGIN
            IF NOT is_being_moved() THEN
                INSERT INTO purges (object_key, noted_at, due_at)
                    SELECT p.tile_key, NEW.noted_at, NEW.due_at
                        FROM (SELECT tile_key FROM photos WHERE thumb_key = NEW.object_key OFFSET 0) AS p
                        WHERE p.tile_key IS NOT NULL
                    ON CONFLICT (object_key) DO UPDATE
                        SET noted_at = excluded.noted_at, due_at = excluded.due_at, told = 0
                        WHERE purges.noted_at < excluded.noted_at;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER tile_taken_back_again AFTER UPDATE OF noted_at ON purges FOR EACH ROW
            WHEN (pg_trigger_depth() = 0 AND OLD.noted_at <> NEW.noted_at) EXECUTE FUNCTION tile_taken_back_again();

        """
}
