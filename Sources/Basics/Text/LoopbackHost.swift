/// Names and addresses of this machine itself, as people type them: what goes there stays here.
public enum LoopbackHost {
    /// "localhost" (RFC 6761 §6.3), 127.0.0.0/8 (RFC 1122 §3.2.1.3) and ::1 (RFC 4291 §2.5.3), which stands in brackets.
    public static func matches(_ host: some StringProtocol) -> Bool {
        let isNumeric = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        return host.lowercased() == "localhost" || host == "[::1]" || host.hasPrefix("127.") && isNumeric
    }

    /// Whether an address without a scheme, such as `localhost:8080/x`, begins with one.
    public static func begins(_ address: some StringProtocol) -> Bool {
        let authority = address.prefix { $0 != "/" }
        guard authority.hasPrefix("[") else { return matches(authority.prefix { $0 != ":" }) }
        return matches(String(authority.prefix { $0 != "]" }) + "]")
    }
}
