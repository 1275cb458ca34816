import Basics
import Bridge
import Glibc
import Posix
import TestSupport
import Upload
import WorldSupport

/// A folder of a real WebDAV server, and a destination that delivers to it.
final class WebDAVPlace: Sendable {
    let server: DAVServer
    let destination: ServerDestination
    let moved = Shared<UInt64>(0)
    private let network: Network

    static let user = "desk"
    static let password = "p a%s/word"

    /// The user's name is asked for, too, where `asks`.
    init(
        _ spool: TestSpool, path: String = "/", query: String = "", user: String = "", asks: Bool = false,
        environment: [String: String] = [:], more: String = "",
        over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws {
        server = try DAVServer(
            server: """
                root FOLDER/files;
                location / {
                    \(asks ? "auth_basic photos; auth_basic_user_file FOLDER/users;" : "")
                    dav_methods PUT DELETE MKCOL COPY MOVE;
                    dav_access user:rw;
                    \(more)
                }
                """)
        server.folder.makeFolder("files")
        try server.folder.write("\(Self.user):{PLAIN}\(Self.password)\n", to: "users")
        network = try Network()
        let address = try WebDAVAddress("webdav://\(user)127.0.0.1:\(server.port)\(path)\(query)")
        destination = ServerDestination(
            id: DestinationID(1), address, environment: environment,
            means: network.means(spool, http: wrap(network.http), moved: moved), thread: network.thread)
    }

    func deliver(_ job: Job) async -> DeliveryOutcome { await destination.deliver(job) }

    private var all: [String] {
        server.folder.contents().filter { $0.hasPrefix("files/") }.map {
            String($0.dropFirst("files/".count))
        }
    }

    private static func isFinal(_ path: String) -> Bool {
        !path.split(separator: "/").contains { $0.hasPrefix(".") }
    }

    var names: [String] { all.filter(Self.isFinal) }
    var unfinished: [String] { all.filter { !Self.isFinal($0) } }

    func file(_ name: String) -> String { server.folder.file("files/\(name)") }
    func bytes(_ name: String) throws -> [UInt8] { try readFile(file(name)) }

    func place() -> DestinationPlace {
        DestinationPlace(
            destination: destination,
            sizes: {
                Dictionary(
                    uniqueKeysWithValues: self.names.map { name in
                        var facts = stat()
                        stat(self.file(name), &facts)
                        return (name, UInt64(facts.st_size))
                    })
            },
            bytes: { try self.bytes($0) }, unfinished: { self.unfinished },
            overwrite: { try self.server.folder.write($1, to: "files/\($0)") },
            clear: { for name in self.names { unlink(self.file(name)) } },
            put: { try self.server.folder.write($1, to: "files/\($0)") },
            // This server shows a file only when it has all of it.
            isInstant: true)
    }
}
