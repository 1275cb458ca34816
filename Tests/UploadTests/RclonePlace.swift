import Bridge
import Glibc
import Posix
import TestSupport
import Upload
import WorldSupport

/// A store that ignores what it does not know: it replaces what is there, whatever it is asked, and looks at no
/// checksum. Its bucket is a folder.
final class RclonePlace: Sendable {
    static let program = ".build/python/bin/rclone"

    let folder: TemporaryFolder
    let destination: S3Destination
    let moved = Shared<UInt64>(0)
    private let network: Network
    private let daemon: Daemon

    init(_ spool: TestSpool) throws {
        network = try Network()
        folder = try TemporaryFolder()
        folder.makeFolder("photos")
        let port = try FreePort.next()
        daemon = try Daemon(
            Self.program,
            [
                "serve", "s3", "--config", "/dev/null", "--dir-cache-time", "0s", "--auth-key",
                "testkey,testsecret", "--addr",
                "127.0.0.1:\(port)", folder.path,
            ], isLeashed: true)
        try daemon.wait(for: "Starting s3 server")
        let url = "s3://photos?endpoint=http://127.0.0.1:\(port)"
        destination = S3Destination(
            id: DestinationID(1), url: url, try S3Address(url),
            environment: ["AWS_ACCESS_KEY_ID": "testkey", "AWS_SECRET_ACCESS_KEY": "testsecret"],
            means: network.means(spool, moved: moved), notes: Notebook(), thread: network.thread)
    }

    deinit {
        daemon.letGo()
    }

    private func file(_ name: String) -> String { folder.file("photos/\(name)") }

    private var names: [String] {
        folder.contents().filter { $0.hasPrefix("photos/") }.map { String($0.dropFirst("photos/".count)) }
    }

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
            bytes: { try readFile(self.file($0)) }, unfinished: { [] },
            overwrite: { try self.folder.write($1, to: "photos/\($0)") },
            clear: { for name in self.names { unlink(self.file(name)) } }, isInstant: true, goesOn: true)
    }
}
