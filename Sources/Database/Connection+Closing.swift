/// A database whose contents are kept elsewhere now. No program opens it until it is reopened, and that holds for programs
/// that were made before there was such a thing: its version is far above what any of them knows.
extension Migrations {
    /// Added to the version of a database that is closed.
    static let closed = 1 << 30
}

extension Connection {
    /// Closes what lies there; a program that opens it is told the reason, a whole sentence.
    public static func close(path: String, _ migrations: Migrations, because reason: String) throws {
        let connection = try open(path: path, migrations)
        try connection.transaction {
            try connection.script("CREATE TABLE closure (reason TEXT NOT NULL) STRICT")
            try connection.run("INSERT INTO closure VALUES (?)", reason)
            try connection.script("PRAGMA user_version = \(Migrations.closed + migrations.version)")
        }
    }

    /// Says whether it was closed. One that was is afterwards as it was before.
    public static func reopen(path: String, _ migrations: Migrations) throws -> Bool {
        guard try closure(path: path, migrations) != nil else { return false }
        let connection = try Connection(path: path, .readWrite)
        try connection.configure()
        try connection.transaction {
            let version = try connection.pragma("user_version")
            try connection.script(
                "DROP TABLE closure; PRAGMA user_version = \(version & ~Migrations.closed)")
        }
        return true
    }

    /// Why no program opens it; nothing where one may.
    public static func closure(path: String, _ migrations: Migrations) throws -> String? {
        do {
            try inspect(path: path, migrations, mayBeOlder: true, checks: false)
            return nil
        } catch let refusal as Refusal {
            guard case .closed(let reason) = refusal.reason else { throw refusal }
            return reason
        }
    }

    func reasonOfClosure() throws -> String {
        try first("SELECT reason FROM closure") { row in try row.get(0, as: String.self) }
            ?? "nobody has written down why"
    }
}
