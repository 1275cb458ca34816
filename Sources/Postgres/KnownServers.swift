import Basics
import CPostgres
import Database
import Glibc
import Synchronization

/// What a program knows of the servers that its sessions talk to: which one took writes last, and which of their timelines is
/// the newest. A standby that is promoted begins a new one, so that a primary of before is told by its number.
package final class KnownServers: Sendable {
    private struct State {
        var newest: Int64 = 0
        var preferred = 0
        /// Servers that stand beside each other have been looked at.
        var hasLooked = false
    }

    private let state = Mutex(State())

    package init() {}

    package var newest: Int64 { state.withLock(\.newest) }

    /// In a statement, the timeline of the server that answers it: the first eight digits of a log file's name. A standby has
    /// none, and is on none that counts.
    package static let timeline = """
        (CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END)
        """

    /// Between two tries; blocks the thread of the session.
    func pause() { _ = poll(nil, 0, 200) }

    /// So long are servers waited for, all at the same time, before one of them is chosen that answers.
    private static let firstLook = Duration.seconds(2)

    /// A primary of before that was started again takes writes as the new one does: which of several is the newest is known
    /// before the first of them is written to.
    private func lookAround(_ address: PostgresAddress, now: @escaping () -> Duration) {
        let isNeeded = state.withLock { !$0.hasLooked || $0.newest == 0 }
        guard isNeeded, address.candidates.count > 1 else { return }
        let wires = Wire.reaching(
            address.candidates.map(\.whateverItIs), within: Self.firstLook, now: now)
        for (index, wire) in wires.enumerated() {
            guard let wire else { continue }
            do throws(PostgresError) {
                note(try Self.timeline(of: wire, within: Self.firstLook), ofServer: index)
            } catch {
                // One that does not answer tells nothing.
                continue
            }
        }
        state.withLock { $0.hasLooked = true }
    }

    /// Each of the candidates once, first the one that took writes last.
    func connect(
        to address: PostgresAddress, within patience: Duration, now: @escaping () -> Duration
    ) throws(PostgresError) -> Wire {
        lookAround(address, now: now)
        let count = address.candidates.count
        let first = state.withLock(\.preferred)
        var failures: [PostgresError] = []
        for step in 0..<count {
            let index = (first + step) % count
            do throws(PostgresError) {
                let wire = try Wire(to: address.candidates[index], within: patience, now: now)
                try admit(wire, patience)
                state.withLock { $0.preferred = index }
                return wire
            } catch {
                failures.append(error)
            }
        }
        throw Self.all(failures) ?? .lost("no server is named", place: address.name)
    }

    /// What each server said: the one that refuses for a reason comes first, and a misspelt name beside it is not lost.
    private static func all(_ failures: [PostgresError]) -> PostgresError? {
        guard let main = failures.first(where: { $0.state != nil }) ?? failures.first else { return nil }
        let said = [main] + failures.filter { $0 != main }
        let advice = said.compactMap(\.advice)
        let words = [main.message] + said.dropFirst().map(\.description) + advice.prefix(1)
        return PostgresError(main.state, words.joined(separator: "; "), place: main.place)
    }

    private func admit(_ wire: Wire, _ patience: Duration) throws(PostgresError) {
        let (timeline, process) = try Self.look(at: wire, within: patience)
        guard timeline > 0 else {
            throw PostgresError("25006", "it is a standby, and takes no writes", place: wire.place)
        }
        let newest = state.withLock { state in
            state.newest = max(state.newest, timeline)
            return state.newest
        }
        guard timeline >= newest else {
            throw PostgresError(
                "25006",
                "it is a primary of before: its timeline is \(timeline), and \(newest) is known. "
                    + "Make it a standby of the new one, or remove it from --database", place: wire.place)
        }
        wire.timeline = timeline
        // A pooler names a process of its own.
        if wire.leads(to: process) { wire.prepared = PreparedStatements() }
    }

    static func timeline(of wire: Wire, within patience: Duration) throws(PostgresError) -> Int64 {
        try look(at: wire, within: patience).timeline
    }

    private static func look(
        at wire: Wire, within patience: Duration
    ) throws(PostgresError) -> (timeline: Int64, process: Int64) {
        let question = "SELECT \(timeline) AS timeline, pg_backend_pid()::bigint AS process"
        let answer = try wire.run(question, [], within: patience)
        guard answer.rows == 1, case .integer(let timeline) = answer.value(0, 0),
            case .integer(let process) = answer.value(0, 1)
        else {
            throw PostgresError.lost("it does not say its timeline", place: wire.place)
        }
        return (timeline, process)
    }

    /// A look at one server, whatever it is, has shown this timeline. The newest primary is the first that sessions try.
    func note(_ timeline: Int64, ofServer index: Int) {
        state.withLock { state in
            guard timeline > state.newest else { return }
            state.newest = timeline
            state.preferred = index
        }
    }
}
