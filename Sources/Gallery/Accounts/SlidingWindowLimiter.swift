import Basics
import Digest
import HTTPServer

/// So many tries within so long.
package struct WindowRule: Equatable, Sendable {
    package let tries: Int
    package let window: Duration

    package init(_ tries: Int, in window: Duration) {
        precondition(tries > 0 && window > .zero, "a rule allows something, some time")
        self.tries = tries
        self.window = window
    }
}

/// Who tried how often of late: an exact count over a window that moves, for a bounded number of keys.
///
/// Times only grow (a monotonic clock).
package struct SlidingWindowLimiter<Key: Hashable & Sendable>: Sendable {
    package let rule: WindowRule
    private let mostKeys: Int
    private var tries: [Key: [Duration]] = [:]

    package init(_ rule: WindowRule, mostKeys: Int = 10_000) {
        precondition(mostKeys >= 10, "a tenth of the keys makes room for the next")
        self.rule = rule
        self.mostKeys = mostKeys
    }

    package var keys: Int { tries.count }

    /// How long that key has to wait until it may try again; nothing when it may now.
    package func wait(for key: Key, at now: Duration) -> Duration? {
        let recent = recent(of: key, at: now)
        guard recent.count >= rule.tries else { return nil }
        return recent[recent.count - rule.tries] + rule.window - now
    }

    /// One more try.
    package mutating func note(_ key: Key, at now: Duration) {
        let recent = recent(of: key, at: now)
        if recent.isEmpty, tries[key] == nil { makeRoom(at: now) }
        // What is older than the last so many never decides anything.
        tries[key] = Array((recent + [now]).suffix(rule.tries))
    }

    /// One more try where there may be one; otherwise how long to wait until there may.
    package mutating func take(_ key: Key, at now: Duration) -> Duration? {
        if let wait = wait(for: key, at: now) { return wait }
        note(key, at: now)
        return nil
    }

    /// It was none after all: a right answer is no guess.
    package mutating func forget(_ key: Key, at moment: Duration) {
        guard var known = tries[key], let index = known.lastIndex(of: moment) else { return }
        known.remove(at: index)
        tries[key] = known.isEmpty ? nil : known
    }

    /// After a right answer the count begins anew.
    package mutating func forget(_ key: Key) { tries[key] = nil }

    /// As they are kept elsewhere.
    package mutating func put(_ known: RecentTries, of key: Key) {
        tries[key] = known.moments.isEmpty ? nil : known.moments
    }

    package func recent(of key: Key) -> RecentTries { RecentTries(moments: tries[key] ?? []) }

    private func recent(of key: Key, at now: Duration) -> [Duration] {
        guard let known = tries[key] else { return [] }
        return known.filter { $0 + rule.window > now }
    }

    /// Those go first that count no more, then those that have been quiet for longest: to push a key out, an attacker has
    /// to try with all these others meanwhile.
    private mutating func makeRoom(at now: Duration) {
        guard tries.count >= mostKeys else { return }
        let window = rule.window
        tries = tries.filter { ($0.value.last ?? .zero) + window > now }
        guard tries.count >= mostKeys else { return }
        let lasts = tries.values.compactMap(\.last).sorted()
        let limit = lasts[mostKeys / 10]
        tries = tries.filter { ($0.value.last ?? .zero) > limit }
    }
}

/// When one key has tried of late, the last as last.
package struct RecentTries: Equatable, Sendable {
    let moments: [Duration]
}

extension RecentTries: StoredCount {
    var stored: String { moments.map { "\($0.wholeMilliseconds)" }.joined(separator: ",") }

    init?(stored: some StringProtocol) {
        let parts = stored.split(separator: ",")
        moments = parts.compactMap { Int64($0) }.map { .milliseconds($0) }
        guard moments.count == parts.count else { return nil }
    }
}

/// Whom an address is counted as, for limits that are kept: as ``HTTPServer/AddressGroup`` has it, what is no address apart.
package struct PeerKey: Hashable, Sendable {
    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        name = nil
    }

    /// The larger networks that one customer of IPv6 may have just as well, and all of his /64s with them (RFC 6177 §2: "a
    /// range of /48 to /56"); none for an address of IPv4. Of another length than others, so that no two are the same.
    var networks: (of56Bits: PeerKey, of48Bits: PeerKey)? {
        guard bytes.count == 8 else { return nil }
        return (PeerKey(bytes: Array(bytes.prefix(7))), PeerKey(bytes: Array(bytes.prefix(6))))
    }

    /// Itself, and the networks that it is counted with where a network has times of what one address has: a /56 as one
    /// address, a /48 as two.
    var shares: [(key: PeerKey, share: Int)] {
        guard let networks else { return [(self, 1)] }
        return [(self, 1), (networks.of56Bits, 1), (networks.of48Bits, 2)]
    }

    /// Where it is no numeric address, such as a socket's.
    private let name: String?

    /// No two have the same.
    var text: String { name.map { "name \($0)" } ?? Hexadecimal.text(bytes) }

    package init(_ peer: String) {
        bytes = AddressGroup(peer).bytes
        name = bytes.isEmpty ? String(peer.prefix(100)) : nil
    }
}
