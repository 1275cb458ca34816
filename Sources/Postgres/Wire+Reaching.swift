import Basics
import CPostgres
import Glibc

/// Many servers looked at in the time of one.
extension Wire {
    /// A connection to each of several servers, all made at the same time; nothing for one that cannot be reached in that time.
    static func reaching(
        _ candidates: [PostgresAddress.Candidate], within patience: Duration, now: @escaping () -> Duration
    ) -> [Wire?] {
        let deadline = now() + patience
        var begun: [Int: Wire] = [:]
        var made = [Wire?](repeating: nil, count: candidates.count)
        func attempt(_ work: () throws(PostgresError) -> Void) {
            do throws(PostgresError) {
                try work()
            } catch {
                // It tells nothing. The connection that is made to be used says why.
                return
            }
        }
        for (index, candidate) in candidates.enumerated() {
            attempt { () throws(PostgresError) in begun[index] = try Wire(beginning: candidate, now: now) }
        }
        while !begun.isEmpty {
            let left = (deadline - now()).wholeMilliseconds
            guard left > 0 else { break }
            let waiting = Array(begun)
            var entries = waiting.map { _, wire in
                pollfd(
                    fd: PQsocket(wire.handle), events: Int16(wire.isReading ? POLLIN : POLLOUT), revents: 0)
            }
            let count = poll(&entries, nfds_t(entries.count), Int32(clamping: left))
            guard count >= 0 || errno == EINTR else { break }
            guard count > 0 else { continue }
            for ((index, wire), entry) in zip(waiting, entries) where entry.revents != 0 {
                begun[index] = nil
                attempt { () throws(PostgresError) in
                    if try wire.advance() { made[index] = wire } else { begun[index] = wire }
                }
            }
        }
        return made
    }
}
