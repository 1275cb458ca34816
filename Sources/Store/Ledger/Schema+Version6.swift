/// Destinations that an event has no more.
extension Schema {
    static let version6 = """
        -- Since when nothing goes there any more. What was delivered there stays known.
        ALTER TABLE destinations ADD COLUMN removed_at INTEGER;
        -- What stands in its place: what was delivered to the one counts as delivered to the other.
        ALTER TABLE destinations ADD COLUMN replaced_by INTEGER REFERENCES destinations (id)
            CHECK (replaced_by IS NULL OR (removed_at IS NOT NULL AND replaced_by <> id));
        """
}
