/// The number that ties a request, its data and its response together.
public struct TransactionID: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// What OpenSession carries, and every operation outside a session.
    public static let outsideSession = TransactionID(rawValue: 0)

    /// "The first transaction ID in a session is 0x00000001" (PIMA 15740 §9.3.1).
    public static let first = TransactionID(rawValue: 1)

    /// What an event carries when it belongs to no transaction.
    public static let none = TransactionID(rawValue: 0xFFFF_FFFF)

    /// Neither 0 nor 0xFFFFFFFF is valid inside a session, so after 0xFFFFFFFE comes 1.
    public var next: TransactionID {
        rawValue >= 0xFFFF_FFFE ? .first : TransactionID(rawValue: rawValue + 1)
    }

    /// Whether this id was used before `other`, across the wrap: the shorter way round decides.
    public func isEarlier(than other: TransactionID) -> Bool {
        self != other && other.rawValue &- rawValue < 0x8000_0000
    }
}

extension TransactionID: CustomStringConvertible {
    public var description: String {
        self == .none ? "none" : String(rawValue)
    }
}
