import Basics
import Digest

/// What is counted of one key, as a text that it writes and reads itself.
protocol StoredCount: Sendable {
    var stored: String { get }
    /// Nothing for what none has written.
    init?(stored: some StringProtocol)
}

/// Whose tries are counted, and of what.
struct LimitKey: Hashable, Comparable, Sendable {
    enum Kind: String, Sendable {
        case loginAddress = "login-address"
        case loginDevice = "login-device"
        case pinAddress = "pin-address"
        case pinDevice = "pin-device"
        case pinEvent = "pin-event"
        case pinNetwork = "pin-network"
        case registerAccount = "register-account"
        case registerAddress = "register-address"
        case passwordChange = "password-change"
        case passwordMail = "password-mail"
        case reactionDevice = "reaction-device"
        case reactionAddress = "reaction-address"
        case guestUploadDevice = "guest-upload-device"
        case guestUploadAddress = "guest-upload-address"
    }

    let kind: Kind
    /// A hash: as long for any name, and it says nothing of an address or of a person who has no account here.
    let key: String

    private static let keyLength = 16

    init(_ kind: Kind, _ name: String) {
        self.kind = kind
        let digest = SHA256.of(Array("\(kind.rawValue)\n\(name)".utf8))
        key = Hexadecimal.text(Array(digest.bytes.prefix(Self.keyLength)))
    }

    static func < (left: LimitKey, right: LimitKey) -> Bool {
        (left.kind.rawValue, left.key) < (right.kind.rawValue, right.key)
    }
}

/// The counts that some decisions look at, as they are kept for all nodes, and which of them have changed.
struct LimitRows: Sendable {
    private var texts: [LimitKey: String]
    private(set) var changed: Set<LimitKey> = []

    init(_ texts: [LimitKey: String] = [:]) {
        self.texts = texts
    }

    subscript(key: LimitKey) -> String? { texts[key] }

    /// Nothing where nothing is known yet, or what is there is not read by this program: then it counts from the beginning.
    func count<Count: StoredCount>(_ key: LimitKey, as type: Count.Type = Count.self) -> Count? {
        texts[key].flatMap { $0.isEmpty ? nil : Count(stored: $0) }
    }

    mutating func keep(_ count: some StoredCount, of key: LimitKey) {
        let text = count.stored
        guard texts[key] != text else { return }
        texts[key] = text
        changed.insert(key)
    }
}

/// Limits that are counted in memory where one program serves, and in rows that all nodes share otherwise.
protocol CountedLimits: Sendable {
    /// Who one decision is about.
    associatedtype Subject: Sendable

    /// All that a decision looks at or changes.
    func keys(of subject: Subject) -> [LimitKey]
    mutating func read(_ rows: LimitRows, of subject: Subject)
    func write(to rows: inout LimitRows, of subject: Subject)
}

/// One rule for tries of one kind, by a name: an account, or an address.
struct TryLimits: CountedLimits {
    let kind: LimitKey.Kind
    private var tries: SlidingWindowLimiter<String>

    init(_ kind: LimitKey.Kind, _ rule: WindowRule, mostKeys: Int = 10_000) {
        self.kind = kind
        tries = SlidingWindowLimiter(rule, mostKeys: mostKeys)
    }

    /// One more where there may be one; otherwise how long to wait until there may.
    mutating func take(_ name: String, at now: Duration) -> Duration? { tries.take(name, at: now) }

    mutating func forget(_ name: String) { tries.forget(name) }

    func keys(of name: String) -> [LimitKey] { [LimitKey(kind, name)] }

    mutating func read(_ rows: LimitRows, of name: String) {
        if let known: RecentTries = rows.count(LimitKey(kind, name)) { tries.put(known, of: name) }
    }

    func write(to rows: inout LimitRows, of name: String) {
        rows.keep(tries.recent(of: name), of: LimitKey(kind, name))
    }
}
