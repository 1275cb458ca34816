/// The layers of the gallery: what each of its folders may not know.
enum GalleryLayers {
    static let store = "Sources/Gallery/Store/"

    /// Storages say what they have; endpoints make answers of that.
    private static let storages = [
        "Sources/Gallery/Storage/ObjectStorage.swift", "Sources/Gallery/Storage/FolderStorage.swift",
        "Sources/Gallery/Storage/S3Storage.swift",
    ]

    /// Files that the rules name.
    static let named =
        ["\(store)GalleryStore.swift", dispatcher, values, engines, writer] + removers + storages

    /// What a file says that belongs to another layer.
    static func breaches(of source: String, at path: String) -> [String] {
        guard path.hasPrefix("Sources/Gallery/") else { return [] }
        let text = SwiftText(source)
        if path.hasPrefix(store) { return ofStore(text, path) }
        let answers =
            storages.contains(path) ? names(["APIError", "Request", "Response"], in: text, path) : []
        return outside(source, text, path) + answers
    }

    /// The store knows nothing of HTTP: it refuses by ``GalleryRefusal``, and returns values.
    private static let http = ["APIError", "Request", "Response", "HTTPHeader", "JSONFields"]
    /// What an answer is made of. The store keeps lists of texts in it, which one file reads and writes.
    private static let wire = ["JSONValue", "JSON5"]
    private static let values = "\(store)SQLRow+Values.swift"
    /// The engine has one file, and statements another way to it: a session.
    private static let engine = ["Connection", "Statement", "DatabaseError", "SQLiteError"]
    private static let engines = "\(store)SQLiteGallery.swift"
    /// Transactions begin where their changes are handed on.
    private static let writer = "\(store)GalleryChange.swift"

    private static func ofStore(_ text: SwiftText, _ path: String) -> [String] {
        (text.imports.contains("HTTPServer") ? ["\(path) imports HTTPServer"] : [])
            + names(http, in: text, path) + consequences(text, path)
            + (path == values ? [] : names(wire, in: text, path))
            + (path == engines ? [] : names(engine, in: text, path))
            + (path == writer ? [] : transactions(text, path))
    }

    private static func transactions(_ text: SwiftText, _ path: String) -> [String] {
        text.lines.enumerated().filter { $0.element.contains(/\bdatabase\s*\.\s*transaction\b/) }
            .map { "\(path):\($0.offset + 1) keeps its changes to itself" }
    }

    /// Statements are written in the store, and no other file has a session to run them by.
    private static func outside(_ source: String, _ text: SwiftText, _ path: String) -> [String] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let statements = lines.enumerated().filter { isSQL($0.element) }
        return (text.imports.contains("Database") ? ["\(path) imports Database"] : [])
            + statements.map { "\(path):\($0.offset + 1) holds SQL" } + consequences(text, path)
    }

    /// What follows from a change is known in one place; objects are removed by the sweeper, and where one is put anew.
    private static let dispatcher = "Sources/Gallery/API/ChangeDispatcher.swift"
    private static let removers = [
        "Sources/Gallery/Uploads/Sweeper.swift", "Sources/Gallery/Uploads/OriginalRestorer.swift",
    ]

    private static func consequences(_ text: SwiftText, _ path: String) -> [String] {
        guard path != dispatcher else { return [] }
        return text.lines.enumerated().flatMap { index, line in
            var found: [String] = []
            if line.contains(/(^|\W)feeds\s*\.\s*(?!(stream|position|events|listeners|onBegin)\W)\w/) {
                found.append("speaks to feeds")
            }
            if line.contains(/(^|\W)images\s*\.\s*forget/) { found.append("forgets images") }
            if line.contains(/(^|\W)storage\s*\.\s*remove\W/), !removers.contains(path) {
                found.append("removes objects")
            }
            if line.contains(/\b(as[?!]?|is)\s+(FolderStorage|S3Storage)\b/) {
                found.append("asks which storage it is")
            }
            return found.map { "\(path):\(index + 1) \($0)" }
        }
    }

    private static func isSQL(_ line: Substring) -> Bool {
        !line.trimmed.hasPrefix("//")
            && line.contains(/\b(SELECT .+|INSERT INTO \w+|UPDATE \w+ SET|DELETE FROM \w+|CREATE TABLE \w+)/)
    }

    private static func names(_ forbidden: [String], in text: SwiftText, _ path: String) -> [String] {
        text.lines.enumerated().flatMap { index, line in
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            return forbidden.filter { words.contains($0[...]) }.map { "\(path):\(index + 1) names \($0)" }
        }
    }
}
