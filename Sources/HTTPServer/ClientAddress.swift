package import Basics
import Posix

/// Where a request comes from: the other end of its connection, or whom a proxy that we trust names.
package struct ClientAddress: Equatable, Sendable {
    package let text: String
    /// Whether the address is the client's own. Not so for what came through a proxy that is not configured, and for what a
    /// trusted one passed on without a name: all the world would have the proxy's address then.
    package let isItsOwn: Bool
    /// It came through a proxy that we trust, which does not say for whom it asks.
    private let isUnknown: Bool

    /// Whom it counts as; nothing where that is not known.
    package var group: AddressGroup? { isUnknown ? nil : AddressGroup(text) }

    /// Whether it is this very machine.
    package var isThisMachine: Bool { isItsOwn && Self.isLoopback(text) }

    /// What proxies add. Other clients have no reason to.
    private static let marks = ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"]
    /// Of an IPv6 address that holds an IPv4 one, in brackets and with a port.
    private static let longest = 45 + "[]:65535".utf8.count

    package init(connection: String, headers: [HTTPHeader] = [], trusted: Set<String> = []) {
        guard trusted.contains(connection) else {
            (text, isUnknown) = (connection, false)
            isItsOwn = !headers.contains { header in Self.marks.contains { header.isNamed($0) } }
            return
        }
        let chain = headers.filter { $0.isNamed("X-Forwarded-For") }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false) }
            .map(Self.address)
        // Each proxy appends whom it heard from. What stands before the first that we do not trust may be invented, also
        // where that one cannot be read.
        let client = chain.last { $0.map { !trusted.contains($0) } ?? true } ?? chain.first ?? nil
        text = client ?? connection
        isItsOwn = client != nil
        isUnknown = client == nil
    }

    /// "192.0.2.1", "192.0.2.1:40000", "2001:db8::1" or "[2001:db8::1]:40000", without the port; nothing for what is none.
    private static func address(_ entry: Substring) -> String? {
        let words = entry.split(separator: " ")
        guard words.count == 1, words[0].utf8.count <= longest else { return nil }
        do throws(HostPort.Unreadable) {
            let host = try HostPort(String(words[0]), defaultPort: 0).host
            return IPEndpoint(numeric: host, port: 0) == nil ? nil : host
        } catch {
            return nil
        }
    }

    /// A host as an address names it: "localhost" (RFC 6761 §6.3), or a numeric address of this machine.
    package static func isLoopbackHost(_ host: String) -> Bool {
        host.lowercased() == "localhost" || isLoopback(host)
    }

    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3), also mapped into IPv6, and ::1 (RFC 4291 §2.5.3).
    package static func isLoopback(_ text: String) -> Bool {
        IPEndpoint(numeric: text, port: 0).map { isLoopback($0.address) } ?? false
    }

    package static func isLoopback(_ address: [UInt8]) -> Bool {
        if address.count == 4 { return address[0] == 127 }
        guard address.count == 16, address.prefix(10).allSatisfy({ $0 == 0 }) else { return false }
        let isMapped = address[10...11].allSatisfy { $0 == 0xFF } && address[12] == 127
        return isMapped || address[10..<15].allSatisfy { $0 == 0 } && address[15] == 1
    }
}
