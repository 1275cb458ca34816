package import Bridge
import Digest
package import HTTPServer
import Synchronization

/// Lets guests into events that have a PIN.
package final class GuestDoor: Sendable {
    /// The contract's: "5 tries per address and minute, 50 per event and hour".
    package static let perAddress = RateRule(5, in: .seconds(60))
    package static let perEvent = RateRule(50, in: .seconds(3600))

    private let hasher: PasswordHasher
    private let time: any TimeSource
    let wall: any WallTime
    let key: [UInt8]
    private let isSecure: Bool
    private let state = Mutex(State())

    /// What is needed of an event: its id, and its PIN's hash where it has one.
    package struct Event: Equatable, Sendable {
        package let id: String
        package let pinHash: String?

        package init(id: String, pinHash: String?) {
            self.id = id
            self.pinHash = pinHash
        }
    }

    private struct Visitor: Hashable, Sendable {
        let event: String
        let address: PeerKey
    }

    private struct State: Sendable {
        var perAddress = RateLimiter<Visitor>(GuestDoor.perAddress)
        var perEvent = RateLimiter<String>(GuestDoor.perEvent)
        /// Of PINs that were right, by their hash: a whole party that comes at once is let in without hashing.
        var right: [String: SHA256Digest] = [:]

        static let mostRight = 1000
    }

    /// `isSecure` says that guests come by https only.
    package init(
        secret: ServerSecret, hasher: PasswordHasher, time: any TimeSource, wall: any WallTime,
        isSecure: Bool
    ) {
        self.hasher = hasher
        self.time = time
        self.wall = wall
        self.isSecure = isSecure
        key = secret.key(for: .guests)
    }

    // MARK: PINs

    /// Digits, so that every phone shows its keypad.
    package static let pin = FieldRule<String>.text(4...12).and("must have from 4 to 12 digits") {
        $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// As the event keeps it.
    package func hash(pin: String) async throws(APIError) -> String {
        try await hasher.make(pin)
    }

    /// POST /e/{slug}/access
    package func access(_ event: Event, _ request: Request) async throws -> Response {
        let pin: String?
        if request.body.isEmpty {
            pin = nil
        } else {
            pin = try JSONFields.read(request) { $0.optional("pin", .text(0...100, .secret)) }
        }
        let cookie = try await enter(event, pin: pin, peer: request.peer)
        var response = Response.data(["access": .bool(true)])
        if let cookie { response.headers.append(cookie) }
        return response
    }

    /// The cookie for whoever knows the PIN; nothing where there is none to know. Throws `forbidden` for a wrong one and
    /// `rateLimited` after too many of them; right ones do not count, since a whole party may share one address.
    package func enter(
        _ event: Event, pin: String?, peer: String
    ) async throws(APIError) -> HTTPHeader? {
        guard let pinHash = event.pinHash else { return nil }
        guard let pin, !pin.isEmpty else { throw APIError(.forbidden, "this event has a PIN") }
        let visitor = Visitor(event: event.id, address: PeerKey(peer))
        let now = time.now
        let digest = SHA256.of(Array("\(pinHash)\n\(pin)".utf8))
        // Counted before it is looked at: tries that come at the same moment are as many as others.
        var isRight = try count(visitor, pinHash, digest, at: now)
        if !isRight {
            do throws(APIError) {
                isRight = try await hasher.check(pin, against: pinHash) != .wrong
            } catch {
                // Nobody looked at it.
                uncount(visitor, at: now)
                throw error
            }
            if isRight { remember(visitor, pinHash, digest, at: now) }
        }
        guard isRight else { throw APIError(.forbidden, "that is not the PIN") }
        return cookie(event.id, pinHash)
    }

    /// Whether that PIN is known to be right.
    private func count(
        _ visitor: Visitor, _ pinHash: String, _ digest: SHA256Digest, at now: Duration
    ) throws(APIError) -> Bool {
        let (isRight, wait) = state.withLock { state -> (Bool, Duration?) in
            if let wait = Accounts.longer(
                state.perAddress.wait(for: visitor, at: now), state.perEvent.wait(for: visitor.event, at: now)
            ) {
                return (false, wait)
            }
            if state.right[pinHash] == digest { return (true, nil) }
            state.perAddress.note(visitor, at: now)
            state.perEvent.note(visitor.event, at: now)
            return (false, nil)
        }
        if let wait { throw Accounts.tooMany(wait) }
        return isRight
    }

    private func uncount(_ visitor: Visitor, at now: Duration) {
        state.withLock { state in
            state.perAddress.forget(visitor, at: now)
            state.perEvent.forget(visitor.event, at: now)
        }
    }

    private func remember(_ visitor: Visitor, _ pinHash: String, _ digest: SHA256Digest, at now: Duration) {
        uncount(visitor, at: now)
        state.withLock { state in
            if state.right.count >= State.mostRight { state.right = [:] }
            state.right[pinHash] = digest
        }
    }

    // MARK: Passes

    private func cookie(_ event: String, _ pinHash: String) -> HTTPHeader {
        let pass = GuestPass(event: event, expiresAt: wall.wallNow + GuestPass.life)
        let text =
            "\(GuestPass.cookieName(event))=\(pass.text(pinHash: pinHash, key: key)); Path=/; "
            + "Max-Age=\(GuestPass.life.components.seconds); HttpOnly; SameSite=Lax"
        return HTTPHeader("Set-Cookie", isSecure ? text + "; Secure" : text)
    }

    /// The cookie for an event's owner, who need not know the PIN by heart; nothing where there is none.
    package func pass(to event: Event) -> HTTPHeader? { event.pinHash.map { cookie(event.id, $0) } }

    /// Whether a guest may see an event: it has no PIN, or he showed that he knows it.
    package func mayLook(at event: Event, _ request: Request) -> Bool {
        guard let pinHash = event.pinHash else { return true }
        return GuestPass.isShown(
            by: request, event: event.id, pinHash: pinHash, key: key, now: wall.wallNow)
    }
}
