import Basics
import Digest
import HTTPServer
import Posix
import Web

/// Who may look, and who may change something.
///
/// The token is in the fragment of the address that is printed, which no browser sends; a script of the page exchanges it
/// for a cookie. Both are made anew with each run.
struct HudDoor: Sendable {
    let token: String
    private let cookie: String
    private let cookieName: String
    private let settings: HudSettings

    private static let tokenBytes = 32
    /// Longer than an event; the run ends before.
    private static let cookieLife = Duration.seconds(7 * 86_400)

    init(_ settings: HudSettings, random: any RandomSource) {
        self.settings = settings
        token = Base64URL.text(random.bytes(Self.tokenBytes))
        cookie = Base64URL.text(HMACSHA256.code(of: Array("hud".utf8), key: Array(token.utf8)))
        // Cookies know no ports: two bridges on one machine would take each other's.
        cookieName = "hud-\(settings.listen.port)"
    }

    // MARK: Checks

    enum Wish {
        /// The page itself and its style, in which there is nothing of the event.
        case page
        /// The token is being exchanged.
        case enter
        case look
        case act
    }

    /// Nothing where the request may go on.
    func refusal(of request: Request, for wish: Wish) -> HudProblem? {
        guard isOurHost(request) else {
            return HudProblem(
                403,
                "This bridge is not known by that name. Use its address, or name it in hud.names of its settings."
            )
        }
        if case .page = wish { return nil }
        guard SiteOfRequest(request, isOurs: { isOurs($0) }).isOwn else {
            return HudProblem(403, "The request comes from another site's page.")
        }
        if case .enter = wish { return hasOrigin(request) ? nil : Self.noOrigin }
        guard hasCookie(request) || hasToken(request) else {
            return HudProblem(
                401,
                "Open the address that the bridge has printed, or scan its code: it has the token of this run."
            )
        }
        guard case .act = wish else { return nil }
        guard settings.allowsControl else {
            return HudProblem(
                403,
                "This view only shows: others in the network could read along. 'run --hud-control' allows changes over plain "
                    + "http; better are hud.certificate and hud.key.")
        }
        return hasOrigin(request) || hasToken(request) ? nil : Self.noOrigin
    }

    private static let noOrigin = HudProblem(403, "The request does not say which page it comes from.")

    /// A name that leads here and is a stranger's shows in `Host`; a number does not lead elsewhere.
    private func isOurHost(_ request: Request) -> Bool {
        let hosts = request.headers.filter { $0.name.lowercased() == "host" }
        return hosts.count == 1 && isOurs(hosts[0].value.lowercased())
    }

    private func isOurs(_ authority: String) -> Bool {
        do throws(HostPort.Unreadable) {
            let host = try HostPort(authority, defaultPort: settings.listen.port).host
            return ClientAddress.isLoopbackHost(host) || IPEndpoint(numeric: host, port: 0) != nil
                || settings.names.contains(host)
        } catch {
            return false
        }
    }

    private func hasOrigin(_ request: Request) -> Bool { request["Origin"] != nil }

    private func hasCookie(_ request: Request) -> Bool {
        request.cookies(named: cookieName).contains {
            ConstantTime.isSame(Array($0.utf8), Array(cookie.utf8))
        }
    }

    /// "Authorization: Bearer" (RFC 6750 §2.1), for programs.
    private func hasToken(_ request: Request) -> Bool {
        guard let words = request["Authorization"]?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bearer"
        else { return false }
        return isToken(String(words[1]))
    }

    private func isToken(_ text: String) -> Bool { ConstantTime.isSame(Array(text.utf8), Array(token.utf8)) }

    // MARK: The exchange

    static let longestBody = 64 << 10

    func enter(_ request: Request) throws -> Response {
        let wish = try JSON5.parse(String(decoding: request.body, as: UTF8.self))
        guard isToken(wish["token"]?.string ?? "") else {
            throw HudProblem(401, "That token is not the one of this run: each run prints a new address.")
        }
        let header = HTTPHeader.cookie(
            cookieName, cookie, path: "/", life: Self.cookieLife, isSecure: settings.tls != nil,
            reach: .strict)
        return Response(status: 204, headers: [header, HTTPHeader("Cache-Control", "no-store")])
    }
}

/// Why a request is not answered with what it wants, for the person behind it.
struct HudProblem: Error, CustomStringConvertible {
    let status: Int
    let description: String

    init(_ status: Int, _ description: String) {
        self.status = status
        self.description = description
    }
}
