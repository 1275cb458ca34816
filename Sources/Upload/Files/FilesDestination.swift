package import Bridge
import Digest
import Posix
import Synchronization

/// Delivers to a folder of an SFTP or FTP server.
///
/// A photo is put under a temporary name and gets its own when it is whole; nothing is replaced. Such a server checks
/// nothing: the photo is hashed before it is sent, and its size looked at before it is named.
package final class FilesDestination: Destination {
    package typealias Connect = @Sendable () throws(AddressProblem) -> any FileServer

    package let id: DestinationID
    /// Without a password.
    package let url: String
    package let reach: Reach
    private let address: FilesAddress
    private let means: DeliveryMeans
    private let reader: PhotoReader
    private let names = NamesInHand()
    private let share: @Sendable () -> String?
    /// Made when it is needed: a password may be missing, and come later.
    private let connect: Connect
    private let server = Mutex<(any FileServer)?>(nil)

    private static let mostNumbers = 9999

    /// `thread` may block: it reads photos. `share` names the network whose bytes are drawn on.
    package init(
        id: DestinationID, _ address: FilesAddress, means: DeliveryMeans, thread: any SerialExecutor,
        share: @escaping @Sendable () -> String? = { nil }, connect: @escaping Connect
    ) {
        self.id = id
        self.address = address
        self.means = means
        self.share = share
        self.connect = connect
        url = address.url
        reach = .network(host: address.host, port: address.port)
        reader = PhotoReader(executor: thread)
    }

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        if Task.isCancelled { return .cancelled }
        let path = "\(means.spool)/\(job.photo.file)"
        do {
            _ = try SpooledPhoto.open(job, in: means.spool)
            let server = try connected()
            var hasBegun = false
            do {
                return try await put(job, path, server, &hasBegun)
            } catch {
                if hasBegun { await cleanUp(job, server) }
                throw error
            }
        } catch {
            return outcome(of: error, path)
        }
    }

    package func giveUp(_ job: Job) async {
        if let server = server.withLock({ $0 }) { await cleanUp(job, server) }
    }

    private func connected() throws(AddressProblem) -> any FileServer {
        if let server = server.withLock({ $0 }) { return server }
        let made = try connect()
        return server.withLock { server in
            // Somebody may have been faster.
            server = server ?? made
            return server ?? made
        }
    }

    private func put(
        _ job: Job, _ path: String, _ server: any FileServer, _ hasBegun: inout Bool
    ) async throws -> DeliveryOutcome {
        let components = address.template.components(for: job.facts)
        guard let last = components.last else { preconditionFailure("a template gives a name") }
        let folder = components.dropLast().map { "\($0)/" }.joined()
        let temporary = temporary(job)
        for number in 1...Self.mostNumbers {
            let name = folder + SafeName.numbered(last, number)
            // What is there already need not be sent.
            if let size = try await server.size(of: name) {
                guard try await isTwin(name, size, job, server) else { continue }
                if hasBegun { try await server.remove(temporary) }
                return delivered(name, job)
            }
            if !hasBegun {
                guard "\(try await reader.digest(path))" == job.photo.sha256 else {
                    return SpooledPhoto.damaged(path)
                }
                hasBegun = true
                try await send(job, path, to: temporary, server)
            }
            let isOurs = try await names.holding(name) {
                try await move(job, temporary, to: name, server)
            }
            if isOurs { return delivered(name, job) }
        }
        return .retryable(
            "\(folder)\(last) and 9999 numbered names like it are taken by other photos; tidy that folder up")
    }

    private func delivered(_ name: String, _ job: Job) -> DeliveryOutcome {
        .delivered(Receipt(key: name, size: job.photo.size, sha256: job.photo.sha256))
    }

    /// Beside where it will be, because servers may have a disk for each folder.
    private func temporary(_ job: Job) -> String {
        let folder = address.template.components(for: job.facts).dropLast().map { "\($0)/" }.joined()
        return "\(folder).tetherline-\(job.key).part"
    }

    private func send(
        _ job: Job, _ path: String, to temporary: String, _ server: any FileServer
    ) async throws {
        try await server.upload(
            FileSlice(path: path, count: job.photo.size), to: temporary, share: share(),
            onSent: means.onMoved)
        let size = try await server.size(of: temporary)
        guard size == job.photo.size else {
            throw Undeliverable(
                outcome: .retryable(
                    "\(address.host) has \(size.map { "\($0)" } ?? "none") of \(job.photo.size) bytes after it said "
                        + "that it has all"))
        }
    }

    /// False when the name has been taken meanwhile by another photo.
    private func move(
        _ job: Job, _ temporary: String, to name: String, _ server: any FileServer
    ) async throws -> Bool {
        do throws(FileServerFailure) {
            if try await server.rename(temporary, to: name) { return true }
        } catch {
            guard case .broken = error else { throw error }
            // It may have been named: what lies there says so.
            guard let size = try await server.size(of: name), try await isTwin(name, size, job, server)
            else { throw error }
            return true
        }
        guard let size = try await server.size(of: name), try await isTwin(name, size, job, server) else {
            return false
        }
        try await server.remove(temporary)
        return true
    }

    private func isTwin(
        _ name: String, _ size: UInt64, _ job: Job, _ server: any FileServer
    ) async throws -> Bool {
        guard size == job.photo.size else { return false }
        let hasher = Mutex(SHA256())
        try await server.read(name) { bytes in
            hasher.withLock { hasher in bytes.withUnsafeBytes { hasher.update($0) } }
            return true
        }
        return hasher.withLock { "\($0.finish())" } == job.photo.sha256
    }

    /// Also when the delivery was taken back, so by a task of its own.
    private func cleanUp(_ job: Job, _ server: any FileServer) async {
        let name = temporary(job)
        await Task {
            do throws(FileServerFailure) {
                try await server.remove(name)
            } catch {
                // The next try puts it anew under the same name.
                return
            }
        }.value
    }
}

extension FilesDestination {
    private func outcome(of error: any Error, _ path: String) -> DeliveryOutcome {
        switch error {
        case let problem as Undeliverable: problem.outcome
        case let problem as AddressProblem: .held(.settings, "\(problem)")
        case let failure as FileServerFailure: outcome(of: failure, path)
        case is CancellationError: .cancelled
        default: .retryable("\(error)")
        }
    }

    private func outcome(of failure: FileServerFailure, _ path: String) -> DeliveryOutcome {
        switch failure {
        case .unreachable(let text): .notThere(text)
        case .distrusted(let text): .held(.certificate, text)
        case .logInRefused(let text), .invalid(let text): .held(.settings, text)
        case .broken(let text, _): .cut(text)
        // Every photo would meet the same.
        case .noRoom(let text), .missing(let text), .refused(let text, _): .destinationFailed(text)
        case .body(let error): DeliveryOutcome(.body(error), from: address.host, sending: path)
        case .cancelled: .cancelled
        }
    }
}
