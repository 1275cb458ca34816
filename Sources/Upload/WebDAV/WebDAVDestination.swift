package import Bridge
import Digest
import Glibc
import Posix
import Synchronization

/// Delivers to a folder of a WebDAV server.
///
/// A photo is put under a temporary name and moved to its own when it is whole; the move replaces nothing. Such a server
/// checks nothing by itself: the photo is hashed before it is sent, and its size looked at before it is moved.
package final class WebDAVDestination: Destination {
    package let id: DestinationID
    /// Without a password.
    package let url: String
    package let reach: Reach
    private let address: WebDAVAddress
    private let environment: [String: String]
    private let means: DeliveryMeans
    private let reader: PhotoReader
    private let names = NamesInHand()
    /// Folders that are known to be there.
    private let made = Mutex<Set<String>>([])

    private static let mostNumbers = 9999
    /// Folders that are remembered.
    private static let mostFolders = 10_000

    /// The password may be in `environment`. `thread` may block: it reads photos.
    package init(
        id: DestinationID, _ address: WebDAVAddress, environment: [String: String], means: DeliveryMeans,
        thread: any SerialExecutor
    ) {
        self.id = id
        self.address = address
        self.environment = environment
        self.means = means
        url = address.url
        reach = .network(host: address.host, port: address.port)
        reader = PhotoReader(executor: thread)
    }

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        if Task.isCancelled { return .cancelled }
        let path = "\(means.spool)/\(job.photo.file)"
        do {
            _ = try SpooledPhoto.open(job, in: means.spool)
            let server = try server()
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
        do {
            await cleanUp(job, try server())
        } catch {
            // Without a password nothing was begun.
            return
        }
    }

    private func server() throws -> WebDAVServer {
        WebDAVServer(address, login: try address.login(environment), http: means.http, wall: means.wall)
    }

    private func put(
        _ job: Job, _ path: String, _ server: WebDAVServer, _ hasBegun: inout Bool
    ) async throws -> DeliveryOutcome {
        let components = address.template.components(for: job.facts)
        guard let last = components.last else { preconditionFailure("a template gives a name") }
        let folder = components.dropLast().map { "\($0)/" }.joined()
        for number in 1...Self.mostNumbers {
            let name = folder + SafeName.numbered(last, number)
            // What is there already need not be sent.
            if let size = try await server.size(of: name) {
                guard try await isTwin(name, size, job, server) else { continue }
                if hasBegun { try await server.remove(temporary(job)) }
                return delivered(name, job)
            }
            if !hasBegun {
                try await prepare(job, path, folder, server)
                hasBegun = true
                try await send(job, path, type: ContentType.of(last), server)
            }
            let isOurs = try await names.holding(name) { try await move(job, to: name, server) }
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

    private func prepare(
        _ job: Job, _ path: String, _ folder: String, _ server: WebDAVServer
    ) async throws {
        guard "\(try await reader.digest(path))" == job.photo.sha256 else {
            throw Undeliverable(outcome: SpooledPhoto.damaged(path))
        }
        if made.withLock({ !$0.contains(folder) }) {
            try await server.makeFolder(folder)
            made.withLock { made in
                if made.count >= Self.mostFolders { made = [] }
                made.insert(folder)
            }
        }
    }

    private func send(
        _ job: Job, _ path: String, type: String, _ server: WebDAVServer
    ) async throws {
        let slice = FileSlice(path: path, count: job.photo.size)
        try await server.put(temporary(job), slice, type: type, onSent: means.onMoved)
        let size = try await server.size(of: temporary(job))
        guard size == job.photo.size else {
            throw Undeliverable(
                outcome: .retryable(
                    "\(address.host) has \(size.map { "\($0)" } ?? "none") of \(job.photo.size) bytes after it said that it has all"
                ))
        }
    }

    /// False when the name has been taken meanwhile by another photo.
    private func move(_ job: Job, to name: String, _ server: WebDAVServer) async throws -> Bool {
        do {
            // Servers that do not know "Overwrite" replace what is there: those of ours are told apart here.
            if try await server.size(of: name) == nil, try await server.move(temporary(job), to: name) {
                return true
            }
        } catch let failure as HTTPFailure where failure.isAmbiguous {
            // It may have been moved: what lies there says so.
            guard let size = try await server.size(of: name), try await isTwin(name, size, job, server)
            else { throw failure }
            return true
        }
        guard let size = try await server.size(of: name), try await isTwin(name, size, job, server) else {
            return false
        }
        try await server.remove(temporary(job))
        return true
    }

    private func isTwin(
        _ name: String, _ size: UInt64, _ job: Job, _ server: WebDAVServer
    ) async throws -> Bool {
        guard size == job.photo.size else { return false }
        return try await server.digest(of: name, size: size)?.description == job.photo.sha256
    }

    /// Also when the delivery was taken back, so by a task of its own, and without waiting long for it.
    private func cleanUp(_ job: Job, _ server: WebDAVServer) async {
        let name = temporary(job)
        var limits = HTTPLimits()
        limits.connect = .seconds(2)
        limits.noProgress = .seconds(2)
        await Task { [limits] in
            do {
                try await server.remove(name, limits: limits)
            } catch {
                // The next try puts it anew under the same name.
                return
            }
        }.value
    }
}

extension WebDAVDestination {
    private func outcome(of error: any Error, _ path: String) -> DeliveryOutcome {
        switch error {
        case let problem as Undeliverable: problem.outcome
        case let problem as AddressProblem: .held(.settings, "\(problem)")
        case let failure as HTTPFailure: DeliveryOutcome(failure, from: address.host, sending: path)
        case let refusal as WebDAVRefusal: outcome(of: refusal)
        case is CancellationError: .cancelled
        default: .retryable("\(error)")
        }
    }

    private func outcome(of refusal: WebDAVRefusal) -> DeliveryOutcome {
        let said = "\(address.host) answers \(refusal.method) with \(refusal.status)"
        // Somebody may have removed a folder, which servers say in many ways: it is made again.
        made.withLock { $0 = [] }
        switch refusal.status {
        case 401: return .held(.settings, "\(said): it does not know this user, or not this password")
        case 403: return .held(.settings, "\(said): this user may not do that in \(address.folder)")
        case 404, 409:
            return .destinationFailed(
                "\(said): is there a folder \(address.folder)?", after: refusal.retryAfter)
        case 405, 501: return .held(.settings, "\(said): it does no WebDAV there")
        case 300..<400: return .held(.settings, "\(said): it is somewhere else; correct the destination")
        case 413, 414: return .permanent("\(said): it does not take a photo this large")
        case 408: return .cut(said)
        case 425, 429, 500...: return .destinationFailed(said, after: refusal.retryAfter)
        default: return .retryable(said, after: refusal.retryAfter)
        }
    }
}
