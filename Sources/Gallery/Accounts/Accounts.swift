package import Basics
package import HTTPServer
import Synchronization
import Web

/// Who uses this gallery: registering, logging in and out, and who a request comes from.
package final class Accounts: Sendable {
    package let settings: AccountSettings
    let store: StorePool
    let hasher: PasswordHasher
    let time: any TimeSource
    package let keys: KeyRing
    /// Where several nodes count together.
    package let sharedLimits: SharedLimits?
    private let loginLimits: LimitCounter<LoginLimits>
    private let registersPerAccount: LimitCounter<TryLimits>
    private let registersPerAddress: LimitCounter<TryLimits>
    /// Who tries, and who has forgotten.
    let passwords: PasswordResetLimits
    /// Where it is written down who came in.
    let activity: ActivityLog?
    /// The hash of the code that the first account may be made with.
    let firstCode = Mutex<[UInt8]?>(nil)

    package init(
        store: StorePool, keys: KeyRing, hasher: PasswordHasher, time: any TimeSource,
        settings: AccountSettings = AccountSettings(), activity: ActivityLog? = nil
    ) {
        self.activity = activity
        self.settings = settings
        self.store = store
        self.hasher = hasher
        self.time = time
        self.keys = keys
        let shared = SharedLimits(store)
        sharedLimits = shared
        loginLimits = LimitCounter(LoginLimits(), shared, time: time)
        registersPerAccount = LimitCounter(
            TryLimits(.registerAccount, settings.registersPerAccount, mostKeys: settings.mostKeys), shared,
            time: time)
        registersPerAddress = LimitCounter(
            TryLimits(.registerAddress, settings.registersPerAddress, mostKeys: settings.mostKeys), shared,
            time: time)
        passwords = PasswordResetLimits(shared, time: time)
    }

    var accessKeys: SigningKeys { keys.keys(for: .access) }
    var refreshKeys: SigningKeys { keys.keys(for: .refresh) }
    var hostKeys: SigningKeys { keys.keys(for: .hosts) }
    private var deviceKeys: SigningKeys { keys.keys(for: .devices) }
    var wallNow: Timestamp { store.wall.wallNow }

    // MARK: Coming in

    /// POST /auth/register
    package func register(_ request: Request) async throws -> Response {
        let wish = try JSONFields.read(request) { fields in
            (
                email: fields.required("email", AccountRules.email),
                password: fields.required("password", AccountRules.password),
                name: fields.required("displayName", AccountRules.displayName),
                code: fields.optional("invite", .text(0...RegistrationCode.longest, .secret))
            )
        }
        // By where it comes from before anything is looked at; by the e-mail address only where an account may be made, so
        // that a client that may make none cannot keep another from making his.
        try await registersPerAddress.take(PeerKey(request.peer).text)
        let code = wish.code.flatMap { $0.isEmpty ? nil : $0 }
        let claim = claim(code, isFromThisMachine: isFromThisMachine(request))
        // Only spares the hashing: what counts is whether it can be written. Whether there is an account with that
        // address is told only to those who may make one.
        guard try await store({ try $0.admits(claim) }) else { throw try await refusal(of: claim, code) }
        try await registersPerAccount.take(wish.email)
        let taken = APIError(.conflict, "there is an account with this address already")
        guard try await store({ try $0.credentials(email: wish.email) }) == nil else { throw taken }
        let hash = try await hasher.make(wish.password)
        let outcome = try await store {
            try $0.register(
                email: wish.email, name: wish.name, hash: hash, credits: settings.initialCredits.count,
                with: claim,
                key: refreshKeys.current)
        }
        switch outcome {
        case .made(let account, let pair):
            spendFirstCode()
            activity?.note(
                .registered,
                ["account": account.email, "from": request.peer, "by": how(claim)])
            try await store { try $0.note(device: Self.device(request), of: pair.family) }
            var response = Response.data(entered(account, pair), status: 201)
            if let cookie = deviceCookie(wish.email, request) { response.headers.append(cookie) }
            return response
        case .taken: throw taken
        case .refused: throw try await refusal(of: claim, code)
        }
    }

    /// POST /auth/login. One answer for every cause, and about the same time for each.
    package func login(_ request: Request) async throws -> Response {
        // A wrong address or password is no reason to tell the client the rules for them.
        let wish = try JSONFields.read(request) { fields in
            (
                email: fields.required("email", .text(0...254, .secret)).lowercased(),
                password: fields.required("password", .text(0...AccountRules.longestPassword, .secret))
            )
        }
        let attempt = try await beginLogin(wish.email, request)
        let outcome: LoginOutcome
        do {
            outcome = try await login(wish.email, wish.password, attempt.rank)
        } catch {
            try await loginLimits.decide(on: attempt.subject) { $0.notLooked(at: attempt, $1) }
            throw error
        }
        guard case .entered(let account, let pair) = outcome else {
            if case .wrong(let account) = outcome {
                // What else was typed may be a password in the wrong place.
                activity?.note(
                    .loginFailed,
                    ["account": account?.email ?? "unknown", "from": request.peer, "because": "wrong"])
            }
            throw APIError(.unauthenticated, "the address or the password is wrong")
        }
        try await loginLimits.decide(on: attempt.subject) { $0.wasRight(attempt, at: $1) }
        try await store { try $0.note(device: Self.device(request), of: pair.family) }
        activity?.note(
            .login,
            [
                "account": account.email, "from": request.peer, "by": "password",
                "device": attempt.subject.device == nil ? "new" : "known",
            ])
        var response = Response.data(entered(account, pair))
        if let cookie = deviceCookie(wish.email, request) { response.headers.append(cookie) }
        return response
    }

    private enum LoginOutcome {
        case entered(Account, GalleryStore.TokenPair)
        /// Whose it would have been, where there is such an account.
        case wrong(Account?)
    }

    /// Another may be set while this one waits to be hashed, and another log-in may make
    /// a stale hash anew: it is compared again then, with what is kept now.
    private func login(
        _ email: String, _ password: String, _ rank: HashPriority
    ) async throws -> LoginOutcome {
        for _ in 0..<Self.mostComparisons {
            let found = try await store { try $0.credentials(email: email) }
            let verdict = try await hasher.check(password, against: found?.hash, rank)
            guard let known = found, verdict != .wrong else { return .wrong(found?.account) }
            let newHash = verdict == .rightAndStale ? try await hasher.make(password) : nil
            let pair = try await store {
                try $0.login(
                    known.account.id, known: known.hash, newHash: newHash, key: refreshKeys.current)
            }
            if let pair { return .entered(known.account, pair) }
        }
        return .wrong(nil)
    }

    /// Of one log-in. A password that is changed more often meanwhile is not this one.
    private static let mostComparisons = 3

    /// POST /auth/refresh
    package func refresh(_ request: Request) async throws -> Response {
        let text = try refreshToken(in: request)
        let refusal = APIError(.unauthenticated, "this refresh token is not good any more; log in again")
        try await keys.look(for: RefreshToken.keyNumber(in: text))
        guard let token = RefreshToken(text, keys: refreshKeys) else { throw refusal }
        switch try await store({ try $0.present(token, keys: refreshKeys, at: wallNow) }) {
        case .next(let pair): return .data(.object(tokens(pair)))
        case .reused, .refused: throw refusal
        }
    }

    /// POST /auth/logout. A client without a log-in is logged out already.
    package func logout(_ request: Request) async throws -> Response {
        let text = try refreshToken(in: request)
        try await keys.look(for: RefreshToken.keyNumber(in: text))
        if let token = RefreshToken(text, keys: refreshKeys) {
            try await store { try $0.endFamily(of: token, at: wallNow) }
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
        let refresh = RefreshToken(family: pair.family, number: pair.number, key: pair.key)
        // Where that key was retired a moment ago, neither of the two is good any more.
        let accessKey = accessKeys[pair.key.number] ?? accessKeys.current
        return [
            ("accessToken", .string(access.signed(with: accessKey))),
            ("refreshToken", .string(refresh.text)),
        ]
    }

    // MARK: Being in

    /// The account that a request comes from; throws `unauthenticated` when there is none.
    package func authenticate(_ request: Request) async throws -> Account {
        try await login(of: request).account
    }

    /// The account, and the token that was good for it when this was asked: it may end at any moment.
    func login(of request: Request) async throws -> (account: Account, token: AccessToken) {
        let refusal = APIError(.unauthenticated, "log in: this needs an access token that is good")
        let now = wallNow
        try await keys.look(for: Self.bearer(of: request).flatMap(AccessToken.keyNumber))
        guard let token = token(of: request),
            let account = try await store({ try $0.account(of: token, at: now) })
        else { throw refusal }
        return (account, token)
    }

    /// One that was given here and is not over; whether its log-in has ended is for the database to say.
    func token(of request: Request) -> AccessToken? {
        Self.bearer(of: request).flatMap { AccessToken($0, keys: accessKeys, now: wallNow) }
    }

    private static func bearer(of request: Request) -> String? {
        request["Authorization"].flatMap(bearer)
    }

    /// "Bearer" and one token; the word in any case (RFC 9110 §11.1).
    private static func bearer(_ value: String) -> String? {
        let parts = value.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    // MARK: Limits

    /// Before anything of it is looked at.
    private func beginLogin(_ email: String, _ request: Request) async throws -> LoginLimits.Attempt {
        let subject = LoginLimits.Subject(device: device(email, request), address: PeerKey(request.peer))
        let verdict = try await loginLimits.decide(on: subject) {
            $0.begin(device: subject.device, address: subject.address, at: $1)
        }
        switch verdict {
        case .look(let attempt): return attempt
        case .wait(let wait):
            activity?.note(.loginFailed, ["from": request.peer, "because": "limit"])
            throw Self.tooMany(wait)
        }
    }

    /// The number of a device that has logged in with this address before.
    private func device(_ email: String, _ request: Request) -> String? {
        let kind = DeviceCookie.Kind.login(email: email)
        return request.cookies(named: kind.name).lazy.compactMap {
            DeviceCookie($0, for: kind, keys: self.deviceKeys, now: self.wallNow)?.id
        }.first
    }

    /// For a device that has logged in, where it has none yet.
    private func deviceCookie(_ email: String, _ request: Request) -> HTTPHeader? {
        guard device(email, request) == nil else { return nil }
        return DeviceCookie.made(
            for: .login(email: email), keys: deviceKeys, now: wallNow, random: store.random,
            isSecure: settings.isSecure)
    }

    static func tooMany(_ wait: Duration) -> APIError {
        APIError(.rateLimited, "too many attempts; wait a while, then try again", retryAfter: wait)
    }
}
