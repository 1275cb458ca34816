import Basics
import HTTPServer

extension Request {
    /// More than the gallery sets: a browser that sends more has cookies of other sites of the domain.
    private static let mostCookies = 100

    /// The values of the cookies of that name: there may be several, of different paths.
    func cookies(named name: String) -> [Substring] {
        headers.lazy.filter { $0.name.lowercased() == "cookie" }
            .flatMap { $0.value.split(separator: ";") }.prefix(Self.mostCookies)
            .compactMap { cookie in
                let parts = cookie.drop { $0 == " " }.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return parts.count == 2 && parts[0] == name[...] ? parts[1] : nil
            }
    }
}

extension HTTPHeader {
    /// A cookie that no script sees and that other sites' forms do not carry.
    static func cookie(
        _ name: String, _ value: String, path: String, life: Duration, isSecure: Bool
    ) -> HTTPHeader {
        let text =
            "\(name)=\(value); Path=\(path); Max-Age=\(life.components.seconds); HttpOnly; SameSite=Lax"
        return HTTPHeader("Set-Cookie", isSecure ? text + "; Secure" : text)
    }
}
