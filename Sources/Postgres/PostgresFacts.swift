import Database

/// How a server is set up, as far as a program has to know before it relies on it.
package struct PostgresFacts: Equatable, Sendable {
    package let version: Int
    package let encoding: String
    package let collation: String
    package let synchronousCommit: String
    package let hasStandby: Bool
    package let flushes: Bool
    /// Transactions only read unless they say otherwise, by a setting of the role's or the database's.
    package let readsOnly: Bool

    package static let oldestVersion = 15

    package init(_ session: PostgresSession) throws {
        let row = try session.first(
            """
            SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
                (SELECT datcollate FROM pg_database WHERE datname = current_database()) AS collation,
                current_setting('synchronous_commit') AS synchronous, current_setting('fsync') AS flushes,
                current_setting('synchronous_standby_names') AS standbys,
                current_setting('default_transaction_read_only') AS read_only
            """
        ) { row in
            PostgresFacts(
                version: (Int(try row.get("version", as: String.self)) ?? 0) / 10_000,
                encoding: try row["encoding"], collation: try row["collation"],
                synchronousCommit: try row["synchronous"],
                hasStandby: try !row.get("standbys", as: String.self).isEmpty,
                flushes: try row.get("flushes", as: String.self) == "on",
                readsOnly: try row.get("read_only", as: String.self) == "on")
        }
        guard let row else { throw PostgresError.lost("it says nothing of itself", place: session.place) }
        self = row
    }

    package init(
        version: Int, encoding: String, collation: String, synchronousCommit: String, hasStandby: Bool,
        flushes: Bool, readsOnly: Bool = false
    ) {
        self.version = version
        self.encoding = encoding
        self.collation = collation
        self.synchronousCommit = synchronousCommit
        self.hasStandby = hasStandby
        self.flushes = flushes
        self.readsOnly = readsOnly
    }

    /// Why it is not to be relied on, and what to do about that; nothing where it is.
    package var refusal: String? {
        if version < Self.oldestVersion {
            return "the server is PostgreSQL \(version); \(Self.oldestVersion) or newer is needed"
        }
        if encoding != "UTF8" {
            return "the database's encoding is \(encoding), which cannot hold every name and caption; "
                + "make one with: createdb --encoding UTF8 --template template0 NAME"
        }
        if readsOnly {
            return
                "default_transaction_read_only is on, so that nothing can be written; find where it is set with "
                + "SELECT * FROM pg_db_role_setting, and take it back: ALTER ROLE … RESET default_transaction_read_only"
        }
        return Self.refusal(commits: synchronousCommit, hasStandby: hasStandby)
    }

    /// In a statement, that ``refusal(commits:hasStandby:)`` has nothing against the transaction that it is in.
    static let commitsLast = """
        current_setting('synchronous_commit') NOT IN ('off',
            CASE WHEN current_setting('synchronous_standby_names') = '' THEN 'off' ELSE 'local' END)
        """

    /// A session that works by this `synchronous_commit` would lose what it has told as done.
    static func refusal(commits: String, hasStandby: Bool) -> String? {
        if commits == "off" {
            return "synchronous_commit is off: a crash of the server would lose what was acknowledged; "
                + "set it to on for this database: ALTER DATABASE … SET synchronous_commit = on"
        }
        if hasStandby, commits == "local" {
            return
                "synchronous_commit is local though a synchronous standby is configured: its promotion would lose what "
                + "was acknowledged; set it to on or remote_apply: ALTER DATABASE … SET synchronous_commit = on"
        }
        return nil
    }

    /// What is better known, though it keeps nothing from working.
    package var warnings: [String] {
        var warnings: [String] = []
        if ["C", "POSIX"].contains(collation) {
            warnings.append(
                "the database's collation is \(collation): the gallery folds letters itself and does not mind, but what else "
                    + "asks this database finds no upper and lower case of letters beyond ASCII; one made with "
                    + "--locale=C.UTF-8 or another UTF-8 locale does better"
            )
        }
        if hasStandby, synchronousCommit == "remote_write" {
            warnings.append(
                "synchronous_commit is remote_write: where both machines lose power at once, the standby may lack what was "
                    + "acknowledged; on waits until it lies on the standby's disk, too")
        }
        if !flushes {
            warnings.append("fsync is off on the database server: a power cut there loses or damages it")
        }
        return warnings
    }
}
