import Basics
import HTTPServer
import TestSupport
import Testing
import Web

@testable import Gallery

/// What changes while a caller waits: for a password to be hashed, or to listen.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct LateLoginTests {
    private static let email = "host@example.org"

    /// The same accounts, with passwords that are hashed when a test says so. At another cost than theirs they are stale.
    private func held(_ ground: AccountGround, cost: Int) -> (Accounts, HeldExecutor) {
        let executor = HeldExecutor()
        let hasher = PasswordHasher(
            executor: executor, random: SeededSource(9), hash: PasswordHash(cost: cost))
        let accounts = Accounts(
            store: ground.database.store, keys: KeyRing(AccountGround.secret), hasher: hasher,
            time: ground.wall.clock,
            settings: AccountGround.settings)
        return (accounts, executor)
    }

    private static let login = AccountGround.post([
        "email": .string(email), "password": "correct horse",
    ])

    @Test(
        "a log-in with the old password that waits while a new one is set is refused, and the new one stays",
        arguments: [1, 2])
    func reset(cost: Int) async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: "correct horse")
        let (accounts, executor) = held(ground, cost: cost)
        let late = Task {
            defer { executor.finish() }
            return try await AccountGround.refusal { try await accounts.login(Self.login) }
        }
        await executor.wait(for: 1)
        let link = try await ground.accounts.passwordLink(
            for: Self.email, publicURL: "http://gallery.example")
        let code = try #require(link.split(separator: "=").last)
        _ = try await ground.store.setPassword(
            byLink: String(code), hash: try await ground.hasher.make("another horse"))
        await executor.releaseUntilFinished()
        let error = try await late.value
        #expect(error?.code == .unauthenticated && error?.message == "the address or the password is wrong")
        _ = try await ground.login(Self.email, "another horse")
        let old = try await AccountGround.refusal { try await ground.login(Self.email, "correct horse") }
        #expect(old?.code == .unauthenticated)
    }

    @Test("several who log in at the moment when a hash is made anew are all in")
    func together() async throws {
        let ground = try AccountGround()
        _ = try await ground.register(Self.email, password: "correct horse")
        let (accounts, executor) = held(ground, cost: 2)
        let all = Task {
            defer { executor.finish() }
            return try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await accounts.login(Self.login).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
        }
        await executor.releaseUntilFinished()
        #expect(try await all.value == [200, 200, 200, 200])
    }

    // MARK: Listening

    private struct Listening {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let executor = HeldExecutor()
        let endpoints: GuestEndpoints
        /// With the pass that the key gives.
        let guest: [HTTPHeader]

        init() async throws {
            gallery = try GalleryGround()
            host = try await gallery.host(event: ["name": "Wedding", "pin": "471100"])
            let reader = try gallery.ground.reader(on: executor)
            let directory = EventDirectory(reader: reader, time: gallery.wall.clock)
            gallery.store.onCommit { [host] _ in directory.forget(host.event) }
            endpoints = GuestEndpoints(
                store: gallery.server.store, reader: reader,
                lists: PhotoLists(gallery.ground.database, time: gallery.wall.clock),
                accounts: gallery.ground.accounts,
                door: gallery.server.door, settings: GallerySettings(publicURL: "http://gallery.example"),
                feeds: gallery.server.feeds, directory: directory, timelines: TimelineCache(reader: reader),
                sections: SectionCache(reader: reader), answers: PageAnswers(imageSources: []))
            let event = try #require(try await gallery.store.event(host.event)).door
            let cookie = try #require(try gallery.server.door.enter(event, key: event.key.text))
            guest = [HTTPHeader("Cookie", String(cookie.value.prefix { $0 != ";" }))]
        }

        /// The answer to a client that is about to listen, after so many looks into the database, when the change happens
        /// before the last of them.
        func refusal(
            _ headers: [HTTPHeader], bySlug: Bool = false, looks: Int,
            _ change: () async throws -> Void
        ) async throws -> APIError? {
            let request = Request(
                path: "/", parameters: ["id": host.event, "slug": host.slug], headers: headers)
            let late = Task { [endpoints, executor] in
                defer { executor.finish() }
                return try await AccountGround.refusal {
                    bySlug ? try await endpoints.live(request) : try await endpoints.liveByID(request)
                }
            }
            for _ in 1..<looks {
                await executor.wait(for: 1)
                executor.release()
            }
            await executor.wait(for: 1)
            try await change()
            await executor.releaseUntilFinished()
            return try await late.value
        }
    }

    @Test("a host whose log-in ends while he is about to listen does not")
    func host() async throws {
        let listening = try await Listening()
        let (gallery, host) = (listening.gallery, listening.host)
        let headers = [HTTPHeader("Authorization", "Bearer \(gallery.token(host))")]
        let error = try await listening.refusal(headers, looks: 2) {
            let token = RefreshToken(
                family: host.family, number: 1, key: gallery.ground.accounts.refreshKeys.current
            ).text
            _ = try await gallery.call("POST", "/auth/logout", ["refreshToken": .string(token)])
        }
        #expect(error?.code == .unauthenticated)
    }

    @Test("a guest whose key is renewed while he is about to listen does not", arguments: [false, true])
    func guest(bySlug: Bool) async throws {
        let listening = try await Listening()
        let error = try await listening.refusal(listening.guest, bySlug: bySlug, looks: 2) {
            _ = try await listening.gallery.store.renewKey(of: listening.host.event)
        }
        #expect(error?.code == (bySlug ? .forbidden : .unauthenticated))
        let calm = try await Listening()
        #expect(try await calm.refusal(calm.guest, bySlug: bySlug, looks: 1) {} == nil)
    }
}
