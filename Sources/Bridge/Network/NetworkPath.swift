public import Basics

public enum PathKind: String, Equatable, Sendable, CaseIterable {
    case wifi
    case cellular
    case wired
    case loopback
    /// A tunnel, and it cannot be known what carries it.
    case tunnel
}

/// The network between us and a destination, and what makes us think so.
public struct NetworkPath: Equatable, Sendable {
    /// An interface below another one.
    public struct Hop: Equatable, Sendable {
        public let interface: String
        public let kind: PathKind

        public init(_ interface: String, _ kind: PathKind) {
            self.interface = interface
            self.kind = kind
        }
    }

    public struct Metered: Equatable, Sendable {
        public let isMetered: Bool
        /// A whole sentence without its full stop.
        public let because: String

        public init(_ isMetered: Bool, because: String) {
            self.isMetered = isMetered
            self.because = because
        }
    }

    /// What the bytes leave by; nothing where no way leads there.
    public var interface: String?
    /// Of a tunnel, a bridge or a bond: the kind of what carries it.
    public var kind = PathKind.tunnel
    public var kindBecause = ""
    /// What the interface runs on, from the top down to the one that decided the kind.
    public var carriedBy: [Hop] = []
    /// Where that cannot be known: everything that it could be.
    public var mayBeCarriedBy: [Hop] = []
    /// Nothing when it is up; otherwise a whole sentence without its full stop.
    public var downBecause: String?
    /// Nothing where no source says anything.
    public var metered: Metered?
    public var ssid: String?
    /// What the caller that asked for a way has to know about the answer.
    public var note: String?

    public init(interface: String? = nil) {
        self.interface = interface
    }

    /// There is no way to the destination.
    public static func none(because reason: String) -> NetworkPath {
        var path = NetworkPath()
        path.downBecause = reason
        path.kindBecause = reason
        return path
    }

    public var isUp: Bool { downBecause == nil }
    public var isMetered: Bool { metered?.isMetered ?? false }

    /// The interface that everything leaves by in the end, as far as that is known. Paths with the same one share
    /// what it carries.
    public var carrier: String? { carriedBy.last?.interface ?? interface }

    /// Whether what was found out about the one holds for the other.
    public func isSameNetwork(as other: NetworkPath) -> Bool {
        carrier == other.carrier && ssid == other.ssid && kind == other.kind
    }

    public var json: JSONValue {
        func hops(_ hops: [Hop]) -> JSONValue {
            .array(hops.map { ["interface": .string($0.interface), "kind": .string($0.kind.rawValue)] })
        }
        return [
            "interface": .optional(interface) { .string($0) },
            "kind": interface == nil ? .null : .string(kind.rawValue),
            "kindBecause": .string(kindBecause),
            "carriedBy": hops(carriedBy),
            "mayBeCarriedBy": hops(mayBeCarriedBy),
            "isUp": .bool(isUp),
            "downBecause": .optional(downBecause) { .string($0) },
            "isMetered": .bool(isMetered),
            "meteredBecause": .optional(metered) { .string($0.because) },
            "ssid": .optional(ssid) { .string($0) },
            "note": .optional(note) { .string($0) },
        ]
    }
}
