import Basics
import Bridge
import TestSupport
import Testing
import Upload
import WorldSupport

/// One log-in, used by many uploads at once.
@Suite struct GalleryAccountTests {
    let rig: GalleryRig
    var gallery: ModelGallery { rig.gallery }

    init() throws {
        rig = try GalleryRig()
    }

    private func events(_ account: GalleryAccount) async throws -> Int {
        try await account.perform { token throws(GalleryError) in
            try await account.api.events(token).count
        }
    }

    private func stored() throws -> GalleryTokens? {
        try rig.file.read()[try rig.address()]?.tokens
    }

    // MARK: Once for all

    @Test("twenty uploads whose token is refused at once need one refresh")
    func singleFlight() async throws {
        let account = try rig.account()
        let destination = try rig.destination(account)
        var jobs: [Job] = []
        for number in 1...20 { jobs.append(try rig.job(Int64(number))) }
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .slow(.seconds(2)))
        let outcomes = await withTaskGroup(of: DeliveryOutcome.self) { group in
            for job in jobs { group.addTask { await destination.presign(job) } }
            await rig.clock.waitForSleepers(1)
            // All of them have met the old token's end by the time that the new one comes, or find it then.
            rig.clock.advance(by: .seconds(2))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 20)
        for outcome in outcomes {
            guard case .presigned = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        #expect(gallery.count(.refresh) == 1 && gallery.uploads.count == 20)
        #expect(gallery.violations.isEmpty && gallery.oddities.isEmpty)
    }

    @Test("a token is replaced a minute before its end, and not before that")
    func aheadOfTime() async throws {
        let account = try rig.account()
        _ = try await events(account)
        rig.clock.advance(by: .seconds(839))
        _ = try await events(account)
        #expect(gallery.count(.refresh) == 0)
        rig.clock.advance(by: .seconds(2))
        _ = try await events(account)
        #expect(gallery.count(.refresh) == 1)
        _ = try await events(account)
        #expect(gallery.count(.refresh) == 1)
        // No request has met a 401 meanwhile.
        #expect(gallery.exchanges.count == 5)
        #expect(try stored()?.refresh != rig.member.refresh)
        #expect(gallery.violations.isEmpty)
    }

    @Test("while a token is still good, requests do not wait for a refresh that fails")
    func aheadOfTimeFails() async throws {
        let account = try rig.account()
        _ = try await events(account)
        rig.clock.advance(by: .seconds(860))
        gallery.fail(.refresh, .lostRequest, times: 2)
        _ = try await events(account)
        rig.clock.advance(by: .seconds(41))
        await #expect(throws: GalleryError.self) { try await events(account) }
        _ = try await events(account)
        #expect(gallery.count(.refresh) == 3 && gallery.violations.isEmpty)
    }

    @Test(
        "a clock that is hours ahead does not make each call begin with a refresh", arguments: [true, false])
    func wrongClock(isDateMissing: Bool) async throws {
        gallery.change { $0.hasNoDate = isDateMissing }
        rig.calendar.set(by: .seconds(7200))
        let account = try rig.account()
        for _ in 0..<5 { _ = try await events(account) }
        #expect(gallery.count(.refresh) == 1)
        rig.clock.advance(by: .seconds(61))
        for _ in 0..<5 { _ = try await events(account) }
        // With a date it knows by now that the token lives; without, it is careful, once a minute.
        #expect(gallery.count(.refresh) == (isDateMissing ? 2 : 1))
        #expect(gallery.violations.isEmpty)
    }

    @Test("a clock that is hours behind finds out by being refused")
    func slowClock() async throws {
        rig.calendar.set(by: .seconds(-7200))
        let account = try rig.account()
        rig.clock.advance(by: .seconds(1000))
        _ = try await events(account)
        #expect(gallery.count(.refresh) == 1 && gallery.violations.isEmpty)
    }

    // MARK: Lost and refused

    @Test("a refresh whose answer is lost is asked for again with the same token and gets the same successor")
    func lostReply() async throws {
        let account = try rig.account()
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .lostReply, times: 2)
        _ = try await events(account)
        #expect(gallery.count(.refresh) == 3 && gallery.violations.isEmpty)
        gallery.expireAccessTokens()
        _ = try await events(account)
        #expect(gallery.violations.isEmpty)
    }

    @Test(
        "when more answers are lost than that, the token stays as it was, and the next call goes on from there"
    )
    func oftenLost() async throws {
        let account = try rig.account()
        let destination = try rig.destination(account)
        let job = try rig.job(1)
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .lostReply, times: 3)
        guard case .notThere = await destination.presign(job) else {
            Issue.record("it did not fail")
            return
        }
        #expect(try stored()?.refresh == rig.member.refresh)
        rig.clock.advance(by: .seconds(300))
        guard case .presigned = await destination.presign(job) else {
            Issue.record("it did not go on")
            return
        }
        #expect(gallery.violations.isEmpty)
    }

    @Test("a bridge that was killed between a refresh and its note goes on with the old token")
    func killed() async throws {
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .lostReply)
        let first = gallery.exchanges.count
        let dying = try rig.account()
        // It never gets to hear the answer, nor to ask again.
        gallery.fail(.refresh, .hang)
        let task = Task { try await events(dying) }
        await rig.clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: GalleryError.self) { try await task.value }
        #expect(gallery.exchanges.count > first)
        _ = try await events(try rig.account())
        #expect(gallery.violations.isEmpty)
    }

    @Test("a refresh that is refused is not asked for again until the operator has logged in")
    func refused() async throws {
        let account = try rig.account()
        gallery.revoke(rig.member)
        for _ in 0..<3 {
            await #expect(throws: GalleryError.loggedOut(server: "https://gallery.test/")) {
                try await events(account)
            }
        }
        #expect(gallery.count(.refresh) == 1)
        try rig.logIn(gallery.account())
        #expect(try await events(account) == 1)
    }

    @Test("a token that is refused although it is new is left to the operator, and makes no endless loop")
    func refusedAnew() async throws {
        let account = try rig.account()
        gallery.fail(.events, .refusal(401, "UNAUTHENTICATED"), times: .max)
        await #expect(throws: GalleryError.loggedOut(server: "https://gallery.test/")) {
            try await events(account)
        }
        #expect(gallery.count(.events) == 2 && gallery.count(.refresh) == 1)
    }

    @Test("a portal's answer to a refresh does not end the log-in")
    func portal() async throws {
        let account = try rig.account()
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .portal)
        gallery.fail(.refresh, .status(401))
        for _ in 0..<2 { await #expect(throws: GalleryError.self) { try await events(account) } }
        _ = try await events(account)
        #expect(gallery.violations.isEmpty)
    }

    @Test("without a log-in nothing is sent")
    func neverLoggedIn() async throws {
        let address = try rig.address()
        try rig.file.update { $0[address] = nil }
        let account = try rig.account()
        await #expect(throws: GalleryError.loggedOut(server: "https://gallery.test/")) {
            try await events(account)
        }
        #expect(gallery.exchanges.isEmpty)
    }

    // MARK: Beside others

    @Test("a process without the home's lock spends no refresh token, but takes what the bridge has got")
    func reader() async throws {
        let bridge = try rig.account()
        let reader = try rig.account(mayRefresh: false)
        _ = try await events(reader)
        gallery.expireAccessTokens()
        do throws(GalleryError) {
            _ = try await reader.perform { token throws(GalleryError) in
                try await reader.api.events(token)
            }
            Issue.record("the token was good")
        } catch {
            guard case .credentials(let text) = error else { throw error }
            #expect(text.contains("for the bridge that runs here"))
        }
        #expect(gallery.count(.refresh) == 0)
        _ = try await events(bridge)
        _ = try await events(reader)
        #expect(gallery.count(.refresh) == 1 && gallery.violations.isEmpty)
    }

    @Test("a log-in that is written while a refresh is under way is the one that counts")
    func loginMeanwhile() async throws {
        let account = try rig.account()
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .slow(.seconds(1)))
        let task = Task { try await events(account) }
        await rig.clock.waitForSleepers(1)
        let other = gallery.account()
        try rig.logIn(other)
        rig.clock.advance(by: .seconds(1))
        _ = try await task.value
        #expect(try stored() == GalleryTokens(access: other.access, refresh: other.refresh))
        let last = try #require(gallery.exchanges.last?.request)
        #expect(last.headers.contains(HTTPHeader("Authorization", "Bearer \(other.access)")))
    }

    @Test("a caller that gives up does not take the refresh from the others, and the last one does")
    func cancels() async throws {
        let account = try rig.account()
        gallery.expireAccessTokens()
        gallery.fail(.refresh, .slow(.seconds(1)))
        let first = Task { try await events(account) }
        await rig.clock.waitForSleepers(1)
        let second = Task { try await events(account) }
        first.cancel()
        await #expect(throws: GalleryError.self) { try await first.value }
        rig.clock.advance(by: .seconds(1))
        #expect(try await second.value == 1)
        #expect(gallery.violations.isEmpty)
    }

    @Test("a disk that takes no new tokens does not stop uploads, and gets them when it does")
    func fullDisk() async throws {
        let account = try rig.account()
        _ = try await events(account)
        // The file is locked: the shortest way in which it cannot be written.
        let problem = try await rig.whileLocked {
            gallery.expireAccessTokens()
            _ = try await events(account)
            #expect(try stored()?.refresh == rig.member.refresh)
            return await account.problem
        }
        #expect(problem?.contains("lock") == true)
        _ = try await events(account)
        #expect(try stored()?.refresh != rig.member.refresh)
        #expect(await account.problem == nil)
        #expect(gallery.count(.refresh) == 1 && gallery.violations.isEmpty)
    }

    // MARK: Secrets

    @Test("no token and no password is in any text that is shown")
    func secrets() async throws {
        let tokens = GalleryTokens(access: "secret-a", refresh: "secret-r")
        var dumped = ""
        dump(tokens, to: &dumped)
        let entry = GalleryCredentials.Entry(
            server: "https://gallery.test/", user: GalleryUser(id: "1", email: "a@b.c", displayName: nil),
            tokens: tokens)
        #expect(!"\(tokens) \(String(reflecting: tokens)) \(dumped) \(entry)".contains("secret"))
        // A server that repeats what it was sent.
        let echo = AnsweringTransport { request throws(HTTPFailure) in
            let sent = request.headers.map(\.value).joined(separator: " ")
            guard case .bytes(let bytes) = request.body else {
                return .failure(422, "UNPROCESSABLE", "you said \(sent)")
            }
            return .failure(
                422, "UNPROCESSABLE", "you said \(sent) \(String(decoding: bytes, as: UTF8.self))")
        }
        let api = GalleryAPI(try rig.address(), http: echo, wall: rig.calendar)
        for call in 0..<4 {
            do throws(GalleryError) {
                switch call {
                case 0: _ = try await api.me("secret-a")
                case 1: try await api.logout("secret-r")
                case 2: _ = try await api.login(email: "a@b.c", password: "secret-p")
                default: _ = try await api.register(email: "a@b.c", password: "secret-p", displayName: "A")
                }
                Issue.record("it was accepted")
            } catch {
                #expect(!"\(error)".contains("secret") && "\(error)".contains("you said"), "\(error)")
            }
        }
    }
}
