import CPostgres

/// Which statements the server of one connection has parsed and planned already, so that it does not do so each time: of a
/// search in 50,000 photos that is a third of the time.
///
/// They live as long as the connection, which has to lead to one process of the server all that time: through PgBouncer in
/// transaction mode it does not, and there nothing is prepared (see ``KnownServers``).
struct PreparedStatements {
    enum Use: Equatable {
        /// As it is, with its values: it may never come again.
        case plain
        /// To be prepared under this name first.
        case new(String)
        case known(String)
    }

    /// The same text with values of other types is another statement.
    private struct Key: Hashable {
        let sql: String
        let types: [Oid]
    }

    private enum Standing {
        case seen
        case named(String)
    }

    private var standings: [Key: Standing] = [:]
    private var count = 0

    /// Of one connection: the server keeps a plan for each.
    static let most = 128
    /// Texts that came once are remembered up to there.
    private static let mostSeen = 1024

    /// How a statement is run. It is taken for prepared from then on: where that fails, ``forget(_:_:)`` it.
    mutating func use(_ sql: String, _ types: [Oid]) -> Use {
        let key = Key(sql: sql, types: types)
        switch standings[key] {
        case .named(let name): return .known(name)
        case .seen where count < Self.most && Self.isPlanned(sql):
            count += 1
            let name = "s\(count)"
            standings[key] = .named(name)
            return .new(name)
        case .seen: return .plain
        case nil:
            if standings.count < Self.mostSeen { standings[key] = .seen }
            return .plain
        }
    }

    /// It could not be prepared.
    mutating func forget(_ sql: String, _ types: [Oid]) {
        standings[Key(sql: sql, types: types)] = nil
    }

    /// What the server makes a plan for; settings and schemas it does not.
    private static func isPlanned(_ sql: String) -> Bool {
        ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
    }

    /// What a failure says of a statement that was prepared.
    enum Loss {
        /// The server knows it no more: something between leads to another of its processes, or has tidied up.
        case unknown
        /// A table has changed since: a newer program has migrated it.
        case changed
    }

    static func loss(_ error: PostgresError) -> Loss? {
        switch error.state {
        case "26000": .unknown
        case "0A000" where error.message.contains("cached plan"): .changed
        default: nil
        }
    }
}
