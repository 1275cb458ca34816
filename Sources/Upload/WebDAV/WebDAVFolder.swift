import Basics
import Bridge
import Synchronization

/// Folders that are known to be there.
final class KnownFolders: Sendable {
    private let names = Mutex<Set<String>>([])
    /// So many are remembered.
    private static let most = 10_000

    func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
    func forgetAll() { names.withLock { $0 = [] } }

    func insert(_ name: String) {
        names.withLock { names in
            if names.count >= Self.most { names = [] }
            names.insert(name)
        }
    }
}

/// A folder of a WebDAV server.
struct WebDAVFolder: FolderServer {
    /// What is remembered from one delivery to the next.
    struct Known {
        let folders = KnownFolders()
        let confirmation = WebDAVConfirmation()
    }

    let server: WebDAVServer
    let known: Known
    let onMoved: @Sendable (JobID, UInt64) -> Void

    func hasFolder() async throws -> Bool { try await server.hasFolder() }
    func size(of name: String) async throws -> UInt64? { try await server.size(of: name) }
    func remove(_ name: String) async throws { try await server.remove(name) }
    func confirm() async throws { try await server.confirm() }

    func put(_ photo: FileSlice, under temporary: String, for job: Job) async throws {
        let folder = temporary.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        if !known.folders.contains(folder) {
            try await server.makeFolder(folder)
            known.folders.insert(folder)
        }
        try await server.put(temporary, photo, type: ContentType.of(job.facts.name)) { [onMoved] in
            onMoved(job.id, $0)
        }
    }

    /// Servers that do not know "Overwrite" replace what is there: so it is looked first.
    func rename(_ name: String, to newName: String) async throws -> Bool {
        guard try await server.size(of: newName) == nil else { return false }
        return try await server.move(name, to: newName)
    }

    func read(
        _ name: String, size: UInt64, _ take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws -> Bool {
        try await server.read(name, size: size, take)
    }

    func isAmbiguous(_ error: any Error) -> Bool { (error as? HTTPFailure)?.isAmbiguous ?? false }
}

extension WebDAVFolder {
    func outcome(of error: any Error, sending path: String) -> DeliveryOutcome {
        switch error {
        case let failure as HTTPFailure:
            // By whatever network leads there next.
            known.confirmation.note(false)
            return DeliveryOutcome(failure, from: server.address.host, sending: path)
        case let stranger as NotAWebDAVServer:
            known.folders.forgetAll()
            return stranger.outcome(server.address.host)
        case let refusal as WebDAVRefusal: return outcome(of: refusal)
        default: return .retryable("\(error)")
        }
    }

    private func outcome(of refusal: WebDAVRefusal) -> DeliveryOutcome {
        // A folder may have been removed, which servers say in many ways: it is made again.
        known.folders.forgetAll()
        let address = server.address
        func said(_ meaning: ServerFailure.Refusal = .unexplained) -> String {
            "\(ServerFailure.refused(host: address.host, method: refusal.method, status: refusal.status, meaning))"
        }
        switch refusal.status {
        case 401: return .held(.settings, said(.unknownUser))
        case 403: return .held(.settings, said(.forbidden(folder: address.folder)))
        case 404, 409: return .destinationFailed(said(.noFolder(address.folder)), after: refusal.retryAfter)
        case 405, 501: return .held(.settings, said(.noWebDAV))
        case 300..<400: return .held(.settings, said(.elsewhere))
        case 413, 414: return .permanent(said(.tooLarge))
        case 408: return .cut(said())
        case 425, 429, 500...: return .destinationFailed(said(), after: refusal.retryAfter)
        default: return .retryable(said(), after: refusal.retryAfter)
        }
    }
}
