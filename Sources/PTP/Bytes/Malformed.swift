/// Bytes that cannot be what they claim to be: the peer's fault, never ours.
///
/// Carries the packet type or dataset, the offset and the bytes themselves, so that an operator's
/// bug report can become a fixture as it is.
public struct Malformed: Error, Equatable, Sendable {
    public enum Subject: Equatable, Sendable {
        /// The eight bytes that open every packet.
        case packetHeader
        case packet(PacketType)
        /// A dataset, by the name the standard gives it.
        case dataset(String)
    }

    public let subject: Subject
    public let failure: ReadFailure
    public let hex: String
    /// The same as bytes, at most ``firstBytesLimit``.
    public let firstBytes: [UInt8]

    public static let firstBytesLimit = 16

    public init(_ subject: Subject, _ failure: ReadFailure, bytes: some Collection<UInt8>) {
        self.subject = subject
        self.failure = failure
        self.hex = HexDump(bytes).description
        self.firstBytes = Array(bytes.prefix(Malformed.firstBytesLimit))
    }
}

extension Malformed: CustomStringConvertible {
    public var description: String {
        "\(subject) cannot be decoded: \(failure); bytes: \(hex)"
    }
}

extension Malformed.Subject: CustomStringConvertible {
    public var description: String {
        switch self {
        case .packetHeader: "packet header"
        case .packet(let type): "packet \(type) (type \(type.rawValue))"
        case .dataset(let name): "dataset \(name)"
        }
    }
}
