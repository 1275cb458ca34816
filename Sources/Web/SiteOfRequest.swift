import Basics
package import HTTPServer
import Posix

/// Which site a request speaks for, by what browsers say of themselves and no page can change.
///
/// Any page that is open in a browser on the server can send requests to this machine's own address: by a form or a script
/// of another site, which shows in `Origin` and `Sec-Fetch-Site` (Fetch §3.1, Fetch Metadata §2.1), or under a name of its own
/// that leads here, which shows in `Host`. Programs other than browsers say none of that, and may.
package struct SiteOfRequest: Equatable, Sendable {
    /// Our own page, or no page at all.
    package let isOwn: Bool

    /// Where a person has typed the address, or our own page asks.
    private static let ownSites: Set<String> = ["same-origin", "none"]

    package init(_ request: Request, publicURL: String?) {
        let ours = publicURL.flatMap(PublicAddress.init)?.authorities ?? []
        self.init(request, ours: ours) { ours.contains($0) || Self.isThisMachine($0) }
    }

    /// `isOurs`: whether we answer to what a `Host` says. `ours`: what an `Origin` may name besides that.
    package init(_ request: Request, ours: Set<String> = [], isOurs: (_ authority: String) -> Bool) {
        let (hosts, origins) = (Self.all("host", request), Self.all("origin", request))
        let sites = Self.all("sec-fetch-site", request)
        isOwn =
            hosts.count <= 1 && origins.count <= 1 && sites.allSatisfy(Self.ownSites.contains)
            && hosts.allSatisfy(isOurs)
            && origins.allSatisfy { origin in
                let authorities = PublicAddress(origin)?.authorities ?? []
                return !authorities.isDisjoint(with: ours.union(hosts))
            }
    }

    private static func all(_ name: String, _ request: Request) -> [String] {
        request.headers.filter { $0.name.lowercased() == name }.map { $0.value.lowercased() }
    }

    private static func isThisMachine(_ authority: String) -> Bool {
        do throws(HostPort.Unreadable) {
            return ClientAddress.isLoopbackHost(try HostPort(authority, defaultPort: 80).host)
        } catch {
            return false
        }
    }
}
