package import Bridge
import Posix

/// Where a request comes from: the other end of its connection, or whom a proxy that we trust names.
package struct ClientAddress: Equatable, Sendable {
    package let text: String
    /// False for what came through a proxy that nobody told us of, and for what a trusted one passed on without a name:
    /// all the world would be this machine then.
    private let mayBeThisMachine: Bool

    /// Whether it is this very machine.
    package var isThisMachine: Bool { mayBeThisMachine && Self.isLoopback(text) }

    /// What proxies add. Nobody else has a reason to.
    private static let marks: Set<String> = ["x-forwarded-for", "forwarded", "x-real-ip", "via"]
    /// Of an IPv6 address that holds an IPv4 one.
    private static let longest = 45

    package init(connection: String, headers: [HTTPHeader] = [], trusted: Set<String> = []) {
        guard trusted.contains(connection) else {
            text = connection
            mayBeThisMachine = !headers.contains { Self.marks.contains($0.name.lowercased()) }
            return
        }
        let chain = headers.filter { $0.name.lowercased() == "x-forwarded-for" }
            .flatMap { $0.value.split(separator: ",") }
            .map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
        // Each proxy appends whom it heard from; what stands before the first that we do not trust may be invented.
        text = chain.last { !trusted.contains($0) && $0.utf8.count <= Self.longest } ?? connection
        mayBeThisMachine = !chain.isEmpty
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
