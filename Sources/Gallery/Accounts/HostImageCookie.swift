import Basics
import HTTPServer
import Web

/// By what a picture on the host's page says who wants it, since it can carry no token: a cookie for images alone. It speaks
/// for one log-in, and ends with that.
struct HostImageCookie: Equatable, Sendable {
    let account: String
    let family: String
    let expiresAt: Timestamp

    static let cookieName = "host"
    static let path = "/images"
    static let life = RefreshToken.life
    private static let longest = 200

    func text(keys: SigningKeys) -> String {
        "\(account).\(family).\(expiresAt.seconds).\(keys.signature(of: claim))"
    }

    private var claim: [UInt8] { Array("host\n\(account)\n\(family)\n\(expiresAt.seconds)".utf8) }

    init(account: String, family: String, expiresAt: Timestamp) {
        self.account = account
        self.family = family
        self.expiresAt = expiresAt
    }

    /// Nothing for what was not made here, or has ended. Whether its log-in has is for the database to say.
    init?(_ text: some StringProtocol, keys: SigningKeys, now: Timestamp) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[2].utf8.count <= 12, let seconds = Int64(parts[2])
        else { return nil }
        self.init(
            account: String(parts[0]), family: String(parts[1]),
            expiresAt: Timestamp(milliseconds: seconds * 1000))
        guard keys.signer(of: parts[3], over: claim) != nil, now < expiresAt else { return nil }
    }
}

extension Accounts {
    /// What a host's browser is given with an event: the cookie for its images, as long as the token's log-in lasts. No pass of
    /// a guest's: that would outlive it.
    func hostCookie(for request: Request, isSecure: Bool) -> HTTPHeader? {
        token(of: request).map { token in
            let pass = HostImageCookie(
                account: token.account, family: token.family, expiresAt: wallNow + HostImageCookie.life)
            return .cookie(
                HostImageCookie.cookieName, pass.text(keys: hostKeys), path: HostImageCookie.path,
                life: HostImageCookie.life,
                isSecure: isSecure)
        }
    }

    /// The log-ins that a request for an image speaks for, by a token or by the cookie. Whether they have ended is for the
    /// database to say.
    func logins(of request: Request) -> [(account: String, family: String)] {
        guard request.headers.contains(where: { $0.isNamed("Cookie") || $0.isNamed("Authorization") })
        else { return [] }
        let now = wallNow
        let passes = request.cookies(named: HostImageCookie.cookieName).compactMap {
            HostImageCookie($0, keys: hostKeys, now: now)
        }
        return (token(of: request).map { [($0.account, $0.family)] } ?? [])
            + passes.map { ($0.account, $0.family) }
    }
}
