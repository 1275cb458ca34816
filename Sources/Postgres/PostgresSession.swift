package import Basics
import CPostgres
package import Database

/// The driver for PostgreSQL: one connection at a time, made anew when the last has ended. It belongs to one actor or one
/// thread, which may block.
///
/// It works behind PgBouncer in transaction mode: nothing is kept in a connection between two transactions.
package final class PostgresSession: SQLSession {
    /// How long what may take.
    package struct Patience: Sendable {
        package var connecting = Duration.seconds(5)
        package var statement = Duration.seconds(20)
        /// For finding out what has become of a transaction whose end was not heard.
        package var doubt = Duration.seconds(30)

        package init() {}
    }

    private let address: PostgresAddress
    private let patience: Patience
    private let now: () -> Duration
    private let random: any RandomSource
    private let commits: CommitLog?
    /// Shared by the sessions of one program.
    private let servers: KnownServers
    private var wire: Wire?
    private var isInTransaction = false
    /// The server has begun it, and has not said that it is over.
    private var isUnderWay = false
    private var numbered: [String: String] = [:]
    /// Statements that are generated are not remembered for ever.
    private static let mostNumbered = 512

    /// `commits` is where transactions leave a mark, so that one whose end was not heard is not done twice.
    package init(
        _ address: PostgresAddress, servers: KnownServers, commits: CommitLog?, random: any RandomSource,
        patience: Patience = Patience(), now: @escaping () -> Duration
    ) {
        self.address = address
        self.servers = servers
        self.commits = commits
        self.random = random
        self.patience = patience
        self.now = now
    }

    package var dialect: SQLDialect { .postgres }

    /// For messages: no password is in it.
    package var place: String { wire?.place ?? address.name }

    // MARK: Connections

    /// Once there is a newer primary than the one that this session talks to, it talks to that one. Not in the middle of a
    /// transaction: what is left of it would be done without what came before.
    private func connected() throws(PostgresError) -> Wire {
        if isUnderWay {
            guard let wire else {
                throw PostgresError.lost(
                    "the connection ended in the middle of a transaction", place: address.name)
            }
            return wire
        }
        if let wire, wire.timeline >= servers.newest { return wire }
        wire = nil
        let new = try servers.connect(to: address, within: patience.connecting, now: now)
        wire = new
        return new
    }

    /// After a failure that is the connection's, or may be.
    private func leave(after error: PostgresError) {
        if error.failure == .lost { wire = nil }
    }

    package func disconnect() { wire = nil }

    // MARK: Statements

    @discardableResult
    package func execute(
        _ sql: String, _ values: [any Storable], _ body: (any SQLRow) throws -> Bool
    ) throws -> Int {
        let answer = try ask(sql, values)
        for number in 0..<answer.rows where try !body(PostgresRow(answer: answer, number: number)) { break }
        return answer.changes
    }

    private func ask(_ sql: String, _ values: [any Storable]) throws(PostgresError) -> Answer {
        do throws(PostgresError) {
            return try connected().run(text(sql), values.map(\.stored), within: patience.statement)
        } catch {
            leave(after: error)
            throw error
        }
    }

    /// Several statements that take no values: schemas.
    package func script(_ sql: String) throws(PostgresError) {
        do throws(PostgresError) {
            try connected().script(sql, within: patience.statement)
        } catch {
            leave(after: error)
            throw error
        }
    }

    private func text(_ sql: String) -> String {
        if let known = numbered[sql] { return known }
        let text = Placeholders.numbered(sql)
        if numbered.count >= Self.mostNumbered { numbered = [:] }
        numbered[sql] = text
        return text
    }

    // MARK: Transactions

    /// A process that stands still in the middle of a transaction holds up others for no longer than that.
    private static let begin = """
        BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL lock_timeout = '10s'
        """

    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        precondition(!isInTransaction, "transactions do not nest")
        isInTransaction = true
        defer { isInTransaction = false }
        try script(Self.begin)
        isUnderWay = true
        defer { isUnderWay = false }
        let result: Result
        var mark: [UInt8]?
        do {
            result = try body()
            mark = try leaveMark()
        } catch {
            try rollBack(after: error)
            throw error
        }
        do throws(PostgresError) {
            try script("COMMIT")
        } catch {
            guard let mark, error.failure == .lost else { throw error }
            isUnderWay = false
            guard try isCommitted(mark, after: error) else { throw error }
        }
        return result
    }

    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        precondition(!isInTransaction, "transactions do not nest")
        isInTransaction = true
        defer { isInTransaction = false }
        try script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        isUnderWay = true
        defer { isUnderWay = false }
        do {
            let result = try body()
            try script("COMMIT")
            return result
        } catch {
            try rollBack(after: error)
            throw error
        }
    }

    /// Where the connection is gone the server has undone it already, or will.
    private func rollBack(after error: any Error) throws(PostgresError) {
        guard wire != nil else { return }
        do throws(PostgresError) {
            try script("ROLLBACK")
        } catch {
            // What is thrown is why it was undone.
            wire = nil
        }
    }

    // MARK: Commits in doubt

    /// Nothing where no marks are kept. The mark is written by the server that commits, and only where that is the newest
    /// primary that is known.
    private func leaveMark() throws -> [UInt8]? {
        guard let commits else { return nil }
        let mark = random.bytes(CommitLog.markLength)
        let written = try ask(commits.statement, [mark, servers.newest]).changes
        guard written == 1 else {
            wire = nil
            throw PostgresError(
                "25006", "another server has become the primary; this one takes nothing more", place: place)
        }
        return mark
    }

    /// Whether the transaction that left this mark has come to its good end: asked by leaving the same mark again, which waits
    /// for a transaction that is still ending, and keeps it from ending later.
    private func isCommitted(_ mark: [UInt8], after error: PostgresError) throws -> Bool {
        guard let commits else { throw error }
        let deadline = now() + patience.doubt
        while true {
            do throws(PostgresError) {
                return try ask(commits.question, [mark]).changes == 0
            } catch {
                guard error.failure == .lost || error.failure == .busy, now() < deadline else {
                    throw PostgresError(
                        "08007",
                        "a change was sent, the connection ended before its answer, and no server could be asked about it "
                            + "since (\(error.message))", place: place)
                }
                // Between two servers there is none for a while.
                servers.pause()
            }
        }
    }
}

/// Where transactions leave a mark.
package struct CommitLog: Sendable {
    static let markLength = 16
    private let table: String

    /// Of a table with the columns `mark BYTEA PRIMARY KEY` and `marked_at BIGINT`.
    package init(table: String) {
        self.table = table
    }

    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    /// Writes a mark where the server's timeline is at least the one that is known.
    var statement: String {
        """
        INSERT INTO \(table) (mark, marked_at) SELECT ?1, \(Self.now) WHERE \(KnownServers.timeline) >= ?2
        """
    }

    var question: String {
        "INSERT INTO \(table) (mark, marked_at) VALUES (?1, \(Self.now)) ON CONFLICT (mark) DO NOTHING"
    }
}
