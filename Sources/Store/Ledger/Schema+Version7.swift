/// Bodies that bear one serial number.
extension Schema {
    static let version7 = """
        -- What the body that showed it called itself on the wire: nothing for what an older version took.
        ALTER TABLE captures ADD COLUMN wire_id TEXT CHECK (length(wire_id) BETWEEN 1 AND 100);
        """
}
