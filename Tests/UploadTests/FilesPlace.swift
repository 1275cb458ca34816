import Basics
import Bridge
import Glibc
import HTTPClient
import Posix
import TestSupport
import Upload
import WorldSupport

/// A folder of a real server of files, and a destination that delivers to it.
final class FilesPlace: Sendable {
    let destination: ServerDestination
    private let folder: TemporaryFolder
    /// Where in that folder photos arrive, with a slash at its end.
    private let below: String
    private let network: Network
    private let server: CurlFileServer
    /// What ends with this: the server, and who vouches for it.
    private let ends: [(any Sendable)?]

    init(sftp spool: TestSpool) throws {
        network = try Network()
        let daemon = try SFTPDaemon()
        let user = try SystemUser.own().name
        let address = try FilesAddress(
            "sftp://\(user)@127.0.0.1:\(daemon.port)\(daemon.folder.file("data"))?key=\(daemon.folder.file("key"))"
                + "&known-hosts=\(daemon.folder.file("known"))")
        var settings = FileServerSettings(
            user: user, proof: .key(path: address.keyFile, passphrase: nil))
        settings.knownHosts = address.knownHosts
        server = try Self.server(address, settings)
        destination = Self.destination(address, server, spool, network)
        folder = daemon.folder
        below = "data/"
        ends = [daemon]
    }

    init(ftp spool: TestSpool, isSecure: Bool = false) async throws {
        network = try Network()
        let shop = isSecure ? try CertificateShop() : nil
        let daemon = try await FTPDaemon(isSecure ? .explicit : .none, try shop?.signed("good"))
        let address = try FilesAddress(
            "ftp://anonymous:desk@localhost:\(daemon.port)/in" + (isSecure ? "" : "?tls=none"))
        let login = try address.login([:])
        var settings = FileServerSettings(user: login.user, proof: .password(login.password ?? ""))
        settings.security = address.allowsPlain ? .none : .required
        settings.privateCA = shop?.authority
        server = try Self.server(address, settings)
        destination = Self.destination(address, server, spool, network)
        folder = daemon.folder
        below = "data/in/"
        ends = [daemon, shop]
    }

    init(lax spool: TestSpool) async throws {
        network = try Network()
        let daemon = try await RcloneFTPDaemon(user: "desk", password: "word")
        let address = try FilesAddress("ftp://desk:word@127.0.0.1:\(daemon.port)/in?tls=none")
        var settings = FileServerSettings(user: "desk", proof: .password("word"))
        settings.security = .none
        server = try Self.server(address, settings)
        destination = Self.destination(address, server, spool, network)
        folder = daemon.folder
        below = "in/"
        ends = [daemon]
    }

    deinit {
        let server = server
        Task { await server.shutDown() }
    }

    /// On a busy machine a server that is asked without a pause stands still for longer than an operator's is waited for.
    private static func server(_ address: FilesAddress, _ settings: FileServerSettings) throws
        -> CurlFileServer
    {
        var limits = HTTPLimits()
        limits.noProgress = .seconds(300)
        return try CurlFileServer(try FilePlace(address.serverURL), settings, limits: limits)
    }

    private static func destination(
        _ address: FilesAddress, _ server: CurlFileServer, _ spool: TestSpool, _ network: Network
    ) -> ServerDestination {
        ServerDestination(
            id: DestinationID(1), address,
            means: network.means(spool, http: network.http, moved: Shared<UInt64>(0)),
            thread: network.thread, connect: { server })
    }

    private var all: [String] {
        folder.contents().filter { $0.hasPrefix(below) }.map { String($0.dropFirst(below.count)) }
    }

    private static func isFinal(_ path: String) -> Bool {
        !path.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    func place() -> DestinationPlace {
        DestinationPlace(
            destination: destination,
            sizes: {
                Dictionary(
                    uniqueKeysWithValues: self.all.filter(Self.isFinal).map { name in
                        var facts = stat()
                        stat(self.folder.file(self.below + name), &facts)
                        return (name, UInt64(facts.st_size))
                    })
            },
            bytes: { try readFile(self.folder.file(self.below + $0)) },
            unfinished: { self.all.filter { !Self.isFinal($0) } },
            overwrite: { try self.folder.write($1, to: self.below + $0) },
            clear: {
                for name in self.all.filter(Self.isFinal) { unlink(self.folder.file(self.below + name)) }
            },
            put: { name, bytes in
                self.folder.makeFolder(String(self.below.dropLast()))
                try self.folder.write(bytes, to: self.below + name)
            })
    }
}
