package import Bridge
import Digest
import Posix
import Synchronization

/// Delivers to a folder of an SFTP or FTP server.
///
/// A photo is put under a temporary name and gets its own when it is whole; nothing is replaced. Such a server checks
/// nothing: the photo is hashed before it is sent, and its size looked at before it is named.
package final class FilesDestination: TestableDestination {
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
        let delivery = delivery(of: job)
        do {
            return try await delivery.deliver(to: shelf(on: try connected()))
        } catch {
            return outcome(of: error, delivery.path)
        }
    }

    package func test(_ job: Job) async -> DeliveryOutcome {
        let delivery = delivery(of: job)
        do {
            return try await delivery.test(on: shelf(on: try connected()))
        } catch {
            return outcome(of: error, delivery.path)
        }
    }

    package func giveUp(_ job: Job) async {
        guard let server = server.withLock({ $0 }) else { return }
        await delivery(of: job).cleanUp(shelf(on: server))
    }

    package var consumes: Bool { address.consumes }

    package func look(at receipts: [Receipt]) async -> [Standing] {
        var found: [Standing] = []
        for receipt in receipts {
            do {
                found.append(try await shelf(on: try connected()).look(at: receipt))
            } catch {
                found.append(Standing(outcome(of: error, "")))
            }
        }
        return found
    }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        guard let name = receipt.name else { throw NotReadable("its receipt names no file") }
        try await connected().read(name, take)
    }

    private func delivery(of job: Job) -> NamedDelivery {
        NamedDelivery(
            job: job, spool: means.spool, template: address.template, host: address.host, names: names,
            reader: reader, time: means.time)
    }

    private func shelf(on server: any FileServer) -> FilesShelf {
        FilesShelf(server: server, share: share(), onMoved: means.onMoved)
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
}

private struct FilesShelf: NamingServer {
    let server: any FileServer
    let share: String?
    let onMoved: @Sendable (UInt64) -> Void

    func hasFolder() async throws -> Bool { try await server.hasFolder() }
    func size(of name: String) async throws -> UInt64? { try await server.size(of: name) }
    func remove(_ name: String) async throws { try await server.remove(name) }

    func put(_ photo: FileSlice, under temporary: String, for job: Job) async throws {
        try await server.upload(photo, to: temporary, share: share, onSent: onMoved)
    }

    func rename(_ name: String, to newName: String) async throws -> Bool {
        try await server.rename(name, to: newName)
    }

    func digest(of name: String, size: UInt64) async throws -> SHA256Digest? {
        let hasher = Mutex(SHA256())
        try await server.read(name) { bytes in
            hasher.withLock { hasher in bytes.withUnsafeBytes { hasher.update($0) } }
            return true
        }
        return hasher.withLock { $0.finish() }
    }

    func isAmbiguous(_ error: any Error) -> Bool {
        if case .broken = error as? FileServerFailure { true } else { false }
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
