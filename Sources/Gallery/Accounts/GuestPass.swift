package import Bridge
import Digest
import HTTPServer

/// What a guest who knew the PIN carries, so that he need not give it for every picture: the event, an end, and a code over
/// both and over the PIN's hash. With another PIN every pass has ended.
package struct GuestPass: Equatable, Sendable {
    package let event: String
    package let expiresAt: Timestamp

    package static let life = Duration.seconds(30 * 86_400)
    /// One cookie for each event; a browser that was told more of them is somebody else's doing.
    private static let mostCookies = 100
    private static let longest = 100

    package init(event: String, expiresAt: Timestamp) {
        self.event = event
        self.expiresAt = expiresAt
    }

    static func cookieName(_ event: String) -> String { "guest_\(event.prefix(8))" }

    func text(pinHash: String, key: [UInt8]) -> String {
        let code = HMACSHA256.code(of: claim(pinHash), key: key)
        return "\(expiresAt.seconds).\(Base64URL.text(code))"
    }

    private func claim(_ pinHash: String) -> [UInt8] {
        Array("\(event)\n\(expiresAt.seconds)\n\(pinHash)".utf8)
    }

    /// Nothing for what was not made here for this event and this PIN, or has ended.
    init?(_ text: some StringProtocol, event: String, pinHash: String, key: [UInt8], now: Timestamp) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 12, let seconds = Int64(parts[0]),
            let code = Base64URL.bytes(parts[1])
        else { return nil }
        self.init(event: event, expiresAt: Timestamp(milliseconds: seconds * 1000))
        guard HMACSHA256.isCode(code, of: claim(pinHash), key: key), now < expiresAt else { return nil }
    }

    /// Whether one of the request's cookies is a good pass.
    static func isShown(
        by request: Request, event: String, pinHash: String, key: [UInt8], now: Timestamp
    ) -> Bool {
        let wanted = cookieName(event)
        let cookies = request.headers.lazy.filter { $0.name.lowercased() == "cookie" }
            .flatMap { $0.value.split(separator: ";") }
        for cookie in cookies.prefix(mostCookies) {
            let parts = cookie.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == wanted[...] else { continue }
            if GuestPass(parts[1], event: event, pinHash: pinHash, key: key, now: now) != nil { return true }
        }
        return false
    }
}
