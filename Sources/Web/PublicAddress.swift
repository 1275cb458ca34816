import HTTPServer
package import Posix

/// What an operator says that a gallery is reached by: `--public-url`, as far as it says who answers there.
package struct PublicAddress: Equatable, Sendable {
    package let isHTTPS: Bool
    package let host: String
    package let port: UInt16

    /// Nothing where it cannot be read.
    package init?(_ url: String) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return nil }
        switch parts[0].lowercased() {
        case "http:": isHTTPS = false
        case "https:": isHTTPS = true
        default: return nil
        }
        do throws(HostPort.Unreadable) {
            let authority = try HostPort(String(parts[2]), defaultPort: isHTTPS ? 443 : 80)
            (host, port) = (authority.host, authority.port)
        } catch {
            return nil
        }
    }

    /// As a request's `Host` says it (RFC 9110 §7.2): with the port, or without one that goes without saying.
    package var authorities: Set<String> {
        let whole = "\(HostPort(host: host, port: port))".lowercased()
        guard port == (isHTTPS ? 443 : 80) else { return [whole] }
        return [whole, String(whole.dropLast(":\(port)".count))]
    }

    /// Whether requests come from there to that listener with nothing between them: it is this machine by its own name, or a
    /// numeric address of it with the listener's port. A name may be a proxy's, also with the same port.
    package func leads(to listener: IPEndpoint, isTLS: Bool, isOurs: (_ address: [UInt8]) -> Bool) -> Bool {
        if ClientAddress.isLoopbackHost(host) { return true }
        guard let address = IPEndpoint(numeric: host, port: port)?.address, port == listener.port,
            isHTTPS == isTLS
        else { return false }
        let isWildcard = listener.address.allSatisfy { $0 == 0 }
        return address == listener.address || isWildcard && isOurs(address)
    }
}
