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
        /// The first of them, so that a store that has lost everything does not fill the memory.
        package var problems: [String] = []
        /// How many there are beside these.
        package var moreProblems = 0

        private static let mostProblems = 10_000

        mutating func add(_ problem: String) {
            if problems.count < Self.mostProblems { problems.append(problem) } else { moreProblems += 1 }
        }
    }

    /// Rows against objects, and these against rows.
    package static func check(
        _ gallery: GalleryDatabase, _ objects: any ObjectList, page: Int = 1000
    ) async throws -> Report {
        let file: [String] =
            if case .file(let path) = gallery.place { try SQLiteGallery.problems(path) } else { [] }
        var check = ObjectCheck(try GalleryObjects(gallery), objects, page: page)
        try await check.run()
        var report = check.report
        report.problems = file + report.problems
        return report
    }
}
