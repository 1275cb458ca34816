import Basics

@testable import Gallery

/// A storage that is a folder's, but for what a test has otherwise.
protocol ForwardingStorage: ObjectStorage {
    var base: FolderStorage { get }
}

extension ForwardingStorage {
    var workshop: String { base.workshop }
    var intake: FolderUploadEndpoint? { nil }

    func place(_ claim: PlaceClaim) async throws(StorageProblem) -> UploadTarget {
        try await base.place(claim)
    }

    func look(_ key: String) async throws(StorageProblem) -> StoredObject? { try await base.look(key) }

    func withFile<Result>(_ key: String, _ body: (String) async throws -> Result) async throws -> Result {
        try await base.withFile(key, body)
    }

    func keep(_ file: String, as key: String, type: String) async throws(StorageProblem) {
        try await base.keep(file, as: key, type: type)
    }

    func remove(_ key: String) async throws(StorageProblem) { try await base.remove(key) }

    func read(
        _ key: String, _ part: Range<UInt64>, of object: StoredObject
    ) async throws(StorageProblem) -> [UInt8] {
        try await base.read(key, part, of: object)
    }

    func list(after: String?, limit: Int) async throws(StorageProblem) -> [ListedObject] {
        try await base.list(after: after, limit: limit)
    }

    func content(
        of key: String, size: UInt64, savedAs disposition: String?
    ) async throws(StorageProblem) -> ObjectContent {
        try await base.content(of: key, size: size, savedAs: disposition)
    }

    func contentAtHand(of key: String, size: UInt64, savedAs disposition: String?) -> ObjectContent? { nil }
}
