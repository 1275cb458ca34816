package import Basics
import CPostgres
package import Database

/// The driver for PostgreSQL: one connection at a time, made anew when the last has ended. It belongs to one actor or one
/// thread, which may block.
///
/// It works behind PgBouncer in transaction mode: there nothing is kept in a connection between two transactions.
package final class PostgresSession: SQLSession {
    /// How long what may take.
    package struct Patience: Sendable {
        package var connecting = Duration.seconds(5)
        /// A statement. A transaction is known to be done or not so long after its beginning, unless its statements have taken
        /// longer by themselves.
        package var statement = Duration.seconds(20)
        /// What is left of that for a COMMIT at the least, however long it took to get there.
        package var commit = Duration.seconds(5)

        package init() {}
    }

    private let address: PostgresAddress
    let patience: Patience
    let now: () -> Duration
    let random: any RandomSource
    let commits: CommitLog?
    /// Shared by the sessions of one program.
    let servers: KnownServers
    var wire: Wire?
    /// A connection whose last COMMIT still waits, most likely for a standby: until that has come to its end nothing else is
    /// begun, or a server would soon have as many of these as it takes connections.
    var ending: Wire?
    private var isInTransaction = false
    /// The server has begun it, and has not said that it is over.
    var isUnderWay = false
    /// Until a server has forgotten what was prepared.
    private var mayPrepare = true
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
        let limit = "SET LOCAL statement_timeout = \(patience.statement.wholeMilliseconds)"
        begin = commits == nil ? Self.begin : "\(Self.begin); \(limit)"
    }

    package var dialect: SQLDialect { .postgres }

    /// For messages: no password is in it.
    package var place: String { wire?.place ?? address.name }

    // MARK: Connections

    /// Once there is a newer primary than the one that this session talks to, it talks to that one. Not in the middle of a
    /// transaction: what is left of it would be done without what came before.
    func connected(within limit: Duration? = nil) throws(PostgresError) -> Wire {
        if isUnderWay {
            guard let wire else {
                throw PostgresError.lost(
                    "the connection ended in the middle of a transaction", place: address.name)
            }
            return wire
        }
        if let wire, wire.timeline >= servers.newest, isReady(wire) { return wire }
        wire = nil
        if let ended = try waitingOver() {
            wire = ended
            return ended
        }
        let most = min(patience.connecting, limit ?? patience.connecting)
        let new = try servers.connect(to: address, within: most, now: now)
        if !mayPrepare { new.prepared = nil }
        wire = new
        return new
    }

    /// The last snapshot on it has come to its end. Where it does not, another connection goes on: this one had only read.
    private func isReady(_ wire: Wire) -> Bool {
        do throws(PostgresError) {
            if wire.isAnswering { try wire.finish(Self.commit, within: .seconds(1)) }
            return true
        } catch {
            return false
        }
    }

    /// The connection whose COMMIT was waited for in vain, where it has come to its end since. There is none where it has ended
    /// itself, or where another server is the primary now.
    private func waitingOver() throws(PostgresError) -> Wire? {
        guard let ending else { return nil }
        guard ending.timeline >= servers.newest else {
            self.ending = nil
            return nil
        }
        do throws(PostgresError) {
            try ending.finish(Self.commit, within: .milliseconds(100))
        } catch {
            guard ending.isAnswering, ending.isOpen else {
                self.ending = nil
                return nil
            }
            throw PostgresError.lost(
                "a change of before still waits for its COMMIT; is the standby there?", place: ending.place)
        }
        self.ending = nil
        return ending
    }

    /// After a failure that is the connection's, or may be.
    func leave(after error: PostgresError) {
        if error.failure == .lost { wire = nil }
    }

    /// The same again on another connection may do where a prepared statement was at fault.
    private func meaning(of error: PostgresError) -> PostgresError {
        guard let loss = PreparedStatements.loss(error) else { return error }
        if loss == .unknown { mayPrepare = false }
        return .lost(error.message, sql: error.sql, place: error.place)
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

    func ask(
        _ sql: String, _ values: [any Storable], within limit: Duration? = nil
    ) throws(PostgresError) -> Answer {
        do throws(PostgresError) {
            return try connected(within: limit).run(
                text(sql), values.map(\.stored), within: limit ?? patience.statement)
        } catch {
            let error = meaning(of: error)
            leave(after: error)
            throw error
        }
    }

    /// Several statements that take no values: schemas.
    package func script(_ sql: String) throws(PostgresError) { try script(sql, within: patience.statement) }

    func script(_ sql: String, within limit: Duration) throws(PostgresError) {
        do throws(PostgresError) {
            try connected(within: limit).script(sql, within: limit)
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
    static let begin = """
        BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL lock_timeout = '10s'
        """
    /// What is not waited for any more ends at the server as well. Not so a COMMIT, which would be taken for done without its
    /// standby: see ``CommitLog/statement``.
    private let begin: String
    static let commit = "COMMIT"

    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        precondition(!isInTransaction, "transactions do not nest")
        isInTransaction = true
        defer { isInTransaction = false }
        let deadline = now() + patience.statement
        try script(begin)
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
        try commit(mark, by: max(deadline, now() + patience.commit))
        return result
    }

    /// Its end is not waited for: whatever that is, what was read is read.
    package func snapshot<Result>(settings: [String], _ body: () throws -> Result) throws -> Result {
        precondition(!isInTransaction, "transactions do not nest")
        isInTransaction = true
        defer { isInTransaction = false }
        // Compiling a statement takes longer than any of these does.
        let all = (["jit = off"] + settings).map { "; SET LOCAL \($0)" }.joined()
        do throws(PostgresError) {
            try script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY\(all)")
        } catch {
            // A setting that this server does not know has begun it all the same.
            try rollBack(after: error)
            throw error
        }
        isUnderWay = true
        defer { isUnderWay = false }
        do {
            let result = try body()
            try connected().send(Self.commit, within: patience.statement)
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
}
