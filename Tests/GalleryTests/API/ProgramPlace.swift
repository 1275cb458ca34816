import Database
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// Where the program of a test has what it keeps: everything in one folder, or, where tests run on PostgreSQL, its rows there
/// and its photos in a bucket.
final class ProgramPlace: Sendable {
    let folder: TemporaryFolder
    let data: String
    private let database: PostgresServer.Database?
    /// Of its own; a test that names a storage has another.
    private let bucket: (store: SeaweedFS, name: String)?
    /// What programs have to know besides their options.
    let environment: [String: String]
    /// What a command is told that looks at rows.
    let rows: [String]
    /// What a command is told that looks at rows and at photos.
    let everything: [String]
    /// What `gallery serve` is told.
    let serving: [String]
    /// What lines of its log and its metrics say of it, where there may be others beside it.
    let node: String?

    private static let prefix = "weddings"

    /// `storage` is what the test says of it, where it does.
    init(storage: String?, environment: [String: String]) throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        data = folder.file("data")
        guard PostgresServer.isWanted else {
            (database, bucket, self.environment) = (nil, nil, environment)
            rows = ["--data", data]
            everything = rows + (storage.map { ["--storage", $0] } ?? [])
            (serving, node) = (everything, nil)
            return
        }
        let database = try PostgresServer.shared.get().freshDatabase()
        let (url, bell) = database.server.urls(database.name)
        rows = ["--data", data, "--database", url]
        self.database = database
        if let storage {
            (bucket, self.environment) = (nil, environment)
            everything = rows + ["--storage", storage]
        } else {
            let store = try SeaweedFS.shared.get()
            let name = try store.makeBucket()
            bucket = (store, name)
            self.environment = store.environment.merging(environment) { $1 }
            everything = rows + ["--storage", "s3://\(name)/\(Self.prefix)"]
        }
        let name = "node-a"
        node = name
        serving = everything + ["--listen-database", bell, "--node", name]
    }

    /// Where pages may have pictures from, besides the program.
    var imageSource: String? { bucket?.store.endpoint }

    /// What log-ins are signed with.
    func secret() throws -> ServerSecret {
        guard let database else { return ServerSecret(try readFile("\(data)/\(KeyFiles.firstName)")) }
        let session = try database.server.session(database.name)
        return ServerSecret(
            try session.all("SELECT number, secret FROM signing_keys WHERE number > 0") { row in
                ServerSecret.Key(number: try row["number"], try row["secret"])
            })
    }

    /// An object is gone, as by an accident.
    func lose(_ key: String) throws {
        if let bucket {
            try bucket.store.curl(
                ["-X", "DELETE", "\(bucket.store.filer)/buckets/\(bucket.name)/\(Self.prefix)/\(key)"])
        } else {
            let path = ObjectTree(path: "\(data)/objects").path(of: key)
            guard unlink(path) == 0 else { throw FileProblem(path: path, number: errno) }
        }
    }

    /// All that is kept of rows and of keys, as a thief would have it: the folder's files, and what pg_dump says.
    func kept() throws -> [(name: String, bytes: [UInt8])] {
        let files = try #require(Tool("find")).run([data, "-type", "f"]).lines
        let all = try files.map { ($0, try readFile($0)) }
        guard let database else { return all }
        let dump = try #require(Tool("\(PostgresServer.programs)/pg_dump")).run(
            [database.server.url(database.name)])
        try #require(dump.code == 0, "\(dump.errors)")
        return all + [("pg_dump", dump.output)]
    }
}

extension Trait where Self == ConditionTrait {
    /// What is only about a gallery that has its rows and its photos in one folder.
    static var inFolder: Self {
        .enabled(if: !PostgresServer.isWanted, "it is about a gallery that has everything in one folder")
    }
}
