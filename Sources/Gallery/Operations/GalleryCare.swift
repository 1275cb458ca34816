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

    /// So many objects are listed at a time.
    private static let page = 1000

    /// Rows against objects, and these against rows. Photos come and go while it looks, so that what seems wrong is looked at
    /// once more at the end.
    package static func check(database path: String, _ objects: any ObjectList) async throws -> Report {
        let database = try Connection.openForReading(path: path, GallerySchema.migrations)
        var report = Report()
        report.problems = try database.problems()
        var wanted = try database.wantedObjects()
        report.photos = wanted.count / 3
        let known = try database.passingObjects()
        var unknown: [String] = []
        var last: String?
        while let page = Optional(try await objects.list(after: last, limit: page)), let end = page.last {
            for object in page {
                report.objects += 1
                guard let expected = wanted.removeValue(forKey: object.key) else {
                    report.strays += 1
                    if !known.contains(object.key) { unknown.append(object.key) }
                    continue
                }
                if object.size != expected.size {
                    report.problems.append(
                        "photo \(expected.photo): its object \(object.key) has \(object.size) bytes instead of \(expected.size)"
                    )
                }
            }
            last = end.key
        }
        for key in unknown {
            guard try !database.refers(to: key), try await isThere(key, objects) else { continue }
            report.problems.append("object \(key) belongs to nothing; it may be removed by hand")
        }
        for (key, photo) in wanted.sorted(by: { $0.key < $1.key }) where try database.has(photo: photo.photo)
        {
            report.problems.append(
                "photo \(photo.photo): its object \(key) is missing; put it back from a backup, or delete the photo"
            )
        }
        return report
    }

    private static func isThere(_ key: String, _ objects: any ObjectList) async throws -> Bool {
        // Sixteen keys at the most differ from it only at their end.
        try await objects.list(after: String(key.dropLast()), limit: 16).contains { $0.key == key }
    }
}

extension Connection {
    /// What photos lie at: an original and two renditions each.
    fileprivate func wantedObjects() throws -> [String: (photo: String, size: UInt64)] {
        var wanted: [String: (photo: String, size: UInt64)] = [:]
        try each(
            "SELECT id, original_key, size, thumb_key, thumb_size, screen_key, screen_size FROM photos WHERE deleted_at IS NULL"
        ) { row in
            let id = try row.get(0, as: String.self)
            for column: Int32 in [1, 3, 5] { wanted[try row.get(column)] = (id, try row.get(column + 1)) }
        }
        return wanted
    }

    /// What may lie there for a while: uploads under way, and what is to be removed.
    fileprivate func passingObjects() throws -> Set<String> {
        try Set(
            all("SELECT object_key FROM places UNION SELECT object_key FROM removals") {
                try $0.get(0, as: String.self)
            })
    }

    fileprivate func refers(to key: String) throws -> Bool {
        try first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM places WHERE object_key = ?1)
                OR EXISTS (SELECT 1 FROM removals WHERE object_key = ?1)
                OR EXISTS (SELECT 1 FROM photos WHERE (original_key = ?1 OR thumb_key = ?1 OR screen_key = ?1) AND deleted_at IS NULL)
            """, key
        ) { _ in true } ?? false
    }

    fileprivate func has(photo id: String) throws -> Bool {
        try first("SELECT 1 FROM photos WHERE id = ? AND deleted_at IS NULL", id) { _ in true } ?? false
    }
}
