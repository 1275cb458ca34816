import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Who may make an account.
@Suite struct RegistrationTests {
    private static let here = "127.0.0.1"

    private func ground(_ registration: Registration, _ change: (inout AccountSettings) -> Void = { _ in })
        throws -> AccountGround
    {
        var settings = AccountSettings()
        settings.registration = registration
        change(&settings)
        return try AccountGround(settings: settings)
    }

    /// The status that a registration is answered with.
    private func register(
        _ ground: AccountGround, _ email: String, code: String? = nil, from peer: String = "192.0.2.1",
        headers: [HTTPHeader] = [], trusted: Set<String> = []
    ) async throws -> Int {
        let wish: JSONValue = [
            "email": .string(email), "password": "correct horse", "displayName": "Host",
            "invite": .optional(code) { .string($0) },
        ]
        let request = Request(
            method: "POST", path: "/", headers: headers,
            client: ClientAddress(connection: peer, headers: headers, trusted: trusted),
            body: Array(wish.compact.utf8))
        do {
            return try await ground.accounts.register(request).status
        } catch let error as APIError {
            return error.response.status
        }
    }

    @Test("it is closed unless the operator says otherwise")
    func closedByDefault() async throws {
        #expect(AccountSettings().registration == .closed)
        let ground = try AccountGround(settings: AccountSettings())
        #expect(try await register(ground, "a@example.org") == 403)
        #expect(try await ground.accounts.users().isEmpty)
    }

    @Test("where registration is open every client may register, from anywhere")
    func open() async throws {
        let ground = try ground(.open)
        #expect(try await register(ground, "a@example.org") == 201)
        #expect(try await register(ground, "b@example.org", from: "198.51.100.7") == 201)
    }

    @Test(
        "the first account is made from this machine, and no second one",
        arguments: [Registration.closed, .invite])
    func first(registration: Registration) async throws {
        let ground = try ground(registration)
        #expect(try await register(ground, "far@example.org") == 403)
        #expect(try await register(ground, "near@example.org", from: Self.here) == 201)
        #expect(try await register(ground, "near2@example.org", from: Self.here) == 403)
        #expect(try await ground.accounts.users().map(\.email) == ["near@example.org"])
    }

    @Test("of many who would be the first at the same moment, one is")
    func race() async throws {
        let ground = try ground(.closed)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask { try await register(ground, "a\(number)@example.org", from: Self.here) }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 1 && statuses.filter { $0 == 403 }.count == 7)
    }

    @Test(
        "behind a proxy this machine is what the proxy that is trusted names, and no proxy makes the world local"
    )
    func proxy() async throws {
        let cases: [(forwarded: String?, trusted: Set<String>, peer: String, status: Int)] = [
            // A client elsewhere, and a client elsewhere that lies.
            ("203.0.113.9", [Self.here], Self.here, 403),
            ("127.0.0.1, 203.0.113.9", [Self.here], Self.here, 403),
            // A proxy that does not say for whom it asks.
            (nil, [Self.here], Self.here, 403), ("", [Self.here], Self.here, 403),
            // One that the settings do not name.
            ("203.0.113.9", [], Self.here, 403), ("127.0.0.1", [], Self.here, 403),
            ("127.0.0.1", [], "203.0.113.9", 403), ("nonsense", [Self.here], Self.here, 403),
            ("127.0.0.1", [Self.here], Self.here, 201), ("::1", [Self.here], Self.here, 201),
            ("127.0.0.9", ["10.0.0.1"], "10.0.0.1", 201), (nil, [], "::1", 201),
            (nil, [], "::ffff:127.0.0.1", 201),
        ]
        for (forwarded, trusted, peer, status) in cases {
            let ground = try ground(.closed)
            let headers = forwarded.map { [HTTPHeader("X-Forwarded-For", $0)] } ?? []
            let answered = try await register(
                ground, "a@example.org", from: peer, headers: headers, trusted: trusted)
            #expect(answered == status, "\(forwarded ?? "nothing") by \(peer), \(trusted) trusted")
        }
        let behind = try ground(.closed) { $0.trustsThisMachine = false }
        #expect(try await register(behind, "a@example.org", from: Self.here) == 403)
    }

    @Test("the code that is printed makes the first account from anywhere, once")
    func firstCode() async throws {
        let ground = try ground(.closed)
        let code = try #require(try await ground.accounts.makeFirstCode())
        #expect(
            try await register(ground, "a@example.org", code: RegistrationCode(random: SeededSource(77)).text)
                == 403)
        // As a person types it from a screen.
        let typed = code.text.uppercased().replacing("-", with: " ")
        #expect(try await register(ground, "a@example.org", code: typed) == 201)
        #expect(try await register(ground, "b@example.org", code: code.text) == 403)
        #expect(try await ground.accounts.makeFirstCode() == nil)
    }

    @Test("an invitation makes as many accounts as it says, until it ends, and is kept as a hash")
    func invitations() async throws {
        let ground = try ground(.invite)
        _ = try await ground.accounts.addUser(
            email: "first@example.org", name: "First", password: "correct horse")
        let invitation = try await ground.accounts.invite(uses: 2, days: 7)
        let kept = try await ground.store.onlyInvitation()
        #expect(kept == invitation.code.hash)
        #expect(try await register(ground, "a@example.org") == 403)
        #expect(try await register(ground, "a@example.org", code: "0000-0000") == 403)
        // One that cannot be made has spent nothing.
        #expect(try await register(ground, "first@example.org", code: invitation.code.text) == 409)
        #expect(try await register(ground, "a@example.org", code: invitation.code.text) == 201)
        #expect(
            try await register(ground, "b@example.org", code: invitation.code.text, from: "10.0.0.2") == 201)
        #expect(
            try await register(ground, "c@example.org", code: invitation.code.text, from: "10.0.0.3") == 403)
        let other = try await ground.accounts.invite(uses: 1, days: 1)
        ground.wall.go(.seconds(86_400))
        #expect(try await register(ground, "d@example.org", code: other.code.text, from: "10.0.0.4") == 403)
    }

    @Test("of many who come with one invitation at the same moment, as many are let in as it says")
    func invitationRace() async throws {
        let ground = try ground(.invite)
        let code = try await ground.accounts.invite(uses: 3, days: 1).code.text
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<9 {
                group.addTask {
                    try await register(ground, "a\(number)@example.org", code: code, from: "10.0.0.\(number)")
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 3)
    }

    @Test("where it is closed no invitation counts, and no answer tells which addresses have an account")
    func closed() async throws {
        let ground = try ground(.closed)
        _ = try await ground.accounts.addUser(
            email: "first@example.org", name: "First", password: "correct horse")
        let code = try await ground.accounts.invite(uses: 1, days: 1).code.text
        #expect(try await register(ground, "a@example.org", code: code) == 403)
        #expect(try await register(ground, "first@example.org") == 403)
    }

    @Test("an account begins with the credits that the operator has set")
    func credits() async throws {
        let ground = try ground(.open) { $0.initialCredits = Credits("25") ?? .unlimited }
        #expect(try await register(ground, "a@example.org") == 201)
        let added = try await ground.accounts.addUser(
            email: "b@example.org", name: "B", password: "correct horse")
        let rich = try await ground.accounts.addUser(
            email: "c@example.org", name: "C", password: "correct horse", credits: .unlimited)
        #expect(try await ground.accounts.users().first { $0.email == "a@example.org" }?.credits == 25)
        #expect(added.credits == 25 && rich.credits == nil)
        for text in ["-1", "1000001", "many", "", "1e3", " 5"] { #expect(Credits(text) == nil, "\(text)") }
        #expect(Credits("0")?.count == 0 && Credits("unlimited") == .unlimited)
    }

    @Test("invitations are for 1 to 1000 accounts and 1 to 365 days")
    func limits() async throws {
        let ground = try ground(.invite)
        for (uses, days) in [(0, 1), (1001, 1), (1, 0), (1, 366)] {
            let error = try await AccountGround.refusal {
                try await ground.accounts.invite(uses: uses, days: days)
            }
            #expect(error?.code == .unprocessable)
        }
    }

    @Test("two codes are never the same, and say nothing of each other")
    func codes() {
        let random = SeededSource(5)
        let codes = (0..<1000).map { _ in RegistrationCode(random: random).text }
        #expect(Set(codes).count == 1000)
        #expect(codes.allSatisfy { $0.count == 34 && $0.allSatisfy { $0.isASCII && $0 != "l" && $0 != "o" } })
    }
}

extension GalleryStore {
    fileprivate func onlyInvitation() throws -> [UInt8]? {
        try database.first("SELECT hash FROM invitations") { try $0["hash"] }
    }
}
