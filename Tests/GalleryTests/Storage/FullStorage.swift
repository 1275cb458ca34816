import Basics

@testable import Gallery

/// A storage that has no room for files of one type, and leaves them where they were, as a bucket does.
struct FullStorage: ForwardingStorage {
    let base: FolderStorage
    let refused: String

    func keep(_ file: String, as key: String, type: String) async throws(StorageProblem) {
        if type == refused { throw StorageProblem(.noRoom, "there is no room for \(key)") }
        try await base.keep(file, as: key, type: type)
    }
}
