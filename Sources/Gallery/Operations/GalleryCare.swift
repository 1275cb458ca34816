import Bridge
import Database
import Posix

/// Looking after a gallery's data, also while it serves.
package enum GalleryCare {
    package static func backUp(_ database: String, to path: String) throws {
        guard let destination = Directory.absolute(path), let end = destination.lastIndex(of: "/") else {
            throw APIError(.badRequest, "'\(path)' is no path for a backup")
        }
        let folder = try Directory(path: end == destination.startIndex ? "/" : String(destination[..<end]))
        guard try folder.facts(of: String(destination[destination.index(after: end)...])) == nil else {
            throw APIError(.conflict, "\(path) exists already; a backup is written over nothing")
        }
        try Connection.openForReading(path: database, GallerySchema.migrations).backUp(to: destination)
    }

    package struct Report: Equatable, Sendable {
        package var photos = 0
        package var objects = 0
        /// Objects that no photo has: uploads that are not finished, and what the sweeper has not come to.
        package var strays = 0
        package var problems: [String] = []
    }

    /// Rows against the objects in a folder, and these against rows.
    package static func check(database: String, objects: String) throws -> Report {
        let folder = try ObjectFolder(path: objects, onlyLooks: true)
        return try check(database, { try folder.keys(after: $0, limit: 1000) }, { try folder.size(of: $0) })
    }

    private static func check(
        _ path: String, _ list: (String?) throws -> [String], _ size: (String) throws -> UInt64?
    ) throws -> Report {
        let database = try Connection.openForReading(path: path, GallerySchema.migrations)
        var report = Report()
        report.problems = try database.problems()
        var wanted: [String: (photo: String, size: UInt64)] = [:]
        try database.each(
            "SELECT id, original_key, size, thumb_key, thumb_size, screen_key, screen_size FROM photos WHERE deleted_at IS NULL"
        ) { row in
            report.photos += 1
            let id = try row.get(0, as: String.self)
            for column: Int32 in [1, 3, 5] { wanted[try row.get(column)] = (id, try row.get(column + 1)) }
        }
        let known = try Set(
            database.all("SELECT object_key FROM places UNION SELECT object_key FROM removals") {
                try $0.get(0, as: String.self)
            })
        var last: String?
        while true {
            let keys = try list(last)
            for key in keys {
                report.objects += 1
                guard let expected = wanted.removeValue(forKey: key) else {
                    report.strays += 1
                    if !known.contains(key) {
                        report.problems.append("object \(key) belongs to nothing; it may be removed by hand")
                    }
                    continue
                }
                let found = try size(key)
                if found != expected.size {
                    report.problems.append(
                        "photo \(expected.photo): its object \(key) has \(found.map { "\($0)" } ?? "no") bytes "
                            + "instead of \(expected.size)")
                }
            }
            guard let end = keys.last else { break }
            last = end
        }
        for (key, photo) in wanted.sorted(by: { $0.key < $1.key }) {
            report.problems.append(
                "photo \(photo.photo): its object \(key) is missing; put it back from a backup, or delete the photo"
            )
        }
        return report
    }
}
