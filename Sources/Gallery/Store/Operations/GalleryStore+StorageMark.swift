import Database

/// Which place the photos are put to, where nodes share a database: by its mark, which the first node has noted. It stands
/// among what one does for all, because this is what one place does, and for ever.
extension GalleryStore {
    private static var duty: String { "to keep photos" }

    /// Nothing before a node has noted one.
    func storageMark() throws -> String? {
        try database.first("SELECT worker FROM duties WHERE name = ?", Self.duty) { try $0["worker"] }
    }

    /// The mark that is noted then: the first stays, unless it is replaced.
    func note(storageMark mark: String, replaces: Bool) throws -> String? {
        let known = replaces ? "UPDATE SET worker = excluded.worker" : "NOTHING"
        try database.run(
            """
            INSERT INTO duties (name, worker, leased_until) VALUES (?, ?, \(Int64.max))
                ON CONFLICT (name) DO \(known)
            """, Self.duty, mark)
        return try storageMark()
    }
}
