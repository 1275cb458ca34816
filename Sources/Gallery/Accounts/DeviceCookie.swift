import Basics
import Digest
import Web

/// What tells one browser from the others behind its address: a number that we have given and signed. It says nothing of
/// who uses it, and grants no access.
struct DeviceCookie: Equatable, Sendable {
    /// What a device is known for.
    enum Kind: Equatable, Sendable {
        /// It was shown the page that asks for a PIN.
        case guest
        /// It has logged in with that address before.
        case login(email: String)
        /// It gives hearts and writes comments at that event.
        case reactions(event: String)
        /// It takes photos of that event home.
        case takes(event: String)

        var name: String {
            switch self {
            case .guest: "device"
            // One for each account: a browser keeps one cookie of a name. The address itself stands in none.
            case .login(let email):
                "known_device_\(Base64URL.text(Array(SHA256.of(Array(email.utf8)).bytes.prefix(6))))"
            case .reactions(let event): "hearts_\(event.prefix(8))"
            case .takes(let event): "takes_\(event.prefix(8))"
            }
        }

        var path: String {
            switch self {
            case .guest, .reactions, .takes: "/e/"
            case .login: "/auth/"
            }
        }

        /// A day for guests: so many new devices a day are all that there are then.
        var life: Duration {
            switch self {
            case .guest: .seconds(86_400)
            case .login, .reactions, .takes: .seconds(180 * 86_400)
            }
        }

        fileprivate var claim: String {
            switch self {
            case .guest: "guest"
            case .login(let email): "login \(email)"
            case .reactions(let event): "reactions \(event)"
            case .takes(let event): "takes \(event)"
            }
        }
    }

    let id: String
    private static let idLength = 12
    private static let longest = 100

    static func newID(_ random: any RandomSource) -> String { Base64URL.text(random.bytes(idLength)) }

    /// A new one: the header that gives it.
    static func made(
        for kind: Kind, keys: SigningKeys, now: Timestamp, random: any RandomSource, isSecure: Bool
    ) -> HTTPHeader {
        made(newID(random), for: kind, keys: keys, now: now, isSecure: isSecure)
    }

    static func made(
        _ id: String, for kind: Kind, keys: SigningKeys, now: Timestamp, isSecure: Bool
    ) -> HTTPHeader {
        let signature = keys.signature(of: claim(kind, id, now.seconds))
        return .cookie(
            kind.name, "\(id).\(now.seconds).\(signature)", path: kind.path, life: kind.life,
            isSecure: isSecure)
    }

    private static func claim(_ kind: Kind, _ id: String, _ seconds: Int64) -> [UInt8] {
        Array("device\n\(kind.claim)\n\(id)\n\(seconds)".utf8)
    }

    /// Nothing for what was not made here for that, or has ended.
    init?(_ text: some StringProtocol, for kind: Kind, keys: SigningKeys, now: Timestamp) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].utf8.count <= 12, let seconds = Int64(parts[1])
        else { return nil }
        id = String(parts[0])
        let end = Timestamp(milliseconds: seconds * 1000) + kind.life
        guard keys.signer(of: parts[2], over: Self.claim(kind, id, seconds)) != nil, now < end else {
            return nil
        }
    }
}
