import Glibc
import TestSupport

/// The README and the articles of the DocC catalogues, as paths from the top of the repository.
enum Documents {
    private static let root =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

    static let paths: [String] = {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob("\(root)/Sources/*/*.docc/*.md", 0, nil, &found) == 0 else { return [] }
        let articles = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
        return ["README.md"] + articles.map { String($0.dropFirst(root.count + 1)) }
    }()

    static func text(_ path: String) throws -> String {
        String(decoding: try readFile("\(root)/\(path)"), as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws {
        guard let file = fopen("\(root)/\(path)", "wb") else { throw FileProblem(path: path, number: errno) }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw FileProblem(path: path, number: errno) }
    }
}
