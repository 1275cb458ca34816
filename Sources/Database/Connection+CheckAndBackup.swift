import CSQLite

extension Connection {
    /// What SQLite finds wrong with the file, a sentence each; empty when all is well. Reads all of it.
    public func problems(isQuick: Bool = false, limit: Int = 100) throws -> [String] {
        let pragma = isQuick ? "quick_check" : "integrity_check"
        var found = try all("PRAGMA \(pragma)(\(limit))") { row in
            try row.get(0, as: String.self)
        }
        found.removeAll { $0 == "ok" }
        if !found.isEmpty, let failure = diskFailure(sql: nil) { throw failure }
        found += try all("PRAGMA foreign_key_check") { row in
            "a row of \(try row.get(0, as: String.self)) belongs to a row of "
                + "\(try row.get(2, as: String.self)) that is not there"
        }
        return found
    }

    /// Copies the database as it is now into another file, with SQLite's own online backup: writers go on meanwhile,
    /// and the copy is of one moment.
    public func backUp(to destination: String) throws {
        let copy = try Connection(path: destination, .readWrite)
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.error(sql: nil)
        }
        // All in one step: a reader of a WAL database blocks no writer.
        let step = sqlite3_backup_step(backup, -1)
        let finish = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, finish == SQLITE_OK else {
            let code = step == SQLITE_DONE ? finish : step
            throw DatabaseError(
                ResultCode(rawValue: code),
                "the backup could not be written: \(String(cString: sqlite3_errstr(code)))",
                path: destination)
        }
        // A backup is one file: the copied header still says WAL.
        try copy.script("PRAGMA journal_mode = DELETE")
    }
}
