/// What an operator says about networks. Where they say something, no other source is asked.
public struct NetworkSettings: Equatable, Sendable {
    /// About one interface, or about whatever network goes by one name.
    public struct Word: Equatable, Sendable {
        public var kind: PathKind?
        public var isMetered: Bool?
        /// Uploads at a time.
        public var limit: Int?

        public init(kind: PathKind? = nil, isMetered: Bool? = nil, limit: Int? = nil) {
            self.kind = kind
            self.isMetered = isMetered
            self.limit = limit
        }
    }

    /// Uploads at a time.
    public var wifi = 3
    public var cellular = 2
    public var wired = 6
    /// To a server on this machine there is no network to be careful with.
    public var loopback = 8
    /// Whether anything is uploaded where it costs by the byte.
    public var allowsMetered = false
    public var interfaces: [String: Word] = [:]
    public var ssids: [String: Word] = [:]

    /// The most that can be asked for: each upload is a connection and a thread's worth of memory at the other end.
    public static let mostSlots = 64

    public init() {}

    func limit(of kind: PathKind) -> Int {
        switch kind {
        case .wifi: wifi
        case .cellular: cellular
        case .wired: wired
        case .loopback: loopback
        // What is below is unknown: as for the slowest thing that it can be.
        case .tunnel: min(wifi, cellular, wired)
        }
    }

    /// What is said of a network by its own name goes before what is said of the interface that joined it.
    func word<Value>(_ name: String, ssid: String?, _ part: KeyPath<Word, Value?>) -> (Value, String)? {
        if let ssid, let value = ssids[ssid]?[keyPath: part] { return (value, "the network '\(ssid)'") }
        if let value = interfaces[name]?[keyPath: part] { return (value, name) }
        return nil
    }
}
