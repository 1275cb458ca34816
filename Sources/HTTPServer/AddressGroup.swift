import Posix
import Synchronization

/// Whom an address counts as: itself, or of IPv6 all of the /64 that one customer gets at the least (RFC 6177), from which
/// he takes as many addresses as he likes.
package struct AddressGroup: Hashable, Sendable {
    private enum Kind: Hashable {
        case four
        case six
        /// What is no address: all of it counts as one.
        case other
    }

    private let kind: Kind
    private let network: UInt64

    /// A link's own address may come with the link's name, "fe80::1%eth0", which says nothing of the client.
    package init(_ text: String) {
        let address = text.prefix { $0 != "%" }
        self.init(bytes: IPEndpoint(numeric: String(address), port: 0)?.address ?? [])
    }

    /// The first ones of the address, in their order: 4 of IPv4, 8 of IPv6, and none of what is no address.
    package var bytes: [UInt8] {
        let count =
            switch kind {
            case .four: 4
            case .six: 8
            case .other: 0
            }
        return (0..<count).map { UInt8(truncatingIfNeeded: network >> UInt64(8 * (count - 1 - $0))) }
    }

    /// 4 bytes, or 16.
    private init(bytes: [UInt8]) {
        // An IPv4 address may come as "::ffff:192.0.2.1" (RFC 4291 §2.5.5.2).
        let isMapped = bytes.count == 16 && bytes.starts(with: Self.mapping)
        switch isMapped ? 4 : bytes.count {
        case 4: (kind, network) = (.four, Self.number(bytes.suffix(4)))
        case 16: (kind, network) = (.six, Self.number(bytes.prefix(8)))
        default: (kind, network) = (.other, 0)
        }
    }

    private static let mapping = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// How many of something each client has. Only clients that have some are remembered.
package final class ClientCounts: Sendable {
    private let counts = Mutex<[AddressGroup: Int]>([:])
    private let most: Int

    /// `most`: of one client.
    package init(most: Int) {
        self.most = most
    }

    /// Of so many, what the clients of one address may have: a quarter is left to all others.
    static func share(of all: Int) -> Int { max(1, all * 3 / 4) }

    /// Of which something is counted.
    package var clients: Int { counts.withLock { $0.count } }

    package func hasRoom(for client: AddressGroup) -> Bool {
        counts.withLock { $0[client, default: 0] < most }
    }

    /// One more, where that is not too many.
    package func take(for client: AddressGroup) -> Bool {
        counts.withLock { counts in
            let taken = counts[client, default: 0]
            guard taken < most else { return false }
            counts[client] = taken + 1
            return true
        }
    }

    /// One more in any case.
    func add(_ client: AddressGroup) {
        counts.withLock { $0[client, default: 0] += 1 }
    }

    package func giveBack(_ client: AddressGroup) {
        counts.withLock { counts in
            let left = counts[client, default: 1] - 1
            counts[client] = left > 0 ? left : nil
        }
    }
}
