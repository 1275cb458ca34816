package import Bridge
import Digest
import Glibc
import Posix
import Synchronization

/// Delivers to a folder of a WebDAV server.
///
/// A photo is put under a temporary name and moved to its own when it is whole; the move replaces nothing. Such a server
/// checks nothing by itself: the photo is hashed before it is sent, and its size looked at before it is moved.
package final class WebDAVDestination: TestableDestination {
    package let id: DestinationID
    /// Without a password.
    package let url: String
    package let reach: Reach
    private let address: WebDAVAddress
    private let environment: [String: String]
    private let means: DeliveryMeans
    private let reader: PhotoReader
    private let names = NamesInHand()
    private let made = KnownFolders()
    private let meeting = WebDAVMeeting()

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
        let delivery = delivery(of: job)
        do {
            return try await delivery.deliver(to: try shelf())
        } catch {
            return outcome(of: error, delivery.path)
        }
    }

    package func test(_ job: Job) async -> DeliveryOutcome {
        let delivery = delivery(of: job)
        do {
            return try await delivery.test(on: try shelf())
        } catch {
            return outcome(of: error, delivery.path)
        }
    }

    package func giveUp(_ job: Job) async {
        do {
            await delivery(of: job).cleanUp(try shelf())
        } catch {
            // Without a password nothing was begun.
            return
        }
    }

    package var consumes: Bool { address.consumes }

    package func look(at receipts: [Receipt]) async -> [Standing] {
        var found: [Standing] = []
        for receipt in receipts {
            do {
                found.append(try await shelf().look(at: receipt))
            } catch {
                found.append(Standing(outcome(of: error, "")))
            }
        }
        return found
    }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        guard let name = receipt.name else { throw NotReadable("its receipt names no file") }
        guard try await shelf().server.read(name, size: receipt.size, { take($0.span.bytes) }) else {
            throw NotReadable("\(address.host) does not give \(name) in pieces")
        }
    }

    private func delivery(of job: Job) -> NamedDelivery {
        NamedDelivery(
            job: job, spool: means.spool, template: address.template, host: address.host, names: names,
            reader: reader, time: means.time)
    }

    private func shelf() throws -> WebDAVShelf {
        let login = try address.login(environment)
        return WebDAVShelf(
            server: WebDAVServer(address, login: login, meeting, means: means), made: made,
            onMoved: means.onMoved)
    }
}

/// Folders that are known to be there.
private final class KnownFolders: Sendable {
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

private struct WebDAVShelf: NamingServer {
    let server: WebDAVServer
    let made: KnownFolders
    let onMoved: @Sendable (UInt64) -> Void

    func hasFolder() async throws -> Bool { try await server.hasFolder() }
    func size(of name: String) async throws -> UInt64? { try await server.size(of: name) }
    func remove(_ name: String) async throws { try await server.remove(name) }
    func confirm() async throws { try await server.confirm() }

    func put(_ photo: FileSlice, under temporary: String, for job: Job) async throws {
        let folder = temporary.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        if !made.contains(folder) {
            try await server.makeFolder(folder)
            made.insert(folder)
        }
        try await server.put(temporary, photo, type: ContentType.of(job.facts.name), onSent: onMoved)
    }

    /// Servers that do not know "Overwrite" replace what is there: so it is looked first.
    func rename(_ name: String, to newName: String) async throws -> Bool {
        guard try await server.size(of: newName) == nil else { return false }
        return try await server.move(name, to: newName)
    }

    func digest(of name: String, size: UInt64) async throws -> SHA256Digest? {
        try await server.digest(of: name, size: size)
    }

    func isAmbiguous(_ error: any Error) -> Bool { (error as? HTTPFailure)?.isAmbiguous ?? false }
}

extension WebDAVDestination {
    private func outcome(of error: any Error, _ path: String) -> DeliveryOutcome {
        switch error {
        case let problem as Undeliverable: return problem.outcome
        case let problem as AddressProblem: return .held(.settings, "\(problem)")
        case let failure as HTTPFailure:
            // By whatever network leads there next.
            meeting.note(false)
            return DeliveryOutcome(failure, from: address.host, sending: path)
        case let stranger as WebDAVStranger:
            made.forgetAll()
            return stranger.outcome(address.host)
        case let refusal as WebDAVRefusal: return outcome(of: refusal)
        case is CancellationError: return .cancelled
        default: return .retryable("\(error)")
        }
    }

    private func outcome(of refusal: WebDAVRefusal) -> DeliveryOutcome {
        let said = "\(address.host) answers \(refusal.method) with \(refusal.status)"
        // Somebody may have removed a folder, which servers say in many ways: it is made again.
        made.forgetAll()
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
