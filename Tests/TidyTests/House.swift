import Glibc
import TestSupport

/// The repository as it lies here.
enum House {
    /// Found from this file, so that the tests may be started anywhere.
    static let root: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/")
    }()

    static func bytes(_ path: String) throws -> [UInt8] { try readFile("\(root)/\(path)") }

    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// Every file that belongs to the repository, as paths from its top.
    static let files: [String] = walk("").sorted()

    static func swiftFiles(below folder: String) -> [String] {
        files.filter { $0.hasPrefix("\(folder)/") && $0.hasSuffix(".swift") }
    }

    static func entries(of folder: String) -> [(name: String, isFolder: Bool)] {
        guard let stream = opendir(folder.isEmpty ? root : "\(root)/\(folder)") else { return [] }
        defer { closedir(stream) }
        var found: [(name: String, isFolder: Bool)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            found.append((name, entry.pointee.d_type == UInt8(DT_DIR)))
        }
        return found.sorted { $0.name < $1.name }
    }

    /// What tools leave behind and .gitignore names.
    private static let ignored: Set<String> = [".git", ".build", ".swiftpm", "__pycache__"]

    private static func walk(_ folder: String) -> [String] {
        entries(of: folder).flatMap { entry -> [String] in
            if ignored.contains(entry.name) { return [] }
            let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
            return entry.isFolder ? walk(path) : [path]
        }
    }
}
