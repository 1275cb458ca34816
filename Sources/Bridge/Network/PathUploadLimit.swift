/// How many uploads at a time a path bears at most, and why, for an operator who sees nothing move.
public struct PathUploadLimit: Equatable, Sendable {
    public let slots: Int
    /// "wlan0 is Wi-Fi: 3 at a time"
    public let because: String

    public init(of path: NetworkPath, settings: NetworkSettings) {
        guard let interface = path.interface, path.isUp else {
            slots = 0
            because = "\(path.downBecause ?? "no way leads there"): 0"
            return
        }
        if let metered = path.metered, metered.isMetered, !settings.allowsMetered {
            slots = 0
            because = "\(metered.because), and uploads on metered networks are not allowed: 0"
            return
        }
        for name in [interface] + path.carriedBy.map(\.interface) {
            guard let (limit, what) = settings.word(name, ssid: path.ssid, \.limit) else { continue }
            slots = limit
            because = "the settings say so of \(what): \(Self.text(limit))"
            return
        }
        let below = path.kind == .tunnel ? path.mayBeCarriedBy : []
        slots = below.map { settings.limit(of: $0.kind) }.min() ?? settings.limit(of: path.kind)
        because = "\(Self.sentence(path, interface)): \(Self.text(slots))"
    }

    private static func sentence(_ path: NetworkPath, _ interface: String) -> String {
        if path.kind == .tunnel {
            let names = path.mayBeCarriedBy.map(\.interface).joined(separator: " or ")
            return names.isEmpty
                ? "\(interface) is a tunnel and nothing is known of what carries it"
                : "\(interface) is a tunnel over \(names), and the slowest of them counts"
        }
        guard let carrier = path.carriedBy.last else { return "\(interface) is \(path.kind.spoken)" }
        return "\(interface) runs over \(carrier.interface), which is \(path.kind.spoken)"
    }

    private static func text(_ slots: Int) -> String { slots == 0 ? "0" : "\(slots) at a time" }
}

extension PathKind {
    public var spoken: String {
        switch self {
        case .wifi: "Wi-Fi"
        case .cellular: "cellular"
        case .wired: "wired"
        case .loopback: "this machine itself"
        case .tunnel: "a tunnel"
        }
    }
}
