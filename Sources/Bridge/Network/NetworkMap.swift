/// All interfaces of a machine together: what each of them is, seen through to what carries it.
///
/// A value from facts, so that every network can be a line in a table of a test.
public struct NetworkMap: Equatable, Sendable {
    let interfaces: [Int: InterfaceFacts]
    let settings: NetworkSettings

    /// Interfaces on interfaces on interfaces: real ones are four deep (a VPN over a VLAN on a bond); routes of
    /// tunnels into each other go on for ever.
    static let deepest = 8

    public init(_ interfaces: [InterfaceFacts], settings: NetworkSettings) {
        self.interfaces = Dictionary(interfaces.map { ($0.index, $0) }) { first, _ in first }
        self.settings = settings
    }

    /// Every interface as a path, in the kernel's order.
    public var paths: [NetworkPath] { interfaces.keys.sorted().map { path(leavingBy: $0) } }

    /// The path of what leaves by this interface.
    public func path(leavingBy index: Int) -> NetworkPath {
        guard let facts = interfaces[index] else {
            return .none(because: "the interface with number \(index) has just gone")
        }
        var path = NetworkPath(interface: facts.name)
        let below = seeThrough(facts, above: [])
        path.kind = below.kind
        path.kindBecause = below.because
        path.carriedBy = below.hops.map { NetworkPath.Hop($0.name, below.kind) }
        path.mayBeCarriedBy = below.candidates
        let chain = [facts] + below.hops
        path.ssid = chain.compactMap { name(of: $0) }.first
        path.downBecause = chain.compactMap { reasonForDown($0) }.first
        path.metered = metered(chain) ?? meteredByDoubt(below)
        return path
    }

    /// What carries an interface in the end.
    struct Below: Equatable {
        var kind: PathKind
        var because: String
        /// From the next one down to the one that decided.
        var hops: [InterfaceFacts] = []
        var candidates: [NetworkPath.Hop] = []
        var candidateFacts: [InterfaceFacts] = []
    }

    func seeThrough(_ facts: InterfaceFacts, above: [InterfaceFacts]) -> Below {
        if let (kind, what) = settings.word(facts.name, ssid: name(of: facts), \.kind) {
            return Below(kind: kind, because: "the settings say so of \(what)")
        }
        guard above.count < Self.deepest, !above.contains(where: { $0.index == facts.index }) else {
            return Below(kind: .tunnel, because: "what carries it leads back to itself")
        }
        let own = Nature(facts)
        switch own {
        case .known(let kind, let because): return Below(kind: kind, because: because)
        case .stacked(let what): return lowers(of: facts, what, above: above)
        case .tunnel(let what): return carrier(of: facts, what, above: above)
        }
    }

    /// A bridge, a bond, a VLAN: as the slowest of what it stands on.
    private func lowers(of facts: InterfaceFacts, _ what: String, above: [InterfaceFacts]) -> Below {
        let lower = facts.lower.compactMap { interfaces[$0] }
        // Beside a real member, a virtual machine's end of a cable says nothing.
        let real = lower.filter { $0.hasDevice || Nature($0).isRadio }
        let up = (real.isEmpty ? lower : real).filter { reasonForDown($0) == nil }
        let members = up.isEmpty ? (real.isEmpty ? lower : real) : up
        let seen = members.map { ($0, seeThrough($0, above: above + [facts])) }
        let slowest = seen.min { $0.1.kind.care < $1.1.kind.care }
        guard let (member, below) = slowest else {
            return Below(kind: .wired, because: "it is \(what) with nothing below it")
        }
        return below.standing(on: member, "it is \(what) on \(member.name): \(below.because)")
    }

    private func carrier(of facts: InterfaceFacts, _ what: String, above: [InterfaceFacts]) -> Below {
        if let next = (facts.wayToRemote ?? facts.lower.first).flatMap({ interfaces[$0] }),
            next.index != facts.index
        {
            let below = seeThrough(next, above: above + [facts])
            let how = facts.wayToRemote == nil ? "on" : "whose other end is reached by"
            return below.standing(on: next, "it is \(what) \(how) \(next.name): \(below.because)")
        }
        let up = leaves.filter { reasonForDown($0) == nil }
        if up.count == 1, let only = up.first {
            let below = seeThrough(only, above: above + [facts])
            let because = "it is \(what), and only \(only.name) is up to carry it: \(below.because)"
            return below.standing(on: only, because)
        }
        if up.isEmpty, facts.hardware == InterfaceFacts.pointToPoint {
            return Below(
                kind: .cellular, because: "it is a dialled connection and nothing else is up: a modem")
        }
        let candidates = up.map { NetworkPath.Hop($0.name, seeThrough($0, above: above + [facts]).kind) }
        let because =
            up.isEmpty
            ? "it is \(what), and nothing is up that could carry it"
            : "it is \(what), and it cannot be known which of \(up.map(\.name).joined(separator: ", ")) carries it"
        return Below(kind: .tunnel, because: because, candidates: candidates, candidateFacts: up)
    }

    /// What can carry a tunnel: hardware, or in a container whatever leads out of it.
    private var leaves: [InterfaceFacts] {
        let all = interfaces.values.sorted { $0.index < $1.index }.filter { facts in
            if case .known(let kind, _) = Nature(facts) { kind != .loopback } else { false }
        }
        let real = all.filter { $0.hasDevice || Nature($0).isRadio }
        return real.isEmpty ? all.filter { $0.upper == nil } : real
    }

    private func name(of facts: InterfaceFacts) -> String? { facts.managed?.ssid ?? facts.ssid }
}

extension NetworkMap.Below {
    fileprivate func standing(on next: InterfaceFacts, _ because: String) -> Self {
        var whole = self
        whole.because = because
        whole.hops = [next] + hops
        return whole
    }
}

extension PathKind {
    /// Of several that it could be, the lowest counts.
    fileprivate var care: Int {
        switch self {
        case .cellular: 0
        case .tunnel: 1
        case .wifi: 2
        case .wired: 3
        case .loopback: 4
        }
    }
}
