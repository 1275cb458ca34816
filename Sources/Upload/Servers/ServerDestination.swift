package import Basics
package import Bridge
import Posix
import Synchronization

/// Delivers to a folder of a server that keeps files: WebDAV, SFTP, FTP.
///
/// A photo is put under a temporary name and gets its own when it is whole; nothing is replaced. Such a server checks
/// nothing: the photo is hashed before it is sent, and its size looked at before it is named.
package final class ServerDestination: TestableDestination {
    package typealias Connect = @Sendable () throws(AddressProblem) -> any FileServer

    package let id: DestinationID
    /// Without a password.
    package let url: String
    package let reach: Reach
    /// Others take away what is delivered there.
    package let consumes: Bool
    private let host: String
    private let template: NameTemplate
    private let means: DeliveryMeans
    private let reader: PhotoReader
    private let names = ActiveNames()
    /// Asked for each delivery: a password may be missing, and come later.
    private let server: @Sendable () throws(AddressProblem) -> any FolderServer

    /// A folder of a WebDAV server. The password may be in `environment`. `thread` may block: it reads photos.
    package convenience init(
        id: DestinationID, _ address: WebDAVAddress, environment: [String: String], means: DeliveryMeans,
        thread: any SerialExecutor
    ) {
        let known = WebDAVFolder.Known()
        self.init(id: id, address, means, thread) { () throws(AddressProblem) in
            let login = try address.login(environment)
            return WebDAVFolder(
                server: WebDAVServer(address, login: login, known.confirmation, means: means), known: known,
                onMoved: means.onMoved)
        }
    }

    /// A folder of an SFTP or FTP server. `thread` may block: it reads photos. `share` names the network whose bytes are
    /// drawn on. It is connected to once.
    package convenience init(
        id: DestinationID, _ address: FilesAddress, means: DeliveryMeans, thread: any SerialExecutor,
        share: @escaping @Sendable () -> String? = { nil }, connect: @escaping Connect
    ) {
        let connection = FilesConnection(connect)
        self.init(id: id, address, means, thread) { () throws(AddressProblem) in
            FilesFolder(
                server: try connection.server(), host: address.host, share: share(), onMoved: means.onMoved)
        }
    }

    private init(
        id: DestinationID, _ address: some ServerAddress, _ means: DeliveryMeans,
        _ thread: any SerialExecutor,
        server: @escaping @Sendable () throws(AddressProblem) -> any FolderServer
    ) {
        self.id = id
        self.means = means
        (url, host, template) = (address.url, address.host, address.template)
        consumes = address.consumes
        reach = .network(host: address.host, port: address.port)
        reader = PhotoReader(spool: means.spool, executor: thread)
        self.server = server
    }

    package func deliver(_ job: Job) async -> DeliveryOutcome {
        if Task.isCancelled { return .cancelled }
        return await told(job) { try await $0.deliver(to: $1) }
    }

    package func test(_ job: Job) async -> DeliveryOutcome {
        await told(job) { try await $0.test(on: $1) }
    }

    package func probe() async -> DeliveryOutcome? {
        let server: any FolderServer
        do throws(AddressProblem) {
            server = try self.server()
        } catch {
            return .held(.settings, "\(error)")
        }
        do {
            // A folder that is not there is made for the first photo, where the server lets that be done.
            _ = try await server.hasFolder()
            return nil
        } catch is CancellationError {
            return .cancelled
        } catch {
            return server.outcome(of: error, sending: "")
        }
    }

    /// What happened, as what it means to the job.
    private func told(
        _ job: Job, _ body: (ServerDelivery, any FolderServer) async throws -> DeliveryOutcome
    ) async -> DeliveryOutcome {
        let server: any FolderServer
        do throws(AddressProblem) {
            server = try self.server()
        } catch {
            return .held(.settings, "\(error)")
        }
        let delivery = delivery(of: job)
        do {
            return try await body(delivery, server)
        } catch let problem as Undeliverable {
            return problem.outcome
        } catch is CancellationError {
            return .cancelled
        } catch {
            return server.outcome(of: error, sending: delivery.path)
        }
    }

    package func giveUp(_ job: Job) async {
        do throws(AddressProblem) {
            await delivery(of: job).cleanUp(try server())
        } catch {
            // Without a password nothing was begun.
            return
        }
    }

    package func look(at receipts: [Receipt]) async -> [Standing] {
        let server: any FolderServer
        do throws(AddressProblem) {
            server = try self.server()
        } catch {
            return receipts.map { _ in .unanswered("\(error)") }
        }
        var found: [Standing] = []
        for receipt in receipts {
            do {
                found.append(try await server.look(at: receipt))
            } catch is CancellationError {
                found.append(Standing(.cancelled))
            } catch {
                found.append(Standing(server.outcome(of: error, sending: "")))
            }
        }
        return found
    }

    package func read(_ receipt: Receipt, _ take: @escaping @Sendable (RawSpan) -> Bool) async throws {
        guard let name = receipt.name else { throw NotReadable("its receipt names no file") }
        guard try await server().read(name, size: receipt.size, take) else {
            throw NotReadable("\(host) does not give \(name) in pieces")
        }
    }

    private func delivery(of job: Job) -> ServerDelivery {
        ServerDelivery(
            job: job, template: template, host: host, names: names, reader: reader, time: means.time)
    }
}

/// A folder of a server, however it is spoken to.
private protocol ServerAddress {
    /// Without a password.
    var url: String { get }
    var host: String { get }
    var port: UInt16 { get }
    var template: NameTemplate { get }
    var consumes: Bool { get }
}

extension WebDAVAddress: ServerAddress {}
extension FilesAddress: ServerAddress {}
