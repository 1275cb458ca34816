package import Bridge
package import HTTPServer
import Synchronization

/// Who uses this gallery: registering, logging in and out, and who a request comes from.
package final class Accounts: Sendable {
    package let settings: AccountSettings
    let store: GalleryStore
    let hasher: PasswordHasher
    private let time: any TimeSource
    let accessKey: [UInt8]
    let refreshKey: [UInt8]
    private let limits: Mutex<Limits>

    /// Who knocked how often.
    private struct Limits: Sendable {
        var loginsPerAccount: RateLimiter<String>
        var loginsPerAddress: RateLimiter<PeerKey>
        var registersPerAccount: RateLimiter<String>
        var registersPerAddress: RateLimiter<PeerKey>

        init(_ settings: AccountSettings) {
            loginsPerAccount = RateLimiter(settings.loginsPerAccount, mostKeys: settings.mostKeys)
            loginsPerAddress = RateLimiter(settings.loginsPerAddress, mostKeys: settings.mostKeys)
            registersPerAccount = RateLimiter(settings.registersPerAccount, mostKeys: settings.mostKeys)
            registersPerAddress = RateLimiter(settings.registersPerAddress, mostKeys: settings.mostKeys)
        }
    }

    package init(
        store: GalleryStore, secret: ServerSecret, hasher: PasswordHasher, time: any TimeSource,
        settings: AccountSettings = AccountSettings()
    ) {
        self.settings = settings
        self.store = store
        self.hasher = hasher
        self.time = time
        accessKey = secret.key(for: .access)
        refreshKey = secret.key(for: .refresh)
        limits = Mutex(Limits(settings))
    }

    var wallNow: Timestamp { store.wall.wallNow }

    // MARK: Coming in

    /// POST /auth/register
    package func register(_ request: Request) async throws -> Response {
        let wish = try JSONFields.read(request) { fields in
            (
                email: fields.required("email", AccountRules.email),
                password: fields.required("password", AccountRules.password),
                name: fields.required("displayName", AccountRules.displayName)
            )
        }
        try limitRegister(wish.email, request.peer)
        let taken = APIError(.conflict, "there is an account with this address already")
        // Only spares the hashing: what counts is whether it can be written.
        guard try await store.credentials(email: wish.email) == nil else { throw taken }
        let hash = try await hasher.make(wish.password)
        guard
            let made = try await store.register(
                email: wish.email, name: wish.name, hash: hash, key: refreshKey)
        else { throw taken }
        return .data(entered(made.account, made.pair), status: 201)
    }

    /// POST /auth/login. One answer for every cause, and about the same time for each.
    package func login(_ request: Request) async throws -> Response {
        // Whatever somebody tries as an address or a password is no reason to tell him the rules for them.
        let wish = try JSONFields.read(request) { fields in
            (
                email: fields.required("email", .text(0...254, .secret)).lowercased(),
                password: fields.required("password", .text(0...AccountRules.longestPassword, .secret))
            )
        }
        try limitLogin(wish.email, request.peer)
        let wrong = APIError(.unauthenticated, "the address or the password is wrong")
        let known = try await store.credentials(email: wish.email)
        let verdict = try await hasher.check(wish.password, against: known?.hash)
        guard let known, verdict != .wrong else { throw wrong }
        let newHash = verdict == .rightAndStale ? try await hasher.make(wish.password) : nil
        guard let pair = try await store.login(known.account.id, newHash: newHash, key: refreshKey) else {
            throw wrong
        }
        return .data(entered(known.account, pair))
    }

    /// POST /auth/refresh
    package func refresh(_ request: Request) async throws -> Response {
        let text = try refreshToken(in: request)
        guard let token = RefreshToken(text, key: refreshKey),
            case .next(let pair) = try await store.present(token, key: refreshKey, at: wallNow)
        else { throw APIError(.unauthenticated, "this refresh token is not good any more; log in again") }
        return .data(.object(tokens(pair)))
    }

    /// POST /auth/logout. Whoever has no log-in is logged out already.
    package func logout(_ request: Request) async throws -> Response {
        if let token = RefreshToken(try refreshToken(in: request), key: refreshKey) {
            try await store.endFamily(of: token, at: wallNow)
        }
        return Response(status: 204)
    }

    private func refreshToken(in request: Request) throws -> String {
        try JSONFields.read(request) { $0.required("refreshToken", .text(1...4096, .secret)) }
    }

    private func entered(_ account: Account, _ pair: GalleryStore.TokenPair) -> JSONValue {
        .object([("user", .object(account.user))] + tokens(pair))
    }

    /// A pure function of the row, so that an answer that was lost can be given again.
    func tokens(_ pair: GalleryStore.TokenPair) -> [(key: String, value: JSONValue)] {
        let access = AccessToken(
            account: pair.account, family: pair.family, number: pair.number,
            issuedAt: pair.createdAt.seconds)
        let refresh = RefreshToken(family: pair.family, number: pair.number)
        return [
            ("accessToken", .string(access.signed(with: accessKey))),
            ("refreshToken", .string(refresh.text(key: refreshKey))),
        ]
    }

    // MARK: Being in

    /// Whom a request comes from; throws `unauthenticated` when that is nobody.
    package func authenticate(_ request: Request) async throws -> Account {
        let refusal = APIError(.unauthenticated, "log in: this needs an access token that is good")
        let now = wallNow
        guard let text = Self.bearer(request["Authorization"] ?? ""),
            let token = AccessToken(text, key: accessKey, now: now),
            let account = try await store.account(of: token, at: now)
        else { throw refusal }
        return account
    }

    /// "Bearer" and one token; the word in any case (RFC 9110 §11.1).
    private static func bearer(_ value: String) -> String? {
        let parts = value.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    // MARK: Limits

    private func limitLogin(_ email: String, _ peer: String) throws(APIError) {
        let now = time.now
        let address = PeerKey(peer)
        let wait = limits.withLock { limits -> Duration? in
            if let wait = Self.longer(
                limits.loginsPerAccount.wait(for: email, at: now),
                limits.loginsPerAddress.wait(for: address, at: now))
            {
                return wait
            }
            limits.loginsPerAccount.note(email, at: now)
            limits.loginsPerAddress.note(address, at: now)
            return nil
        }
        if let wait { throw Self.tooMany(wait) }
    }

    private func limitRegister(_ email: String, _ peer: String) throws(APIError) {
        let now = time.now
        let address = PeerKey(peer)
        let wait = limits.withLock { limits -> Duration? in
            if let wait = Self.longer(
                limits.registersPerAccount.wait(for: email, at: now),
                limits.registersPerAddress.wait(for: address, at: now))
            {
                return wait
            }
            limits.registersPerAccount.note(email, at: now)
            limits.registersPerAddress.note(address, at: now)
            return nil
        }
        if let wait { throw Self.tooMany(wait) }
    }

    static func longer(_ first: Duration?, _ second: Duration?) -> Duration? {
        guard let first, let second else { return first ?? second }
        return max(first, second)
    }

    static func tooMany(_ wait: Duration) -> APIError {
        APIError(.rateLimited, "too many tries; wait before the next", retryAfter: wait)
    }
}
