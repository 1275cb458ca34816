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

    static func backUp(_ path: String, to destination: String) throws {
        try Connection.openForReading(path: path, GallerySchema.migrations).backUp(to: destination)
    }

    /// What is wrong with the file itself; reads all of it.
    static func problems(_ path: String) throws -> [String] {
        try Connection.openForReading(path: path, GallerySchema.migrations).problems()
    }
}
