package import Basics
package import HTTPServer

extension Request {
    /// More than any of our pages sets: a browser that sends more has cookies of other sites of the domain.
    private static let mostCookies = 100

    /// The values of the cookies of that name: there may be several, of different paths.
    package func cookies(named name: String) -> [Substring] {
        headers.lazy.filter { $0.isNamed("Cookie") }
            .flatMap { $0.value.split(separator: ";") }.prefix(Self.mostCookies)
            .compactMap { cookie in
                let parts = cookie.drop { $0 == " " }.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return parts.count == 2 && parts[0] == name[...] ? parts[1] : nil
            }
    }
}

extension HTTPHeader {
    /// What a cookie goes along with (RFC 6265bis §5.6.7).
    package enum CookieReach: String {
        /// Requests of our own pages, and a link from elsewhere that is followed.
        case lax = "Lax"
        /// Requests of our own pages alone.
        case strict = "Strict"
    }

    /// A cookie that no script sees and that other sites' forms do not carry.
    package static func cookie(
        _ name: String, _ value: String, path: String, life: Duration, isSecure: Bool,
        reach: CookieReach = .lax
    ) -> HTTPHeader {
        let text =
            "\(name)=\(value); Path=\(path); Max-Age=\(life.components.seconds); HttpOnly; SameSite=\(reach.rawValue)"
        return HTTPHeader("Set-Cookie", isSecure ? text + "; Secure" : text)
    }
}
