import Arguments
import Basics
import Gallery
import Posix
import Postgres

/// Where a gallery's rows are, as the command line says: in a file of the data folder, or at a server of PostgreSQL.
struct DatabaseChoice {
    static let option = OptionSpec(
        "database", "URL",
        "A database of PostgreSQL instead of a file, for several nodes: postgres://user@host/name, with all that libpq takes; "
            + "its password comes from PGPASSWORD, ~/.pgpass or a service file.")
    static let serveOptions = [
        option,
        OptionSpec(
            "listen-database", "URL",
            "The same database without a pooler between, for hearing of other nodes' changes. [the same]"),
        OptionSpec("database-connections", "N", "Connections that write, and as many that read. [6]"),
        OptionSpec(
            "node", "NAME",
            "What this node is called in logs, metrics and leases: letters, digits and . _ : - [host:port]"),
        OptionSpec(
            "lease", "SECONDS",
            "How long a node keeps work without a sign of life, before another begins it anew. [30]"),
        OptionSpec(
            "drain", "SECONDS",
            "How long /ready says no before a node stops listening, so that a balancer sends clients elsewhere. "
                + "[5 with --database, else 0]"),
    ]

    private let data: DataFolder
    private let address: PostgresAddress?
    private let bell: PostgresAddress?
    let connections: Int
    let lease: Duration

    init(_ invocation: Invocation, _ data: DataFolder) throws {
        self.data = data
        address = try Self.address(invocation, "database")
        bell = try Self.address(invocation, "listen-database")
        connections =
            try invocation.path.first == "serve"
            ? invocation.integer("database-connections", in: 1...100) ?? GalleryDatabase.usualConnections : 1
        lease = .seconds(
            try invocation.path.first == "serve" ? invocation.integer("lease", in: 3...3600) ?? 30 : 30)
        if bell != nil, address == nil {
            throw UsageError("--listen-database belongs to --database.")
        }
    }

    static func address(_ invocation: Invocation, _ name: String) throws -> PostgresAddress? {
        guard let text = invocation.value(name) else { return nil }
        guard PostgresAddress.isMeant(by: text) else {
            throw UsageError("--\(name) is an address such as postgres://gallery@db.example.org/gallery.")
        }
        do throws(PostgresAddress.Unreadable) {
            return try PostgresAddress(text)
        } catch {
            throw UsageError("--\(name): \(error)")
        }
    }

    /// Rows are shared with other nodes.
    var isShared: Bool { address != nil }

    /// For messages.
    var name: String { address?.name ?? data.path }

    /// The server, without a look at it; nothing where rows are in a file.
    func server(_ time: any TimeSource) -> PostgresGallery? {
        address.map { address in
            PostgresGallery(
                address, bell: bell, servers: KnownServers(), time: time, random: SystemRandomSource())
        }
    }

    /// What is needed of the database is there and as it should be; made where it may be. `say` is told what was done.
    func open(
        _ time: any TimeSource, node: String = "command", migrates: Bool, _ say: (String) -> Void
    ) throws -> GalleryDatabase {
        guard let server = server(time) else { return try data.open(time) }
        for warning in try server.facts().warnings { say("\(server.address.name): \(warning)") }
        if migrates { for step in try server.migrate() { say("\(server.address.name): \(step)") } }
        try server.check()
        let random = SystemRandomSource()
        let worker = Worker(name: "\(node)#\(String(random.next(), radix: 36))", lease: lease)
        return try GalleryDatabase(
            .server(server, worker, connections: connections), time: time, wall: SystemWallTime(),
            random: random)
    }

    /// The same for a command that changes nothing, also beside a program that serves.
    func openForReading(_ time: any TimeSource) throws -> GalleryDatabase {
        guard isShared else {
            return try GalleryDatabase(reading: data.database, time: time, random: SystemRandomSource())
        }
        return try open(time, migrates: false) { printError("gallery: \($0)") }
    }

    /// What log-ins and passes are signed with: of all nodes the same. The first is made where there is none yet.
    func keys(_ database: GalleryDatabase, _ time: any TimeSource) async throws -> KeyRing {
        let place: any KeyPlace = isShared ? SharedKeys(database.store) : try data.keys()
        return try await KeyRing(at: place, time: time)
    }

    /// The same for a command that signs nothing: it leaves a database that no node was started with without a key, so that a
    /// gallery can still be moved there with its own.
    func knownKeys(_ database: GalleryDatabase, _ time: any TimeSource) async throws -> KeyRing? {
        if isShared, try await database.store({ try $0.signingKeys() }).isEmpty { return nil }
        return try await keys(database, time)
    }
}

/// `gallery migrate`
struct MigrateCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "migrate", "Brings a database of PostgreSQL to this program's version of the tables.")
        spec.discussion = [
            "'serve' does the same when it starts. Nodes of the version before go on working beside the new tables, so that they are "
                + "replaced one by one."
        ]
        spec.options = [DatabaseChoice.option]
        spec.examples = ["gallery migrate --database postgres://gallery@db.example.org/gallery"]
        return spec
    }()

    static func run(_ invocation: Invocation, on reactor: Reactor) throws {
        let choice = try DatabaseChoice(invocation, try DataFolder(nil))
        guard let server = choice.server(reactor) else {
            throw UsageError(
                "Say --database postgres://…; a gallery in a folder is brought up by 'gallery serve'.")
        }
        for warning in try server.facts().warnings { printError("gallery: \(warning)") }
        let steps = try server.migrate()
        for step in steps { printOutput("gallery: \(server.address.name): \(step)") }
        if steps.isEmpty { printOutput("gallery: \(server.address.name) is at this program's version") }
    }
}
