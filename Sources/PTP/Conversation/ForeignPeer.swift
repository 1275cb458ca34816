/// What answers where a camera was meant, known by the first bytes that it sends.
public enum ForeignPeer: Equatable, Sendable {
    /// A web server: a router, a hotel's log-in page, or a camera that speaks HTTP to phones.
    case http
    /// Sony bodies with Access Authentication speak PTP/IP only inside SSH.
    case ssh
    /// Something that wants to be spoken to in TLS.
    case tls
    /// A Fujifilm that waits for its phone application, and speaks another dialect.
    case fujifilmPhone

    /// Nothing where the bytes are nothing that is known here.
    init?(firstBytes bytes: some Collection<UInt8>) {
        if bytes.starts(with: Array("HTTP/".utf8)) {
            self = .http
        } else if bytes.starts(with: Array("SSH-".utf8)) {
            self = .ssh
        } else if bytes.starts(with: [0x15, 0x03]) || bytes.starts(with: [0x16, 0x03]) {
            // "alert(21), handshake(22)" and the protocol's major version (RFC 8446 §5.1).
            self = .tls
        } else if ForeignPeer.isUSBContainer(Array(bytes.prefix(ForeignPeer.containerHeader))) {
            self = .fujifilmPhone
        } else {
            return nil
        }
    }

    /// A container of PTP over USB: u32 length, u16 kind (1 command to 4 event), u16 code, u32 transaction. A packet of
    /// PTP/IP has a type below 15 in bytes 4 to 7, so its bytes 6 and 7 are zero.
    private static func isUSBContainer(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8 else { return false }
        let length =
            UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
        let kind = UInt16(bytes[4]) | UInt16(bytes[5]) << 8
        let code = UInt16(bytes[6]) | UInt16(bytes[7]) << 8
        return (UInt32(containerHeader)...PacketLimits.oddPacketBytes).contains(length)
            && (1...4).contains(kind) && code >= 0x1000
    }

    private static let containerHeader = 12

    /// What only a Fujifilm says in an Init Fail: press a key on the body first, and another protocol version.
    init?(refusal reason: InitFailReason) {
        guard reason.rawValue == 0x2019 || reason.rawValue == 0x201D else { return nil }
        self = .fujifilmPhone
    }
}

extension ForeignPeer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .http: "a web server (HTTP) answers there, and no camera"
        case .ssh: "an SSH server answers there, and not PTP/IP"
        case .tls: "something answers there in TLS, and not in PTP/IP"
        case .fujifilmPhone: "what answers there speaks like a Fujifilm in phone mode, and not PTP/IP"
        }
    }
}
