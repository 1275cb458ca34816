import CPostgres
import Database

/// Looks at every server that an address names, again and again. A primary that was cut off, or stood still, while its standby
/// was promoted takes itself for the primary still, and its sessions would go on: here it becomes known that there is a newer
/// one, within seconds.
package final class ServerWatch {
    private let address: PostgresAddress
    private let servers: KnownServers
    private let now: () -> Duration
    /// One for each server; nothing for one that did not answer.
    private var wires: [Wire?]

    /// A server that takes longer is looked at again later.
    private static let patience = Duration.seconds(1)

    package init(_ address: PostgresAddress, servers: KnownServers, now: @escaping () -> Duration) {
        self.address = address
        self.servers = servers
        self.now = now
        wires = Array(repeating: nil, count: address.candidates.count)
    }

    /// A single server cannot be taken for another.
    package var isNeeded: Bool { address.candidates.count > 1 }

    /// One look at each. A server that does not answer tells nothing.
    package func look() {
        for (index, candidate) in address.candidates.enumerated() {
            do throws(PostgresError) {
                let wire = try wire(index, to: candidate)
                servers.note(try KnownServers.timeline(of: wire, within: Self.patience), ofServer: index)
                wires[index] = wire
            } catch {
                wires[index] = nil
            }
        }
    }
}

extension ServerWatch {
    private func wire(_ index: Int, to candidate: PostgresAddress.Candidate) throws(PostgresError) -> Wire {
        if let wire = wires[index] { return wire }
        return try Wire(to: candidate.whateverItIs, within: Self.patience, now: now)
    }
}

extension PostgresAddress.Candidate {
    /// Also while it is a standby, whatever the address, a service or the environment says of that.
    var whateverItIs: PostgresAddress.Candidate {
        let word = "target_session_attrs"
        let kept = zip(keywords, values).filter { $0.0 != word } + [(word, "any")]
        return PostgresAddress.Candidate(keywords: kept.map(\.0), values: kept.map(\.1), name: name)
    }
}
