package import Database

/// What PostgreSQL, or the way to it, could not do: the server's own words, its code, and the statement.
package struct PostgresError: Error, Equatable, Sendable {
    /// As the standard's five letters and digits say it; nothing where no server has answered.
    package let state: String?
    package let message: String
    package let sql: String?
    /// Which server, without its password.
    package let place: String

    package init(_ state: String?, _ message: String, sql: String? = nil, place: String) {
        self.state = state
        self.message = message
        self.sql = sql
        self.place = place
    }

    /// "Transaction resolution unknown."
    static let unknownState = "08007"

    /// The connection ended, or never was.
    static func lost(_ message: String, sql: String? = nil, place: String) -> PostgresError {
        PostgresError(nil, message, sql: sql, place: place)
    }
}

extension PostgresError: SQLError {
    /// <https://www.postgresql.org/docs/15/errcodes-appendix.html>
    package var failure: SQLFailure {
        guard let state else { return .lost }
        switch state {
        case "23505": return .uniqueViolated
        case "23503": return .foreignKeyViolated
        case "23514", "23502", "22001", "22003": return .checkViolated
        // Text that this database cannot hold: a NUL.
        case "22021", "22P05": return .checkViolated
        // Serialization, deadlocks, locks and statements that took too long: the same again may do.
        case "40001", "40P01", "55P03", "57014": return .busy
        case "53100": return .noRoom
        // A standby, or a primary that has become one.
        case "25006": return .lost
        // It was waited for with a transaction open, as after a pause of the whole process.
        case "25P03": return .lost
        // Too many connections.
        case "53300": return .lost
        case Self.unknownState: return .unknown
        default: break
        }
        // The server ends or starts; the connection is at fault.
        return state.hasPrefix("57P") || state.hasPrefix("08") ? .lost : .other
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        let statement = sql.map { " in \($0.split(whereSeparator: \.isWhitespace).joined(separator: " "))" }
        let code = state.map { " (SQLSTATE \($0))" } ?? ""
        // "Insufficient privilege."
        let remedy = state == "42501" ? "; let the role own the database: ALTER DATABASE … OWNER TO …" : ""
        return "\(place): \(message)\(code)\(statement ?? "")\(remedy)"
    }
}
