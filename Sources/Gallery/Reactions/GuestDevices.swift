import Basics
import HTTPServer
import Web

/// Which browser of a guest's asks, so that it has one heart for a photo and can take back what it gave: a cookie for each event,
/// made with the first heart or comment. It opens nothing, and says nothing of who uses it.
final class GuestDevices: Sendable {
    struct Known: Sendable {
        let id: String
        /// Gives the browser the cookie, where it had none.
        let cookie: HTTPHeader?
    }

    private let keys: KeyRing
    private let wall: any WallTime
    private let random: any RandomSource
    private let isSecure: Bool
    private let limits: LimitCounter<ReactionLimits>

    /// With `shared`, hearts and comments are counted for all nodes.
    init(
        keys: KeyRing, shared: SharedLimits?, time: any TimeSource, wall: any WallTime,
        random: any RandomSource, isSecure: Bool
    ) {
        self.keys = keys
        self.wall = wall
        self.random = random
        self.isSecure = isSecure
        limits = LimitCounter(ReactionLimits(), shared, time: time)
    }

    private var deviceKeys: SigningKeys { keys.keys(for: .devices) }

    /// Nothing where it has given no heart and written no comment yet, or not from this browser.
    func device(of request: Request, at event: String) -> String? {
        device(of: request, as: .reactions(event: event))
    }

    /// Nothing where it has no good cookie of that kind.
    func device(of request: Request, as kind: DeviceCookie.Kind) -> String? {
        request.cookies(named: kind.name).lazy.compactMap { text in
            DeviceCookie(text, for: kind, keys: self.deviceKeys, now: self.wall.wallNow)?.id
        }.first
    }

    func newDevice(_ kind: DeviceCookie.Kind) -> (id: String, cookie: HTTPHeader) {
        let id = DeviceCookie.newID(random)
        return (
            id, DeviceCookie.made(id, for: kind, keys: deviceKeys, now: wall.wallNow, isSecure: isSecure)
        )
    }

    /// The device that does it, which is a new one where the request has no good cookie. Throws `rateLimited` where it is not to
    /// be done now.
    func device(
        of request: Request, at event: String, for deed: ReactionLimits.Deed
    ) async throws -> Known {
        let known = device(of: request, at: event)
        let id = known ?? DeviceCookie.newID(random)
        let subject = ReactionLimits.Subject(
            device: id, isNew: known == nil, address: PeerKey(request.peer))
        if let wait = try await limits.decide(on: subject, { $0.take(deed, by: subject, at: $1) }) {
            throw Self.tooMany(deed, wait)
        }
        return Known(id: id, cookie: known == nil ? cookie(of: id, at: event) : nil)
    }

    /// For a browser that has none.
    func newDevice() -> String { DeviceCookie.newID(random) }

    func cookie(of device: String, at event: String) -> HTTPHeader {
        DeviceCookie.made(
            device, for: .reactions(event: event), keys: deviceKeys, now: wall.wallNow, isSecure: isSecure)
    }

    private static func tooMany(_ deed: ReactionLimits.Deed, _ wait: Duration) -> APIError {
        let what =
            switch deed {
            case .heart: "hearts"
            case .comment: "comments"
            }
        return APIError(
            .rateLimited, "too many \(what) came from here; wait before the next", retryAfter: wait)
    }
}
