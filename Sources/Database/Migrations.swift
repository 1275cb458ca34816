import Glibc

/// What a kind of database is, and how each version of it came out of the one before.
///
/// Steps are only ever appended: a database that is out there has run the old ones as they were.
public struct Migrations: Sendable {
    /// Written into the file's header, so that another program's database is not taken for ours.
    public let applicationID: Int32
    /// SQL that leads from version n to n + 1.
    public let steps: [String]
    public let advice: OpeningAdvice

    public init(applicationID: Int32, steps: [String], advice: OpeningAdvice) {
        self.applicationID = applicationID
        self.steps = steps
        self.advice = advice
    }

    public var version: Int { steps.count }
}

/// What an operator can do about a kind of database, in the words of the program that it belongs to.
public struct OpeningAdvice: Equatable, Sendable {
    /// Such as "name another home".
    public let goElsewhere: String
    /// The command that brings an older one up to date.
    public let update: String
    /// What is had again without it, as an end of a sentence; may be empty.
    public let withoutIt: String

    public init(goElsewhere: String, update: String, withoutIt: String = "") {
        self.goElsewhere = goElsewhere
        self.update = update
        self.withoutIt = withoutIt
    }
}

/// Why a file was not opened. Nothing of it was changed.
public struct Refusal: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case foreign(applicationID: Int)
        case newer(version: Int, known: Int)
        case damaged(problems: [String])
        case older(version: Int, known: Int)
        /// Its contents are kept elsewhere now.
        case closed(because: String)
    }

    public let path: String
    public let reason: Reason
    public let advice: OpeningAdvice
}

extension Refusal: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .foreign(let id):
            "\(path) is a database of another program (application id \(id)); nothing was changed. "
                + "\(advice.goElsewhere.prefix(1).uppercased())\(advice.goElsewhere.dropFirst())."
        case .newer(let version, let known):
            "\(path) was made by a newer Tetherline (version \(version), this one knows \(known)); nothing was "
                + "changed. Use the newer program, or \(advice.goElsewhere)."
        case .damaged(let problems):
            "\(path) is damaged: \(problems.prefix(3).joined(separator: "; ")). Nothing was changed. Keep it, put a "
                + "backup in its place, or \(advice.goElsewhere)\(advice.withoutIt)."
        case .older(let version, let known):
            "\(path) is of version \(version), this program reads \(known): start '\(advice.update)' once, which "
                + "brings it up to date."
        case .closed(let reason): "\(path) is closed: \(reason)"
        }
    }
}

extension Connection {
    /// Opens for writing: what is there is looked at first, and refused untouched when it is not ours or not whole.
    /// Up to `limit` bytes all of it is read for damage; that takes a tenth of a second at the usual one.
    public static func open(
        path: String, _ migrations: Migrations, quickCheckUpTo limit: Int64 = 32 << 20
    ) throws -> Connection {
        if let size = FileSizes.size(of: path), size > 0 {
            try inspect(path: path, migrations, mayBeOlder: true, checks: size <= limit)
        }
        let connection = try Connection(path: path, .readWrite)
        try connection.configure()
        try connection.migrate(migrations)
        return connection
    }

    /// Opens for reading, beside a writer or alone.
    public static func openForReading(path: String, _ migrations: Migrations) throws -> Connection {
        try inspect(path: path, migrations, mayBeOlder: false, checks: false)
        return try Connection(path: path, .readOnly)
    }

    static func inspect(
        path: String, _ migrations: Migrations, mayBeOlder: Bool, checks: Bool
    ) throws {
        func refusal(_ reason: Refusal.Reason) -> Refusal {
            Refusal(path: path, reason: reason, advice: migrations.advice)
        }
        do {
            // Without a log nothing but the file itself is looked at; with one, only the index beside it is renewed.
            let hasLog = FileSizes.size(of: path + "-wal") != nil
            let look = try Connection(path: path, hasLog ? .readOnly : .immutable)
            let version = try look.pragma("user_version")
            let id = try look.pragma("application_id")
            let tables = try look.first("SELECT count(*) FROM sqlite_master") { row in
                try row.get(0, as: Int.self)
            }
            if id != Int(migrations.applicationID), id != 0 || version != 0 || tables != 0 {
                throw refusal(.foreign(applicationID: id))
            }
            if version & Migrations.closed != 0 {
                throw refusal(.closed(because: try look.reasonOfClosure()))
            }
            if version > migrations.version {
                throw refusal(.newer(version: version, known: migrations.version))
            }
            if version < migrations.version, !mayBeOlder {
                throw refusal(.older(version: version, known: migrations.version))
            }
            let problems = checks ? try look.problems(isQuick: true, limit: 5) : []
            if !problems.isEmpty { throw refusal(.damaged(problems: problems)) }
        } catch let error as DatabaseError {
            switch error.code {
            case .corrupt, .notADatabase: throw refusal(.damaged(problems: [error.message]))
            default: throw error
            }
        }
    }

    func configure() throws {
        // WAL with FULL lost no acknowledged row in real power cuts; NORMAL lost hundreds each time.
        try script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        // A log that grew while a reader held it back is cut again.
        try script("PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -8192")
    }

    private func migrate(_ migrations: Migrations) throws {
        while try pragma("user_version") < migrations.version {
            try transaction { () in
                let version = try pragma("user_version")
                try script(migrations.steps[version])
                try script(
                    "PRAGMA application_id = \(migrations.applicationID); PRAGMA user_version = \(version + 1)"
                )
            }
        }
    }

    public func pragma(_ name: String) throws -> Int {
        try first("PRAGMA \(name)") { row in try row.get(0, as: Int.self) } ?? 0
    }
}

private enum FileSizes {
    /// Nothing where there is no file.
    static func size(of path: String) -> Int64? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int64(facts.st_size) : nil
    }
}
