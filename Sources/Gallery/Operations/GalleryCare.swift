import Posix

/// Looking after a gallery's data, also while it serves.
package enum GalleryCare {
    /// What `begun` is told takes away again what was written until then, for one that is to be cut: a part of a backup is none.
    package static func backUp(
        _ database: String, to path: String,
        begun: (@escaping @Sendable () throws -> Void) -> Void = { _ in }
    ) throws {
        guard let destination = Directory.absolute(path), let end = destination.lastIndex(of: "/") else {
            throw APIError(.badRequest, "'\(path)' is no path for a backup")
        }
        let folder = try Directory(path: end == destination.startIndex ? "/" : String(destination[..<end]))
        let name = String(destination[destination.index(after: end)...])
        guard try folder.facts(of: name) == nil else {
            throw APIError(.conflict, "\(path) exists already; a backup is written over nothing")
        }
        let remove: @Sendable () throws -> Void = {
            for file in [name, "\(name)-journal"] where try folder.facts(of: file) != nil {
                try folder.remove(file)
            }
        }
        begun(remove)
        do {
            try SQLiteGallery.backUp(database, to: destination)
        } catch {
            try remove()
            throw error
        }
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
    package static func check(_ gallery: GalleryDatabase, _ objects: any ObjectList) async throws -> Report {
        let database = try GalleryObjects(gallery)
        var report = Report()
        if case .file(let path) = gallery.place { report.problems = try SQLiteGallery.problems(path) }
        var wanted = try database.wanted()
        report.photos = Set(wanted.values.map(\.photo)).count
        var logos = try database.logos()
        let known = try database.passing()
        var unknown: [String] = []
        var last: String?
        while let page = Optional(try await objects.list(after: last, limit: page)), let end = page.last {
            for object in page {
                report.objects += 1
                if let logo = logos.removeValue(forKey: object.key) {
                    if object.size != logo.size {
                        report.problems.append(
                            "event \(logo.event): its logo \(object.key) has \(object.size) bytes instead of \(logo.size)"
                        )
                    }
                    continue
                }
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
                photo.isTile
                    ? "photo \(photo.photo): its tile \(key) is missing; the page shows the thumb instead, but previews of links "
                        + "and browsers without JavaScript show no picture; put it back from a backup if there is one"
                    : "photo \(photo.photo): its object \(key) is missing; put it back from a backup, or delete the photo"
            )
        }
        for (key, logo) in logos.sorted(by: { $0.key < $1.key }) where try database.has(logo: key) {
            report.problems.append(
                "event \(logo.event): its logo \(key) is missing; put it back from a backup, or send the logo again"
            )
        }
        return report
    }

    private static func isThere(_ key: String, _ objects: any ObjectList) async throws -> Bool {
        // Sixteen keys at the most differ from it only at their end.
        try await objects.list(after: String(key.dropLast()), limit: 16).contains { $0.key == key }
    }
}
