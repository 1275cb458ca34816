/// What cameras of every kind, and cameras that misbehave, added.
extension Schema {
    static let version3 = """
        -- How the camera called it in that connection, in the words of the camera's driver: not every camera has numbers.
        DROP INDEX captures_handle;
        ALTER TABLE captures ADD COLUMN reference TEXT;
        UPDATE captures SET reference = printf('0x%08X', handle) WHERE handle IS NOT NULL;
        ALTER TABLE captures DROP COLUMN handle;
        CREATE UNIQUE INDEX captures_reference ON captures (connection, reference) WHERE connection IS NOT NULL;

        -- What the camera calls it for ever, where it has such a name.
        ALTER TABLE captures ADD COLUMN stable_id TEXT;
        CREATE INDEX captures_stable ON captures (event_id, camera_id, stable_id) WHERE stable_id IS NOT NULL;

        -- Why a person should look at it.
        ALTER TABLE captures ADD COLUMN doubts TEXT CHECK (length(doubts) BETWEEN 1 AND 100);

        -- What it has cost: connections that ended over it, bytes, milliseconds.
        ALTER TABLE captures ADD COLUMN cost_connections INTEGER NOT NULL DEFAULT 0 CHECK (cost_connections >= 0);
        ALTER TABLE captures ADD COLUMN cost_bytes INTEGER NOT NULL DEFAULT 0 CHECK (cost_bytes >= 0);
        ALTER TABLE captures ADD COLUMN cost_ms INTEGER NOT NULL DEFAULT 0 CHECK (cost_ms >= 0);

        -- What was learned of a body: driver, port, pairing, how it differs from others.
        ALTER TABLE cameras ADD COLUMN learned TEXT CHECK (learned IS NULL OR json_valid(learned));
        """
}
