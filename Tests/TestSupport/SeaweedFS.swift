import Glibc
import Synchronization

/// A real object store, one for all tests of a process. Each test has a bucket of its own.
public final class SeaweedFS: Sendable {
    public static let program = ".build/python/bin/weed"
    public static let keyID = "testkey"
    public static let secret = "testsecret"
    public static var isThere: Bool { Tool.isThere(program) }

    /// Where S3 is spoken.
    public let endpoint: String
    /// The store's own door, which asks for no keys: what lies in it is looked at here.
    public let filer: String
    private let daemon: Daemon
    private let folder: TemporaryFolder
    private let ports: [UInt16]
    private let buckets = Mutex(0)

    public static let shared = Result { try SeaweedFS() }

    private init() throws {
        folder = try TemporaryFolder()
        var found: Set<UInt16> = []
        while found.count < 10 { found.insert(try FreePort.next()) }
        ports = Array(found)
        let names = ["master.port", "volume.port", "filer.port", "s3.port", "admin.port"]
        let listening = names.enumerated().flatMap { [ports] index, name in
            ["-\(name)=\(ports[index * 2])", "-\(name).grpc=\(ports[index * 2 + 1])"]
        }
        daemon = try Daemon(
            Self.program,
            [
                "mini", "-dir=\(folder.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                "-master.telemetry=false", "-admin.ui=false", "-webdav=false", "-s3.port.lance=0",
                "-s3.port.iceberg=0", "-filer.maxMB=16",
            ] + listening,
            environment: [
                "AWS_ACCESS_KEY_ID": Self.keyID, "AWS_SECRET_ACCESS_KEY": Self.secret, "S3_BUCKET": "first",
            ], isLeashed: true)
        filer = "http://127.0.0.1:\(ports[4])"
        endpoint = "http://127.0.0.1:\(ports[6])"
        try daemon.wait(for: "All enabled components are running")
        atexit {
            if case .success(let store) = SeaweedFS.shared { store.end() }
        }
    }

    /// It leaves sockets behind, named by its ports.
    private func end() {
        daemon.letGo()
        folder.remove()
        for port in ports {
            for name in ["filer", "s3", "admin-grpc", "filer-grpc", "master-grpc", "s3-grpc", "volume-grpc"] {
                unlink("/tmp/seaweedfs-\(name)-\(port).sock")
            }
        }
    }

    /// For clients that find the store as S3 tools do.
    public var environment: [String: String] {
        [
            "AWS_ACCESS_KEY_ID": Self.keyID, "AWS_SECRET_ACCESS_KEY": Self.secret,
            "AWS_ENDPOINT_URL": endpoint, "AWS_REGION": "us-east-1",
            // What this machine's user has is no business of a test.
            "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        ]
    }

    /// A new bucket, made through the store's own door.
    public func makeBucket() throws -> String {
        let number = buckets.withLock { number in
            number += 1
            return number
        }
        let bucket = "bucket-\(number)"
        try curl(["-X", "POST", "\(filer)/buckets/\(bucket)/"])
        return bucket
    }

    /// What the store's own door says.
    @discardableResult
    public func curl(_ arguments: [String]) throws -> [UInt8] {
        guard let curl = Tool("curl") else { throw FileProblem(path: "curl", number: 2) }
        let output = try curl.run(["--silent", "--show-error", "--fail", "--globoff"] + arguments)
        guard output.code == 0 else { throw StoreProblem(description: output.errors) }
        return output.output
    }

    public struct StoreProblem: Error, CustomStringConvertible {
        public let description: String
    }
}
