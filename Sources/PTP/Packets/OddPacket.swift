/// A packet that is whole and not as the standard has it: worth a line in a log, and not worth a connection.
public struct OddPacket: Equatable, Sendable {
    public enum Oddity: Equatable, Sendable {
        /// What the standard has is there, and more behind it, which is passed over.
        case longer
        /// Something is missing at its end; what can be told without it is told.
        case shorter
        /// Too short to mean anything: passed over.
        case empty
        /// A type that the standard does not have: passed over.
        case unknown
    }

    public let oddity: Oddity
    /// The number in bytes 4 to 7.
    public let type: UInt32
    /// The whole packet's, its header included.
    public let length: UInt32
    /// What it begins with, at most ``firstBytesLimit``.
    public let firstBytes: [UInt8]

    /// A header and four words: enough to see in a report what a camera means.
    public static let firstBytesLimit = 24

    init(_ oddity: Oddity, type: UInt32, length: UInt32, bytes: ArraySlice<UInt8>) {
        self.oddity = oddity
        self.type = type
        self.length = length
        firstBytes = Array(bytes.prefix(OddPacket.firstBytesLimit))
    }

    /// No packet follows that says what could be understood.
    public var isPassedOver: Bool {
        switch oddity {
        case .longer, .shorter: false
        case .empty, .unknown: true
        }
    }

    /// The same as an error, for a side that does not put up with it.
    public var refusal: Malformed {
        let known = PacketType(rawValue: type)
        let failure =
            switch oddity {
            case .longer, .shorter, .empty:
                ReadFailure(
                    field: "length", offset: 0,
                    problem: .outside(
                        value: UInt64(length),
                        allowed: UInt64(known?.minimumLength ?? 8)...UInt64(known?.maximumLength ?? .max)))
            case .unknown:
                ReadFailure(field: "type", offset: 4, problem: .unexpected(value: UInt64(type)))
            }
        return Malformed(.packetHeader, failure, bytes: firstBytes.prefix(PacketType.headerLength))
    }
}

extension OddPacket: CustomStringConvertible {
    public var description: String {
        let name =
            PacketType(rawValue: type).map { "packet \($0) (type \(type))" } ?? "packet of type \(type)"
        let what =
            switch oddity {
            case .longer: "is longer than such a packet is; what stands behind it was passed over"
            case .shorter: "lacks its end; what it says without it was taken"
            case .empty: "is too short to say anything, and was passed over"
            case .unknown: "is of no type that the standard has, and was passed over"
            }
        let rest = UInt64(length) - UInt64(firstBytes.count)
        let dump = HexDump(firstBytes).description + (rest > 0 ? " … (\(rest) more)" : "")
        return "a \(name), \(length) bytes long, \(what); bytes: \(dump)"
    }
}
