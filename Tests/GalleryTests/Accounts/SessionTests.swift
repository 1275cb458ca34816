import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// One's own password and one's own log-ins.
@Suite struct SessionTests {
    private func change(
        _ ground: AccountGround, _ pair: AccountGround.Pair, from old: String, to new: String
    ) async throws -> Response {
        try await ground.accounts.changePassword(
            AccountGround.post(
                ["current": .string(old), "new": .string(new)], token: pair.access))
    }

    private func isOut(_ ground: AccountGround, _ pair: AccountGround.Pair) async throws -> Bool {
        let access = try await AccountGround.refusal {
            try await ground.accounts.authenticate(AccountGround.get(pair.access))
        }
        guard access?.code == .unauthenticated else { return false }
        return try await AccountGround.refusal { try await ground.refresh(pair.refresh) } != nil
    }

    @Test("a host who knows the password changes it; every other log-in ends, and this one goes on")
    func changed() async throws {
        let ground = try AccountGround()
        let mine = try await ground.register()
        let bridge = try await ground.login("host@example.org", "correct horse")
        let link = try await ground.accounts.passwordLink(
            for: "host@example.org", publicURL: "http://gallery.example")
        #expect(try await change(ground, mine, from: "correct horse", to: "another horse").status == 204)
        #expect(try await isOut(ground, bridge))
        _ = try await ground.accounts.authenticate(AccountGround.get(mine.access))
        _ = try await ground.refresh(mine.refresh)
        #expect(
            try await AccountGround.refusal {
                try await ground.login("host@example.org", "correct horse")
            }?.code == .unauthenticated)
        _ = try await ground.login("host@example.org", "another horse")
        // A link that is on its way would undo it.
        let code = try #require(link.split(separator: "=").last)
        let late = try await AccountGround.refusal {
            try await ground.accounts.setPassword(
                AccountGround.post(["token": .string(String(code)), "new": "a third horse"]))
        }
        #expect(late?.code == .forbidden)
    }

    @Test("a wrong current password changes nothing, and cannot be guessed at for ever")
    func wrongCurrent() async throws {
        let ground = try AccountGround()
        let mine = try await ground.register()
        for _ in 0..<10 {
            let error = try await AccountGround.refusal {
                try await change(ground, mine, from: "a guess", to: "another horse")
            }
            #expect(error?.code == .forbidden && error?.message == "the current password is wrong")
        }
        let tooMany = try await AccountGround.refusal {
            try await change(ground, mine, from: "correct horse", to: "another horse")
        }
        #expect(tooMany?.code == .rateLimited)
        ground.wall.go(.seconds(600))
        let short = try await AccountGround.refusal {
            try await change(ground, mine, from: "correct horse", to: "short")
        }
        #expect(short?.code == .unprocessable && short?.fields.map(\.name) == ["new"])
        _ = try await ground.login("host@example.org", "correct horse")
        #expect(try await change(ground, mine, from: "correct horse", to: "another horse").status == 204)
    }

    private func list(_ ground: AccountGround, _ pair: AccountGround.Pair) async throws -> [JSONValue] {
        try AccountGround.data(try await ground.accounts.sessions(AccountGround.get(pair.access))).array ?? []
    }

    @Test("log-ins are listed with what they came from and when they were used, and end one by one")
    func listed() async throws {
        let ground = try AccountGround()
        _ = try await ground.register()
        func login(_ device: String) async throws -> AccountGround.Pair {
            let wish: JSONValue = ["email": "host@example.org", "password": "correct horse"]
            return try AccountGround.pair(
                try await ground.accounts.login(
                    Request(
                        method: "POST", path: "/", headers: [HTTPHeader("User-Agent", device)],
                        body: Array(wish.compact.utf8))))
        }
        ground.wall.go(.seconds(60))
        let bridge = try await login("tetherline")
        ground.wall.go(.seconds(60))
        let phone = try await login("Phone\u{7}" + String(repeating: "x", count: 300))
        ground.wall.go(.seconds(60))
        _ = try await ground.refresh(bridge.refresh)
        _ = try await ground.accounts.logout(
            AccountGround.post(["refreshToken": .string(try await login("gone").refresh)]))
        ground.wall.go(.seconds(60))
        // Asking uses the phone's, which is the last by that.
        let sessions = try await list(ground, phone)
        #expect(sessions.map { $0["device"]?.string?.prefix(10) } == ["Phonexxxxx", "tetherline", nil])
        #expect(sessions[0]["device"]?.string?.unicodeScalars.count == 200)
        #expect(sessions.map { $0["isCurrent"] } == [.bool(true), .bool(false), .bool(false)])
        let start = GalleryWall.start
        #expect(sessions[1]["createdAt"] == (start + .seconds(60)).json)
        #expect(sessions[1]["lastUsedAt"] == (start + .seconds(180)).json)
        let id = try #require(sessions[1]["id"]?.string)
        func end(_ pair: AccountGround.Pair, _ id: String) async throws -> APIError? {
            let request = Request(
                method: "DELETE", path: "/", parameters: ["id": id],
                headers: AccountGround.get(pair.access).headers)
            return try await AccountGround.refusal { try await ground.accounts.endSession(request) }
        }
        let other = try await ground.register("other@example.org")
        #expect(try await end(other, id)?.code == .notFound)
        #expect(try await end(phone, id) == nil)
        #expect(try await end(phone, id)?.code == .notFound)
        #expect(try await isOut(ground, bridge))
        #expect(try await list(ground, phone).count == 2)
        _ = try await ground.accounts.endOtherSessions(AccountGround.get(phone.access))
        #expect(try await list(ground, phone).map { $0["isCurrent"] } == [.bool(true)])
        _ = try await ground.accounts.authenticate(AccountGround.get(other.access))
    }

    @Test(
        "a host's live feed ends when the log-in ends, and every live feed when the account is deleted"
    )
    func listeners() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let token = gallery.token(host)
        func listen() async throws -> (guest: EventStream, host: EventStream) {
            let guest = try await gallery.call("GET", "/e/\(host.slug)/live")
            let own = try await gallery.call("GET", "/events/\(host.event)/live", token: token)
            return (try #require(guest.stream), try #require(own.stream))
        }
        let before = try await listen()
        #expect(try await gallery.call("DELETE", "/me/sessions", token: token).status == 204)
        #expect(before.host.isOver && !before.guest.isOver)
        let after = try await listen()
        #expect(try await gallery.call("DELETE", "/me", token: token).status == 204)
        #expect(after.host.isOver && after.guest.isOver && before.guest.isOver)
        #expect(try await gallery.call("GET", "/e/\(host.slug)/live").status == 404)
    }

    @Test("a host's live feed ends when a spent token comes back and ends its log-in")
    func reuse() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        func token(_ number: Int) -> String {
            RefreshToken(
                family: host.family, number: number, key: gallery.ground.accounts.refreshKeys.current
            ).text
        }
        func refresh(_ number: Int) async throws -> Int {
            try await gallery.call("POST", "/auth/refresh", ["refreshToken": .string(token(number))]).status
        }
        #expect(try await refresh(1) == 200)
        #expect(try await refresh(2) == 200)
        let own = try await gallery.call(
            "GET", "/events/\(host.event)/live", token: gallery.token(host))
        let stream = try #require(own.stream)
        // One that was never issued ends nothing.
        #expect(try await refresh(9) == 401)
        #expect(!stream.isOver)
        #expect(try await refresh(1) == 401)
        #expect(stream.isOver)
    }

    @Test("a link to everything ends with the log-in that it was asked for by")
    func zipLink() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let link = try await gallery.call(
            "POST", "/events/\(host.event)/zip-link", token: gallery.token(host))
        let url = try #require(link["url"]?.string?.dropFirst("http://gallery.example".count))
        #expect(try await gallery.call("GET", String(url)).status == 200)
        let refresh = RefreshToken(
            family: host.family, number: 1, key: gallery.ground.accounts.refreshKeys.current
        ).text
        let out = try await gallery.call("POST", "/auth/logout", ["refreshToken": .string(refresh)])
        #expect(out.status == 204)
        #expect(try await gallery.call("GET", String(url)).status == 403)
    }
}
