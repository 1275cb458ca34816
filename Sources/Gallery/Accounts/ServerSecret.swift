package import Basics
import Digest

/// What only this gallery knows: the keys that its log-ins, passes and links are signed with. A thief who has one can log in as
/// any user, so they never leave their place; without them, all users have to log in anew.
///
/// One key signs what is new. The others are good until they are retired, so that no user is logged out when another begins.
package struct ServerSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// What a key is for: one that leaks or is misused says nothing about the others.
    package enum Purpose: String, CaseIterable, Sendable {
        case access
        case refresh
        case places
        case guests
        case hosts
        case devices
    }

    package struct Key: Sendable, CustomStringConvertible, CustomReflectable {
        package let number: Int64
        package let bytes: [UInt8]
        /// Nothing where that was not written down.
        package let createdAt: Timestamp?
        /// Whether every node has had the time to hear of it: it signs from then on.
        package let isKnownToAll: Bool

        package init(
            number: Int64 = SigningKey.firstNumber, _ bytes: [UInt8], createdAt: Timestamp? = nil,
            isKnownToAll: Bool = true
        ) {
            precondition(bytes.count == ServerSecret.length, "a key has \(ServerSecret.length) bytes")
            precondition(number >= SigningKey.firstNumber, "keys are counted from \(SigningKey.firstNumber)")
            self.number = number
            self.bytes = bytes
            self.createdAt = createdAt
            self.isKnownToAll = isKnownToAll
        }

        package var description: String { "key \(number)" }
        package var customMirror: Mirror { Mirror(self, children: [:]) }

        fileprivate func made(for purpose: Purpose) -> SigningKey {
            SigningKey(
                number: number,
                HMACSHA256.code(of: Array("tetherline gallery \(purpose.rawValue)".utf8), key: bytes))
        }
    }

    package static let length = 32
    /// Old ones have to be retired before there are more.
    package static let mostKeys = 16

    /// The newest first.
    package let keys: [Key]
    /// The newest that every node knows. While none is, the oldest, which most know.
    package let current: Key
    private let derived: [Purpose: SigningKeys]

    /// Of a gallery that has one key.
    package init(_ bytes: [UInt8]) {
        self.init([Key(bytes)])
    }

    package init(_ keys: [Key]) {
        let keys = keys.sorted { $0.number > $1.number }
        guard let oldest = keys.last else { preconditionFailure("a gallery has a key") }
        let current = keys.first(where: \.isKnownToAll) ?? oldest
        let others = keys.filter { $0.number != current.number }
        self.keys = keys
        self.current = current
        derived = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map { purpose in
                let others = others.map { $0.made(for: purpose) }
                return (purpose, SigningKeys(current.made(for: purpose), and: others))
            })
    }

    package func keys(for purpose: Purpose) -> SigningKeys {
        derived[purpose] ?? SigningKeys(current.made(for: purpose))
    }

    /// A newer one takes over from the newest, so that a gallery is never without.
    func mayRetire(_ number: Int64) throws(APIError) {
        guard keys.contains(where: { $0.number == number }) else {
            throw APIError(.notFound, "there is no key \(number); 'gallery keys list' shows those that are")
        }
        guard number != keys[0].number else {
            throw APIError(
                .conflict,
                "key \(number) is the newest, and signs what is new; 'gallery keys rotate' makes another first"
            )
        }
    }

    /// The number of the next.
    func nextNumber() throws(APIError) -> Int64 {
        guard keys.count < Self.mostKeys else {
            throw APIError(
                .conflict,
                "there are \(keys.count) keys; retire the oldest with 'gallery keys retire \(keys[keys.count - 1].number)' "
                    + "before another is made")
        }
        return keys[0].number + 1
    }

    package struct SecretProblem: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package var description: String { "the gallery's secret" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
