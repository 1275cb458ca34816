import Basics
import Bridge
import Digest
import Synchronization

/// A folder of a server that takes whatever it is given: under a temporary name first, and under the photo's own when it is
/// whole. It checks nothing by itself. Names are relative to the destination's folder.
protocol FolderServer: Sendable {
    /// Whether the destination's folder is there.
    func hasFolder() async throws -> Bool
    /// Nothing when there is no file of that name.
    func size(of name: String) async throws -> UInt64?
    /// Writes a photo under a temporary name, and makes the folders that are missing.
    func put(_ photo: FileSlice, under temporary: String, for job: Job) async throws
    /// False when the new name is taken; nothing has changed then.
    func rename(_ name: String, to newName: String) async throws -> Bool
    /// A file that is not there is no failure.
    func remove(_ name: String) async throws
    /// Gives every byte that lies there, as they come, until `take` says false. False where the server does not give them.
    func read(
        _ name: String, size: UInt64, _ take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws -> Bool
    /// Throws where what answers is not the server at all, and would call every name taken.
    func confirm() async throws
    /// Whether what failed so may have been done all the same.
    func isAmbiguous(_ error: any Error) -> Bool
    /// What a failure means to the job whose photo is at `path`. What was known of the server is not relied on any more.
    func outcome(of error: any Error, sending path: String) -> DeliveryOutcome
}

extension FolderServer {
    /// Only of HTTP there are answers that every network gives.
    func confirm() async throws {}

    /// The SHA-256 of what lies there; nothing where the server does not give its bytes.
    func digest(of name: String, size: UInt64) async throws -> SHA256Digest? {
        let hasher = Mutex(SHA256())
        let isWhole = try await read(name, size: size) { bytes in
            hasher.withLock { hasher in bytes.withUnsafeBytes { hasher.update($0) } }
            return true
        }
        return isWhole ? hasher.withLock { $0.finish() } : nil
    }

    /// What lies there under the name of a receipt.
    func look(at receipt: Receipt) async throws -> Standing {
        guard let name = receipt.name else { return .notCheckable("its receipt names no file") }
        guard let size = try await size(of: name) else {
            // It may be a disk that is not mounted there, or something else that answers, which says nothing of a photo.
            return try await hasFolder()
                ? .gone : .unanswered("the folder that photos are delivered to is not there")
        }
        if size == .max { return .unanswered("what answers to its name is no file") }
        if let standing = receipt.standing(ofSize: size) { return standing }
        guard let digest = try await digest(of: name, size: size) else {
            return .notCheckable("the server does not give files in pieces")
        }
        return receipt.standing(ofDigest: "\(digest)")
    }
}
