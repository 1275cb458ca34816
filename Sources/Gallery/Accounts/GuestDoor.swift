package import Basics
import Digest
package import HTTPServer
import Web

/// Lets guests into events that have a PIN: by the key that a QR code carries, or by the PIN.
package final class GuestDoor: Sendable {
    private let pins: PINChecker
    let wall: any WallTime
    let random: any RandomSource
    private let keys: KeyRing
    private let isSecure: Bool
    private let limits: LimitCounter<PINLimits>
    /// Where it is written down who came in.
    private let activity: ActivityLog?

    /// What is needed of an event.
    package struct Event: Equatable, Sendable {
        package let id: String
        /// Where it has a PIN.
        package let pinHash: String?
        package let key: GuestLinkKey

        package init(id: String, pinHash: String?, key: GuestLinkKey) {
            self.id = id
            self.pinHash = pinHash
            self.key = key
        }
    }

    /// `isSecure` says that guests come by https only. With `shared`, tries are counted for all nodes.
    package init(
        keys: KeyRing, hasher: PasswordHasher, time: any TimeSource, wall: any WallTime,
        random: any RandomSource, isSecure: Bool, shared: SharedLimits? = nil,
        activity: ActivityLog? = nil
    ) {
        self.activity = activity
        pins = PINChecker(hasher)
        self.wall = wall
        self.random = random
        self.isSecure = isSecure
        self.keys = keys
        limits = LimitCounter(PINLimits(), shared, time: time)
    }

    var guestKeys: SigningKeys { keys.keys(for: .guests) }
    private var deviceKeys: SigningKeys { keys.keys(for: .devices) }

    // MARK: PINs

    /// Digits, so that every phone shows its keypad.
    package static let pin = FieldRule<String>.text(pinLengths).and("must have from 4 to 12 digits", isPIN)

    private static let pinLengths = 4...12

    private static func isPIN(_ text: String) -> Bool {
        pinLengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static let longestTry = 100
    private static let usualDigits = 6

    /// One for an event whose host leaves it to us: a million of them, at ten thousand tries a day.
    package static func makePIN(random: any RandomSource) -> String {
        var generator = Randomness(random)
        return String((0..<usualDigits).map { _ in Character("\(generator.next(upperBound: UInt64(10)))") })
    }

    /// As the event keeps it.
    package func hash(pin: String) async throws(APIError) -> String {
        try await pins.hash(pin)
    }

    /// POST /e/{slug}/access
    package func access(_ event: Event, _ request: Request) async throws -> Response {
        var pin: String?
        var key: String?
        if !request.body.isEmpty {
            (pin, key) = try JSONFields.read(request) { fields in
                let text = FieldRule<String>.text(0...Self.longestTry, .secret)
                return (fields.optional("pin", text), fields.optional("key", text))
            }
        }
        let cookie: HTTPHeader? =
            if let key {
                try enter(event, key: key, from: request.peer)
            } else {
                try await enter(event, pin: pin, request)
            }
        var response = Response.data(["access": .bool(true)])
        if let cookie { response.headers.append(cookie) }
        return response
    }

    /// The cookie for a guest who knows the PIN; nothing where the event has none. Throws `forbidden` for a wrong one.
    ///
    /// Throws `rateLimited` for one that is not looked at: whether it is right or wrong makes no difference to anything then,
    /// neither to the answer nor to its time nor to what comes after it.
    package func enter(
        _ event: Event, pin: String?, _ request: Request
    ) async throws -> HTTPHeader? {
        guard let pinHash = event.pinHash else { return nil }
        guard let pin, !pin.isEmpty else { throw APIError(.forbidden, "this event has a PIN") }
        let wrong = APIError(.forbidden, "that is not the PIN")
        // What cannot be a PIN by the public rules is no try, and is compared with nothing.
        guard Self.isPIN(pin) else { throw wrong }
        let subject = PINLimits.Subject(
            device: device(of: request), address: PeerKey(request.peer), event: event.id)
        let verdict = try await limits.decide(on: subject) { [id = event.id] in
            $0.begin(device: subject.device, address: subject.address, event: id, at: $1)
        }
        let attempt: PINLimits.Attempt
        switch verdict {
        case .look(let counted): attempt = counted
        case .wait(let wait):
            activity?.note(.pinFailed, ["event": event.id, "from": request.peer, "because": "limit"])
            throw Self.tooMany(wait)
        }
        let isRight: Bool
        do throws(APIError) {
            isRight = try await pins.check(pin, against: pinHash)
        } catch {
            // It was never compared.
            try await takeBack(attempt)
            throw error
        }
        guard isRight else {
            activity?.note(.pinFailed, ["event": event.id, "from": request.peer, "because": "wrong"])
            throw wrong
        }
        try await takeBack(attempt)
        activity?.note(.guest, ["event": event.id, "from": request.peer, "by": "pin"])
        return cookie(GuestPass(event, by: .pin, from: wall.wallNow), event)
    }

    private func takeBack(_ attempt: PINLimits.Attempt) async throws {
        try await limits.decide(on: attempt.subject) { $0.takeBack(attempt, at: $1) }
    }

    private static func tooMany(_ wait: Duration) -> APIError {
        APIError(
            .rateLimited,
            "too many PINs came from this network; wait before the next, or scan the hosts' QR code, which needs none",
            retryAfter: wait)
    }

    // MARK: Keys

    /// The cookie for a guest who has the key; nothing where there is no PIN. With 128 bits there is nothing to limit.
    package func enter(
        _ event: Event, key: String, from peer: String = "unknown"
    ) throws(APIError) -> HTTPHeader? {
        guard event.pinHash != nil else { return nil }
        guard event.key.isSame(as: key) else {
            throw APIError(.forbidden, "this key is not good, or not any more")
        }
        activity?.note(.guest, ["event": event.id, "from": peer, "by": "key"])
        return cookie(GuestPass(event, by: .key, from: wall.wallNow), event)
    }

    // MARK: Devices

    /// Which browser it is, where it is known.
    func guest(of request: Request) -> SearchClient.Guest {
        device(of: request).map { .known($0) } ?? .unknown
    }

    /// Goes with the page that asks for a PIN, and with what is found, where the browser has none yet.
    package func deviceCookie(for request: Request) async throws -> HTTPHeader? {
        guard device(of: request) == nil else { return nil }
        let subject = PINLimits.Subject(device: nil, address: PeerKey(request.peer), event: nil)
        let may = try await limits.decide(on: subject) {
            $0.mayIntroduceDevice(to: subject.address, at: $1)
        }
        guard may else { return nil }
        return DeviceCookie.made(
            for: .guest, keys: deviceKeys, now: wall.wallNow, random: random, isSecure: isSecure)
    }

    /// Whether the browser has brought what it was given at this door before, and so will bring a pass.
    func keepsCookies(_ request: Request, of event: Event) -> Bool {
        !request.cookies(named: GuestPass.cookieName(event.id)).isEmpty || device(of: request) != nil
    }

    private func device(of request: Request) -> String? {
        request.cookies(named: DeviceCookie.Kind.guest.name).lazy.compactMap { text in
            DeviceCookie(text, for: .guest, keys: self.deviceKeys, now: self.wall.wallNow)?.id
        }.first
    }

    // MARK: Passes

    private func cookie(_ pass: GuestPass, _ event: Event) -> HTTPHeader {
        .cookie(
            GuestPass.cookieName(event.id), pass.text(event, keys: guestKeys), path: "/",
            life: GuestPass.life,
            isSecure: isSecure)
    }

    /// Whether a guest may see an event: it has no PIN, or he showed that he knows it, or the key.
    package func mayLook(at event: Event, _ request: Request) -> Bool {
        guard event.pinHash != nil else { return true }
        return GuestPass.isShown(by: request, event, keys: guestKeys, now: wall.wallNow)
    }
}
