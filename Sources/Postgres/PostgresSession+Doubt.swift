import Basics
import Database

/// What has become of a transaction whose COMMIT was not answered.
extension PostgresSession {
    /// Nothing where no marks are kept. The server that commits writes it, only where it is the newest primary that is known, and
    /// keeps what it commits: one that was a standby may be set up otherwise.
    func leaveMark() throws -> [UInt8]? {
        guard let commits else { return nil }
        let mark = random.bytes(CommitLog.markLength)
        let written = try ask(commits.statement, [mark, servers.newest]).changes
        guard written == 1 else {
            let refusal = try PostgresFacts(self).refusal
            wire = nil
            throw PostgresError(
                "25006", refusal ?? "another server has become the primary; this one takes nothing more",
                place: place)
        }
        return mark
    }

    /// Returns when it is known that the transaction is committed, and at the standby, too.
    func commit(_ mark: [UInt8]?, by deadline: Duration) throws {
        // Where it can be found out what has become of it, another server may be the primary meanwhile, which is looked for
        // while this one is waited for.
        let left = deadline - now()
        do throws(PostgresError) {
            try connected().script(Self.commit, within: mark == nil ? left : min(.seconds(3), left))
        } catch {
            guard let mark, error.failure == .lost else {
                leave(after: error)
                throw error
            }
            isUnderWay = false
            if try isFinished(after: error, by: deadline) { return }
            guard try isCommitted(mark, after: error, by: deadline) else { throw error }
        }
    }

    /// Whether the same connection has answered after all. It is waited for as long as it stands: another could only wait, too.
    private func isFinished(after error: PostgresError, by deadline: Duration) throws(PostgresError) -> Bool {
        guard let wire else { return false }
        self.wire = nil
        while wire.isAnswering, wire.isOpen, wire.timeline >= servers.newest {
            guard now() < deadline else {
                ending = wire
                throw unknown(error)
            }
            do throws(PostgresError) {
                try wire.finish(Self.commit, within: min(.seconds(1), deadline - now()))
                self.wire = wire
                return true
            } catch {
                // Its end, or that it was not heard yet: the loop tells which.
                guard error.failure == .lost else { throw error }
            }
        }
        return false
    }

    /// Whether the transaction that left this mark has come to its good end: asked by leaving the same mark again, which waits
    /// for a transaction that is still ending, keeps it from ending later, and is answered when the standby has it.
    private func isCommitted(
        _ mark: [UInt8], after error: PostgresError, by deadline: Duration
    ) throws -> Bool {
        guard let commits else { throw error }
        while true {
            do throws(PostgresError) {
                return try isKnown(mark, commits, by: deadline)
            } catch {
                wire = nil
                guard error.failure == .lost || error.failure == .busy, now() < deadline else {
                    throw unknown(error)
                }
                // Between two servers there is none for a while.
                servers.pause()
            }
        }
    }

    private func isKnown(
        _ mark: [UInt8], _ commits: CommitLog, by deadline: Duration
    ) throws(PostgresError) -> Bool {
        func left() -> Duration { max(.milliseconds(100), deadline - now()) }
        try script("\(Self.begin); SET LOCAL statement_timeout = 0", within: left())
        // What is answered here is true of this server: where another one is the primary meanwhile, it is asked anew.
        isUnderWay = true
        defer { isUnderWay = false }
        let answer = try ask(commits.question, [mark, servers.newest], within: left())
        guard answer.rows == 1, case .integer(let known) = answer.value(0, 0) else {
            throw PostgresError(
                "25006", "it is a primary of before, or would lose what it commits", place: place)
        }
        try script(Self.commit, within: left())
        return known == 1
    }

    private func unknown(_ error: PostgresError) -> PostgresError {
        PostgresError(
            PostgresError.unknownState,
            "a change was sent, its answer was not heard, and no server could be asked about it since "
                + "(\(error.message))", place: place)
    }
}
