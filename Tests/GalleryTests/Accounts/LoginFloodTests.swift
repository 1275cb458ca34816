import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// The host's right password while others try wrong ones.
@Suite struct LoginFloodTests {
    private static let email = "host@example.org"
    private static let password = "correct horse"

    private func login(
        _ ground: AccountGround, _ password: String, from peer: String, cookie: String? = nil,
        email: String = email
    ) async throws -> (status: Int, cookie: String?, wait: Duration?) {
        let wish: JSONValue = ["email": .string(email), "password": .string(password)]
        let request = Request(
            method: "POST", path: "/auth/login", headers: cookie.map { [HTTPHeader("Cookie", $0)] } ?? [],
            peer: peer, body: Array(wish.compact.utf8))
        do {
            let response = try await ground.accounts.login(request)
            let given = response.headers.first { $0.name == "Set-Cookie" }
            return (response.status, given?.value.split(separator: ";").first.map(String.init), nil)
        } catch let error as APIError {
            return (error.response.status, nil, error.retryAfter)
        }
    }

    @Test("wrong tries from a thousand addresses keep no host out who comes from another")
    func elsewhere() async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: Self.password)
        for number in 0..<1000 {
            let peer = "10.0.\(number / 250).\(number % 250)"
            #expect(try await login(ground, "guess", from: peer).status == 401)
        }
        #expect(try await login(ground, Self.password, from: "192.0.2.9").status == 200)
    }

    @Test("from an address that floods a device gets in that has logged in before, and others wait")
    func knownDevice() async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: Self.password)
        let first = try await login(ground, Self.password, from: "192.0.2.1")
        let cookie = try #require(first.cookie)
        #expect(cookie.hasPrefix("known_device"))
        for _ in 0..<100 { _ = try await login(ground, "guess", from: "192.0.2.1") }
        let stranger = try await login(ground, Self.password, from: "192.0.2.1")
        #expect(stranger.status == 429 && stranger.wait == .seconds(10))
        let known = try await login(ground, Self.password, from: "192.0.2.1", cookie: cookie)
        #expect(known.status == 200 && known.cookie == nil)
        // It is good for the account that it has logged in to.
        let other = try await login(
            ground, Self.password, from: "192.0.2.1", cookie: cookie, email: "other@example.org")
        #expect(other.status == 429)
        ground.wall.set(by: .seconds(181 * 86_400))
        for _ in 0..<100 { _ = try await login(ground, "guess", from: "192.0.2.1") }
        #expect(try await login(ground, Self.password, from: "192.0.2.1", cookie: cookie).status == 429)
    }

    @Test("a browser is known for each account that it has logged in to")
    func twoAccounts() async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: Self.password)
        _ = try await ground.register("other@example.org", password: Self.password)
        // A browser keeps one cookie of each name.
        var jar: [Substring: String] = [:]
        for email in [Self.email, "other@example.org"] {
            let given = try await login(ground, Self.password, from: "192.0.2.1", email: email)
            let cookie = try #require(given.cookie)
            jar[cookie.prefix { $0 != "=" }] = cookie
        }
        let cookies = jar.values.joined(separator: "; ")
        #expect(!cookies.contains("example"))
        for _ in 0..<100 { _ = try await login(ground, "guess", from: "192.0.2.1") }
        for email in [Self.email, "other@example.org"] {
            let known = try await login(
                ground, Self.password, from: "192.0.2.1", cookie: cookies, email: email)
            #expect(known.status == 200, "\(email)")
        }
    }

    @Test("a known device that types wrong itself waits ten seconds at the longest")
    func ownMistakes() async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: Self.password)
        let cookie = try #require(try await login(ground, Self.password, from: "192.0.2.1").cookie)
        for _ in 0..<100 { _ = try await login(ground, "guess", from: "192.0.2.1", cookie: cookie) }
        let wait = try #require(
            try await login(ground, Self.password, from: "192.0.2.1", cookie: cookie).wait)
        #expect(wait <= .seconds(10))
        ground.wall.go(wait)
        #expect(try await login(ground, Self.password, from: "192.0.2.1", cookie: cookie).status == 200)
    }

    @Test("a try that is refused is not looked at: right and wrong are told alike")
    func nothingTells() async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: Self.password)
        for _ in 0..<60 { _ = try await login(ground, "guess", from: "192.0.2.1") }
        for _ in 0..<20 {
            let right = try await login(ground, Self.password, from: "192.0.2.1")
            let wrong = try await login(ground, "guess", from: "192.0.2.1")
            #expect(right.status == 429 && right.cookie == nil && right.wait == .seconds(10))
            #expect(wrong.status == 429 && wrong.cookie == nil && wrong.wait == .seconds(10))
        }
    }

    /// A host with the right password at an address without guessers.
    private struct Owner {
        let came: Duration
        var triesAt: Duration
        var wait: Duration?
    }

    /// Half a minute of addresses that guess five times a second each, while one password is hashed in a twentieth, and of owners
    /// who come now and then.
    private struct Rush {
        let addresses: Int
        private var limits = LoginLimits()
        private var line = HashQueue<(owner: Int?, attempt: LoginLimits.Attempt)>(
            most: PasswordHasher.usualWaiting - 1)
        private(set) var owners: [Owner] = []

        init(addresses: Int) { self.addresses = addresses }

        mutating func run() {
            for tick in 0..<600 {
                let now = Duration.milliseconds(50 * tick)
                for number in 0..<addresses / 4 {
                    let guesser = (tick * addresses / 4 + number) % addresses
                    knock("10.0.\(guesser >> 8).\(guesser & 255)", nil, at: now)
                }
                if tick % 20 == 0, tick < 400 { owners.append(Owner(came: now, triesAt: now)) }
                for index in owners.indices where owners[index].triesAt <= now {
                    owners[index].triesAt = .seconds(1000)
                    knock("192.0.2.\(index)", index, at: now)
                }
                guard let next = line.next(), let owner = next.owner else { continue }
                owners[owner].wait = now - owners[owner].came
                limits.wasRight(next.attempt, at: now)
            }
        }

        private mutating func knock(_ address: String, _ owner: Int?, at now: Duration) {
            guard case .look(let attempt) = limits.begin(device: nil, address: PeerKey(address), at: now),
                let away = line.join((owner, attempt), attempt.rank)
            else { return }
            // It was not looked at, and the answer says when to try again.
            limits.notLooked(at: away.attempt, now)
            guard let owner = away.owner else { return }
            owners[owner].triesAt = now + (PasswordHasher.tooMany.retryAfter ?? .zero)
        }
    }

    @Test(
        "while hundreds of addresses guess without end, a host at another is logged in within ten seconds",
        arguments: [100, 1000])
    func rush(addresses: Int) {
        var rush = Rush(addresses: addresses)
        rush.run()
        #expect(rush.owners.count == 20)
        #expect(
            rush.owners.allSatisfy { $0.wait.map { $0 <= .seconds(10) } == true },
            "\(rush.owners.map(\.wait))")
    }

    @Test("where more wait to be hashed than there is room for, a known device takes the place of another")
    func line() async throws {
        let hasher = PasswordHasher(
            executor: GalleryThreads.hasher, random: SeededSource(1), hash: PasswordHash(cost: 4),
            mostWaiting: 8)
        let kept = try await hasher.make(Self.password)
        let codes = try await withThrowingTaskGroup(of: (Bool, APIError.Code?).self) { group in
            for number in 0..<200 {
                let isKnown = number % 40 == 39
                group.addTask {
                    let error = try await AccountGround.refusal {
                        try await hasher.check(Self.password, against: kept, isKnown ? .first : .last)
                    }
                    return (isKnown, error?.code)
                }
            }
            return try await group.reduce(into: [(Bool, APIError.Code?)]()) { $0.append($1) }
        }
        #expect(codes.filter { $0.0 }.allSatisfy { $0.1 == nil })
        #expect(codes.contains { $0.1 == .rateLimited })
    }
}
