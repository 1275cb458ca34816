package import Basics
import HTTPServer
import Web

/// What a guest carries who knew the PIN or had the key, so that he need not give it for every picture: the event, an end,
/// and a code over both and over what let him in. With another PIN every pass has ended; with another key those have that the
/// old one gave.
package struct GuestPass: Equatable, Sendable {
    package enum Origin: Equatable, Sendable {
        case pin
        case key
    }

    package let event: String
    package let origin: Origin
    package let expiresAt: Timestamp

    package static let life = Duration.seconds(30 * 86_400)
    private static let longest = 100
    /// What a pass ends with that a key gave.
    private static let keyMark = "k"

    init(_ event: GuestDoor.Event, by origin: Origin, from now: Timestamp) {
        self.event = event.id
        self.origin = origin
        expiresAt = now + Self.life
    }

    static func cookieName(_ event: String) -> String { "guest_\(event.prefix(8))" }

    func text(_ event: GuestDoor.Event, keys: SigningKeys) -> String {
        let text = "\(expiresAt.seconds).\(keys.signature(of: claim(event)))"
        return origin == .key ? "\(text).\(Self.keyMark)" : text
    }

    private func claim(_ event: GuestDoor.Event) -> [UInt8] {
        let byPIN = "\(event.id)\n\(expiresAt.seconds)\n\(event.pinHash ?? "")"
        return Array((origin == .key ? "\(byPIN)\nkey\n\(event.key.text)" : byPIN).utf8)
    }

    /// Nothing for what was not made here for this event as it is now, or has ended.
    init?(_ text: some StringProtocol, _ event: GuestDoor.Event, keys: SigningKeys, now: Timestamp) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 && parts[2] == Self.keyMark, parts[0].utf8.count <= 12,
            let seconds = Int64(parts[0])
        else { return nil }
        self.event = event.id
        origin = parts.count == 3 ? .key : .pin
        expiresAt = Timestamp(milliseconds: seconds * 1000)
        guard keys.signer(of: parts[1], over: claim(event)) != nil, now < expiresAt else { return nil }
    }

    /// Whether one of the request's cookies is a good pass.
    static func isShown(by request: Request, _ event: GuestDoor.Event, keys: SigningKeys, now: Timestamp)
        -> Bool
    {
        request.cookies(named: cookieName(event.id)).contains {
            GuestPass($0, event, keys: keys, now: now) != nil
        }
    }
}
