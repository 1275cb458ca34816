import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

@Suite struct AccountsTests {
    private func registration(
        _ email: String = "host@example.org", _ password: String = "correct horse",
        _ name: String = "The host"
    ) -> JSONValue {
        ["email": .string(email), "password": .string(password), "displayName": .string(name)]
    }

    private func post(_ value: JSONValue, from peer: String = "192.0.2.1") -> Request {
        AccountGround.post(value, peer: peer)
    }

    @Test("a new account is logged in by its registration, and finds itself at /me")
    func register() async throws {
        let ground = try AccountGround()
        let response = try await ground.accounts.register(post(registration("Host@Example.ORG")))
        #expect(response.status == 201)
        let user = try AccountGround.data(response)["user"]
        #expect(user?["email"] == "host@example.org" && user?["displayName"] == "The host")
        let pair = try AccountGround.pair(response)
        let me = try AccountGround.data(try await ground.accounts.me(AccountGround.get(pair.access)))
        #expect(me["id"] == user?["id"] && me["email"] == "host@example.org")
        #expect(me["credits"] == .null && me["hasConsented"] == .bool(false))
        #expect(me["createdAt"] == "2026-11-18T11:06:40.000Z")
    }

    @Test("an address that is taken is refused, in whatever case it is written")
    func taken() async throws {
        let ground = try AccountGround()
        _ = try await ground.register("host@example.org")
        let error = try await AccountGround.refusal {
            try await ground.accounts.register(post(registration("HOST@example.org", "another password")))
        }
        #expect(error?.code == .conflict)
        let added = try await AccountGround.refusal {
            try await ground.accounts.addUser(email: "Host@example.org", name: "x", password: "correct horse")
        }
        #expect(added?.code == .conflict)
    }

    @Test(
        "an address of any script is one, also where a mark combines with the @",
        arguments: ["0@\u{1F3FB}", "é@\u{301}.example", "安@例.example"])
    func scripts(address: String) async throws {
        let ground = try AccountGround()
        let response = try await ground.accounts.register(post(registration(address)))
        #expect(response.status == 201)
        for wrong in ["\u{1F3FB}", "@\u{1F3FB}", "a@@\u{301}", "a@\u{301} b"] {
            let error = try await AccountGround.refusal {
                try await ground.accounts.register(post(registration(wrong)))
            }
            #expect(error?.code == .unprocessable, "\(wrong)")
        }
    }

    @Test("of many who register one address at once, one does")
    func race() async throws {
        let ground = try AccountGround()
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await AccountGround.refusal {
                        try await ground.accounts.register(post(registration()))
                    }?.code.rawValue ?? "made"
                }
            }
            var codes: [String] = []
            for try await code in group { codes.append(code) }
            return codes
        }
        #expect(codes.filter { $0 == "made" }.count == 1)
        #expect(codes.filter { $0 == "CONFLICT" }.count == 4)
    }

    @Test(
        "what an account cannot be is said by field",
        arguments: [
            ("", "correct horse", "x", "email"), ("nobody", "correct horse", "x", "email"),
            ("a@", "correct horse", "x", "email"), ("@b", "correct horse", "x", "email"),
            ("a@b@c", "correct horse", "x", "email"), ("a b@c", "correct horse", "x", "email"),
            ("a\n@c", "correct horse", "x", "email"), ("a\u{2003}@c", "correct horse", "x", "email"),
            (String(repeating: "a", count: 250) + "@b.org", "correct horse", "x", "email"),
            ("a@b", "seven77", "x", "password"),
            ("a@b", String(repeating: "x", count: 1025), "x", "password"),
            ("a@b", String(repeating: "é", count: 600), "x", "password"),
            ("a@b", "with\u{0}nul in it", "x", "password"), ("a@b", "correct horse", "", "displayName"),
            ("a@b", "correct horse", String(repeating: "x", count: 101), "displayName"),
            ("a@b", "correct horse", "line\nbreak", "displayName"),
        ])
    func invalid(email: String, password: String, name: String, field: String) async throws {
        let ground = try AccountGround()
        let error = try await AccountGround.refusal {
            try await ground.accounts.register(post(registration(email, password, name)))
        }
        #expect(error?.code == .unprocessable && error?.fields.map(\.name) == [field])
        #expect(try await ground.accounts.users().isEmpty)
    }

    @Test("a log-in fails with one text whatever the cause")
    func oneText() async throws {
        let ground = try AccountGround()
        _ = try await ground.register("host@example.org", password: "correct horse")
        var errors: [APIError?] = []
        for (email, password) in [
            ("host@example.org", "wrong horse"), ("nobody@example.org", "correct horse"), ("nonsense", "x"),
            ("host@example.org", ""), ("", ""),
        ] {
            errors.append(try await AccountGround.refusal { try await ground.login(email, password) })
        }
        #expect(errors.allSatisfy { $0 == errors[0] && $0?.code == .unauthenticated })
        _ = try await ground.login("HOST@example.org", "correct horse")
    }

    @Test("a hash at yesterday's cost is renewed by a log-in")
    func rehash() async throws {
        let old = try AccountGround(cost: 1)
        _ = try await old.register()
        let new = try AccountGround(seed: 9, in: old.folder, wall: old.wall, cost: 2)
        let before = try await new.store.credentials(email: "host@example.org")?.hash
        _ = try await new.login("host@example.org", "correct horse")
        let after = try await new.store.credentials(email: "host@example.org")?.hash
        #expect(before?.hasPrefix("$y$j75$") == true && after?.hasPrefix("$y$j85$") == true)
        _ = try await new.login("host@example.org", "correct horse")
        #expect(try await new.store.credentials(email: "host@example.org")?.hash == after)
    }

    @Test("registering from one address ends after so many accounts")
    func limitedByAddress() async throws {
        var settings = AccountGround.settings
        settings.registersPerAddress = WindowRule(2, in: .seconds(3600))
        let ground = try AccountGround(settings: settings)
        for number in 0..<5 {
            let register = try await AccountGround.refusal {
                try await ground.accounts.register(post(registration("a\(number)@b")))
            }
            #expect(register?.code == (number < 2 ? nil : .rateLimited))
        }
        _ = try await ground.login("a0@b", "correct horse", peer: "192.0.2.77")
    }

    @Test(
        "a request without a valid token is refused everywhere",
        arguments: [
            nil, "", "Bearer", "Bearer ", "Basic aG9zdDpwYXNz", "Bearer a b", "Bearer a.b.c", "bearer",
        ])
    func nobody(header: String?) async throws {
        let ground = try AccountGround()
        _ = try await ground.register()
        let request = Request(path: "/", headers: header.map { [HTTPHeader("Authorization", $0)] } ?? [])
        for call in [
            ground.accounts.me, ground.accounts.deleteMe, ground.accounts.consent,
            ground.accounts.giveConsent,
        ] {
            let error = try await AccountGround.refusal { try await call(request) }
            #expect(error?.code == .unauthenticated)
            #expect(error?.response.headers.contains(HTTPHeader("WWW-Authenticate", "Bearer")) == true)
        }
    }

    @Test("the word Bearer may be in any case")
    func anyCase() async throws {
        let ground = try AccountGround()
        let pair = try await ground.register()
        let request = Request(path: "/", headers: [HTTPHeader("authorization", "bEARER \(pair.access)")])
        #expect(try await ground.accounts.authenticate(request).email == "host@example.org")
    }

    @Test("consent is given to the current version only, and not given to the next")
    func consent() async throws {
        let ground = try AccountGround()
        let pair = try await ground.register()
        let before = try AccountGround.data(
            try await ground.accounts.consent(AccountGround.get(pair.access)))
        #expect(before == ["version": .integer(1), "given": .bool(false)])
        for wrong: JSONValue in [["version": .integer(2)], ["version": .integer(0)], [:], ["version": "x"]] {
            let error = try await AccountGround.refusal {
                try await ground.accounts.giveConsent(AccountGround.post(wrong, token: pair.access))
            }
            #expect(error?.code == .unprocessable)
        }
        let given = try AccountGround.data(
            try await ground.accounts.giveConsent(
                AccountGround.post(["version": .integer(1)], token: pair.access)))
        #expect(given == ["version": .integer(1), "given": .bool(true)])
        var settings = AccountGround.settings
        settings.consentVersion = 2
        let later = try AccountGround(settings: settings, in: ground.folder, wall: ground.wall)
        let account = try await later.accounts.authenticate(AccountGround.get(pair.access))
        #expect(ground.accounts.hasConsented(account) && !later.accounts.hasConsented(account))
    }

    @Test("the host's terms are shown to those who are asked; a file without a text is refused by its name")
    func terms() async throws {
        let ground = try AccountGround()
        let pair = try await ground.register()
        try ground.folder.write("Photos are shown to guests.\nAsk Ann.\n", to: "terms")
        var settings = AccountGround.settings
        settings.terms = try Terms(file: ground.folder.file("terms"))
        let telling = try AccountGround(settings: settings, in: ground.folder, wall: ground.wall)
        let answer = try AccountGround.data(
            try await telling.accounts.consent(AccountGround.get(pair.access)))
        #expect(answer["terms"] == .string("Photos are shown to guests.\nAsk Ann.\n"))
        let bad: [(name: String, bytes: [UInt8])] = [
            ("blank", Array(" \n".utf8)), ("other", [0xFF, 0xFE, 0x41]),
            ("long", [UInt8](repeating: 0x41, count: Terms.mostBytes + 1)),
        ]
        for (name, bytes) in bad {
            try ground.folder.write(bytes, to: name)
            let path = ground.folder.file(name)
            let error = #expect(throws: Terms.Unusable.self) { try Terms(file: path) }
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("deleting an account takes all that is its own, and every file is due for removal")
    func delete() async throws {
        let sync = try await SyncGround()
        let ground = sync.ground
        let event = TestIDs.id(1)
        try await sync.sync([
            sync.change("event", event, ["name": "x"]),
            sync.change("album", TestIDs.id(2), ["name": "y", "eventId": .string(event)]),
        ])
        var keys: Set<String> = []
        for number in 0..<3 {
            let photo = try await ground.store.putPhoto(event, owner: sync.owner.id, number: number)
            keys.formUnion(try await ground.store.photoKeys(photo))
        }
        let later = sync.now + .seconds(300)
        _ = try await ground.store.putUpload(event, owner: sync.owner.id, key: "open", until: later)
        let liked = try await ground.store.putPhoto(event, owner: sync.owner.id, number: 3)
        keys.formUnion(try await ground.store.photoKeys(liked))
        _ = try await ground.store.setHeart(true, on: liked, in: event, by: "d")
        let comment = CommentWish(id: nil, photo: liked, name: "Cleo", words: "Hi")
        _ = try await ground.store.addComment(comment, in: event, by: "d")
        var tally = DownloadTally()
        tally.add(
            DownloadTally.Entry(
                kind: .zipScreen, count: DownloadTally.Count(times: 1, photos: 1, bytes: 1), photos: [1],
                device: "d", author: "d", day: ground.wall.wallNow.day))
        try await ground.store.addDownloads(tally, to: event)
        let other = try await ground.register("other@example.org")
        let login = try await ground.login("host@example.org", "correct horse")
        let response = try await ground.accounts.deleteMe(AccountGround.get(login.access))
        #expect(response.status == 204)
        let due = try await ground.store.removals()
        #expect(Set(due.keys) == keys.union(["open"]) && keys.count == 12)
        #expect(due["open"] == later.milliseconds)
        for table in [
            "events", "albums", "photos", "uploads", "places", "event_counts", "hearts", "comments",
            "photo_reactions", "download_days", "download_photos", "download_guests",
        ] {
            #expect(try await ground.store.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
        #expect(try await ground.store.number("SELECT count(*) FROM token_families") == 1)
        let after = try await AccountGround.refusal {
            try await ground.accounts.me(AccountGround.get(login.access))
        }
        #expect(after?.code == .unauthenticated)
        _ = try await ground.accounts.me(AccountGround.get(other.access))
        #expect(try await AccountGround.refusal { try await ground.refresh(login.refresh) } != nil)
    }

    @Test("an operator adds users, lists them and grants credits by address or id")
    func operators() async throws {
        let ground = try AccountGround()
        let anna = try await ground.accounts.addUser(
            email: "anna@example.org", name: "Anna", password: "correct horse")
        ground.wall.go(.seconds(1))
        let ben = try await ground.accounts.addUser(
            email: "Ben@example.org", name: "Ben", password: "correct horse")
        #expect(try await ground.accounts.users().map(\.email) == ["anna@example.org", "ben@example.org"])
        #expect(anna.credits == nil)
        #expect(try await ground.accounts.grantCredits(to: "ANNA@example.org", 5).credits == 5)
        #expect(try await ground.accounts.grantCredits(to: anna.id, 2).credits == 7)
        #expect(try await ground.accounts.grantCredits(to: ben.id.uppercased(), nil).credits == nil)
        #expect(try await ground.accounts.grantCredits(to: anna.id, nil).credits == nil)
        for (name, count, code) in [
            ("nobody", 1, APIError.Code.notFound), (anna.id, 0, .unprocessable),
            (anna.id, -1, .unprocessable),
        ] {
            let error = try await AccountGround.refusal {
                try await ground.accounts.grantCredits(to: name, count)
            }
            #expect(error?.code == code)
        }
        let short = try await AccountGround.refusal {
            try await ground.accounts.addUser(email: "x@y", name: "X", password: "short")
        }
        #expect(short?.code == .unprocessable)
        _ = try await ground.login("ben@example.org", "correct horse")
    }
}
