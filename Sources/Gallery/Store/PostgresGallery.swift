package import Basics
import Database
package import Postgres

/// A gallery's tables on a server of PostgreSQL. Nothing else in the gallery names that engine.
package struct PostgresGallery: Sendable {
    package let address: PostgresAddress
    /// Direct, where the other leads through a pooler that passes no notifications on.
    package let bellAddress: PostgresAddress
    package let servers: KnownServers
    let random: any RandomSource
    let time: any TimeSource

    /// Every node rings and hears it.
    static let channel = "tetherline_gallery"

    package init(
        _ address: PostgresAddress, bell: PostgresAddress? = nil, servers: KnownServers, time: any TimeSource,
        random: any RandomSource
    ) {
        self.address = address
        bellAddress = bell ?? address
        self.servers = servers
        self.time = time
        self.random = random
    }

    /// Connects when it is first used.
    func session(_ patience: PostgresSession.Patience = PostgresSession.Patience()) -> PostgresSession {
        PostgresSession(
            address, servers: servers, commits: CommitLog(table: "commit_marks"), random: random,
            patience: patience, now: { time.now })
    }

    func bell() -> PostgresBell {
        PostgresBell(bellAddress, servers: servers, channel: Self.channel, now: { time.now })
    }

    func watch() -> ServerWatch {
        ServerWatch(bellAddress, servers: servers, now: { time.now })
    }

    // MARK: Versions

    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    /// What stands in the database: its version, and the oldest program, by its own version, that works beside that. Nothing
    /// where there is no gallery yet.
    struct Version: Equatable, Sendable {
        let version: Int
        let worksWith: Int

        /// Why this program does not work with it; nothing where it does.
        var refusal: String? {
            let known = PostgresSchema.version
            if version < known {
                return
                    "the database has version \(version) of the gallery's tables, and this program needs \(known); "
                    + "run: gallery migrate --database …"
            }
            if worksWith > known {
                return
                    "the database has version \(version) of the gallery's tables, made by a newer program, and this one "
                    + "knows \(known); install the newer program"
            }
            return nil
        }
    }

    static func version(_ session: any SQLSession) throws -> Version? {
        guard try session.has("SELECT 1 WHERE to_regclass('gallery_schema') IS NOT NULL") else { return nil }
        return try session.first(
            "SELECT version, works_with FROM gallery_schema ORDER BY version DESC LIMIT 1"
        ) { Version(version: try $0["version"], worksWith: try $0["works_with"]) }
    }

    /// Looks at how the server is set up. Throws where it is not to be relied on.
    package func facts() throws -> PostgresFacts {
        let facts = try PostgresFacts(session())
        if let refusal = facts.refusal { throw Refusal(description: "\(address.name): \(refusal)") }
        return facts
    }

    /// Any number that no other program on that database takes for its own.
    static let lock = 0x4741_4C4C_4552_59

    /// Brings the tables to this program's version, each step in a transaction of its own; one program at a time. What was
    /// done, a sentence each. Throws where the tables are a newer program's that this one does not work with.
    ///
    /// Where nothing is to be done nothing is written, so that a program starts also while every COMMIT waits for a standby.
    package func migrate() throws -> [String] {
        let looking = session()
        var done: [String] = []
        while true {
            let current = try Self.version(looking)
            if let current, current.version >= PostgresSchema.version {
                if let refusal = current.refusal {
                    throw Refusal(description: "\(address.name): \(refusal)")
                }
                return done
            }
            if let step = try takeStep() { done.append(step) }
        }
    }

    /// The next one; nothing where another program has done the last of them meanwhile.
    private func takeStep() throws -> String? {
        var patience = PostgresSession.Patience()
        patience.statement = Self.longestStep
        let session = session(patience)
        return try session.transaction {
            // Who brings the tables up to date on another node is waited for; a table that others use is not, so
            // that they do not queue up behind this.
            try session.script("SET LOCAL lock_timeout = 0")
            try session.run("SELECT pg_advisory_xact_lock(?)", Self.lock)
            try session.script("SET LOCAL lock_timeout = '10s'")
            let current = try Self.version(session)
            if let current, current.version >= PostgresSchema.version { return nil }
            let next = current.map { $0.version + 1 } ?? PostgresSchema.firstVersion
            guard next >= PostgresSchema.firstVersion else {
                throw Refusal(
                    description:
                        "\(address.name) has version \(next - 1) of the tables, which no program made")
            }
            let step = PostgresSchema.steps[next - PostgresSchema.firstVersion]
            if current == nil { try session.script(Self.beginning) }
            try session.script(step.sql)
            try session.run(
                "INSERT INTO gallery_schema (version, works_with) VALUES (?, ?)", next, step.worksWith)
            return current == nil
                ? "made the tables, version \(next)" : "brought the tables to version \(next)"
        }
    }

    /// A step may write every row of a large gallery, or make an index of them.
    private static let longestStep = Duration.seconds(600)

    private static let beginning = """
        CREATE TABLE gallery_schema (version BIGINT PRIMARY KEY, works_with BIGINT NOT NULL);
        """

    /// Throws where the tables are not there, or are none that this program works with.
    package func check() throws {
        guard let version = try Self.version(session()) else {
            throw Refusal(
                description: "\(address.name) holds no gallery yet; run: gallery migrate --database …")
        }
        if let refusal = version.refusal { throw Refusal(description: "\(address.name): \(refusal)") }
        if let place = try MoveLog.unfinished(session()) {
            throw Refusal(
                description:
                    "\(address.name): the gallery of \(place) is being moved here and is not whole yet; "
                    + "run the same 'gallery move' again until it says that it is done")
        }
    }
}

extension PostgresSession {
    fileprivate func run(_ sql: String, _ value: Int) throws { try execute(sql, [value]) { _ in true } }
}
