import Database

/// A gallery's tables in a file of SQLite. Nothing else in the gallery names that engine.
enum SQLiteGallery {
    static func open(_ path: String) throws -> any SQLSession {
        try Connection.open(path: path, GallerySchema.migrations)
    }

    /// Beside a writer or alone.
    static func openForReading(_ path: String) throws -> any SQLSession {
        try Connection.openForReading(path: path, GallerySchema.migrations)
    }

    /// The blocks of some 200,000 photos and their words are read again and again. The library's own limit is two megabytes.
    static func openForSearching(_ path: String) throws -> any SQLSession {
        let connection = try Connection.openForReading(path: path, GallerySchema.migrations)
        try connection.script("PRAGMA cache_size = -32768")
        return connection
    }

    static func backUp(_ path: String, to destination: String) throws {
        try Connection.openForReading(path: path, GallerySchema.migrations).backUp(to: destination)
    }

    /// What is wrong with the file itself; reads all of it.
    static func problems(_ path: String) throws -> [String] {
        try Connection.openForReading(path: path, GallerySchema.migrations).problems()
    }

    /// Its rows are elsewhere from now on. No program opens it, whatever its age, until it is reopened.
    static func close(_ path: String, because reason: String) throws {
        try Connection.close(path: path, GallerySchema.migrations, because: reason)
    }

    /// Says whether it was closed.
    static func reopen(_ path: String) throws -> Bool {
        try Connection.reopen(path: path, GallerySchema.migrations)
    }

    /// Why it is closed; nothing where it is not.
    static func closure(_ path: String) throws -> String? {
        try Connection.closure(path: path, GallerySchema.migrations)
    }
}
