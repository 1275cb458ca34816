import Database
import TestSupport

/// Asks a database how it would answer what the program asks it, and answers nothing.
final class ExplainedSession: SQLSession {
    private let session: any SQLSession
    private let plans: Shared<[String]>

    init(_ session: any SQLSession, _ plans: Shared<[String]>) throws {
        (self.session, self.plans) = (session, plans)
        guard session.dialect == .postgres else { return }
        // Of a few photos PostgreSQL would rather read them all.
        for way in ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"] {
            try session.run("SET enable_\(way) = off")
        }
    }

    var dialect: SQLDialect { session.dialect }

    func execute(
        _ sql: String, _ values: [any Storable], _ body: (any SQLRow) throws -> Bool
    ) throws -> Int {
        let explain =
            dialect == .postgres ? ("EXPLAIN", "QUERY PLAN") : ("EXPLAIN QUERY PLAN", "detail")
        var lines: [String] = []
        try session.execute("\(explain.0) \(sql)", values) { row in
            lines.append(try row.get(explain.1, as: String.self))
            return true
        }
        let plan = lines.joined(separator: "; ")
        plans.change { $0.append(plan) }
        return 0
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try session.transaction(body)
    }

    func snapshot<Result>(settings: [String], _ body: () throws -> Result) throws -> Result {
        try session.snapshot(settings: settings, body)
    }
}
