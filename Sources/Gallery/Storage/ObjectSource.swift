import Posix

/// Objects that are only looked at, also while another program works with them: a folder's, or a bucket's.
package protocol ObjectSource: ObjectList {
    /// Lends a local file with an object's bytes, for as long as the body runs. It is read, never changed.
    func withFile<Result>(_ key: String, _ body: (String) async throws -> Result) async throws -> Result
}

extension S3Storage: ObjectSource {}

extension FolderObjects: ObjectSource {
    package func withFile<Result>(
        _ key: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        try await body(tree.path(of: key))
    }
}
