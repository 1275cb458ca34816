import Basics
import Bridge
import Synchronization

/// A server of files that is connected to when it is needed for the first time.
final class FilesConnection: Sendable {
    private let connect: ServerDestination.Connect
    private let made = Mutex<(any FileServer)?>(nil)

    init(_ connect: @escaping ServerDestination.Connect) {
        self.connect = connect
    }

    func server() throws(AddressProblem) -> any FileServer {
        if let server = made.withLock({ $0 }) { return server }
        let fresh = try connect()
        return made.withLock { server in
            // Another delivery may have been faster.
            server = server ?? fresh
            return server ?? fresh
        }
    }
}

/// A folder of an SFTP or FTP server.
struct FilesFolder: FolderServer {
    let server: any FileServer
    let host: String
    let share: String?
    let onMoved: @Sendable (JobID, UInt64) -> Void

    func hasFolder() async throws -> Bool { try await server.hasFolder() }
    func size(of name: String) async throws -> UInt64? { try await server.size(of: name) }
    func remove(_ name: String) async throws { try await server.remove(name) }

    func put(_ photo: FileSlice, under temporary: String, for job: Job) async throws {
        try await server.upload(photo, to: temporary, share: share) { [onMoved] in onMoved(job.id, $0) }
    }

    func rename(_ name: String, to newName: String) async throws -> Bool {
        try await server.rename(name, to: newName)
    }

    func read(
        _ name: String, size: UInt64, _ take: @escaping @Sendable (RawSpan) -> Bool
    ) async throws -> Bool {
        try await server.read(name, take)
        return true
    }

    func isAmbiguous(_ error: any Error) -> Bool {
        if case .broken = error as? FileServerFailure { true } else { false }
    }

    func outcome(of error: any Error, sending path: String) -> DeliveryOutcome {
        guard let failure = error as? FileServerFailure else { return .retryable("\(error)") }
        switch failure {
        case .unreachable(let text): return .notThere(text)
        case .distrusted(let text): return .held(.certificate, text)
        case .logInRefused(let text), .invalid(let text): return .held(.settings, text)
        case .broken(let text, _): return .cut(text)
        // Every photo would meet the same.
        case .noRoom(let text), .missing(let text), .refused(let text, _): return .destinationFailed(text)
        case .body(let error): return DeliveryOutcome(.body(error), from: host, sending: path)
        case .cancelled: return .cancelled
        }
    }
}
