import Basics
import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Links for new passwords: mailed or printed, once, for half an hour.
@Suite struct ForgottenPasswordTests {
    /// A gallery whose mail goes into a list.
    private struct Ground {
        let ground: AccountGround
        let mails = Shared<[Mail]>([])

        init(seed: UInt64 = 1, fails: Bool = false) throws {
            var settings = AccountSettings()
            settings.registration = .open
            settings.publicURL = "https://photos.example.org"
            settings.mail = MailDoor(from: "gallery@example.org") { [mails] mail in
                mails.change { $0.append(mail) }
                if fails { throw Surprise("the mail server is away") }
            }
            ground = try AccountGround(seed: seed, settings: settings)
        }

        func ask(_ email: String, peer: String = "192.0.2.1") async throws -> Response {
            try await ground.accounts.forgotPassword(
                AccountGround.post(["email": .string(email)], peer: peer))
        }

        /// What is asked by now is mailed by now.
        func mail(_ count: Int) async throws {
            let mailing = Task { await ground.accounts.mailLinks(GalleryLog { _, _ in }) }
            while mails.value.count < count {
                try Task.checkCancellation()
                await Task.yield()
            }
            mailing.cancel()
        }

        func set(_ code: String, _ password: String = "another horse") async throws -> Response {
            try await ground.accounts.setPassword(
                AccountGround.post(["token": .string(code), "new": .string(password)]))
        }

        func refusal(_ code: String) async throws -> APIError? {
            try await AccountGround.refusal { try await set(code) }
        }

        func printed() async throws -> String {
            let link = try await ground.accounts.passwordLink(
                for: "host@example.org", publicURL: "https://photos.example.org")
            return try #require(Ground.code(in: link))
        }

        static func code(in text: String) -> String? {
            text.split(whereSeparator: \.isWhitespace).compactMap { word in
                word.hasPrefix("https://photos.example.org/host#password=")
                    ? String(word.split(separator: "=")[1]) : nil
            }.first
        }
    }

    @Test("a host who has forgotten the password gets a mail with a link that sets another, once")
    func mailed() async throws {
        let ground = try Ground()
        let before = try await ground.ground.register()
        let asked = try await ground.ask("Host@Example.org")
        #expect(asked.status == 202)
        try await ground.mail(1)
        let mail = try #require(ground.mails.value.first)
        #expect(mail.to == "host@example.org" && mail.from == "gallery@example.org")
        let text = String(decoding: mail.message, as: UTF8.self)
        #expect(text.utf8.allSatisfy { $0 < 0x7F } && !text.contains("\n\n"))
        let code = try #require(Ground.code(in: text))
        #expect(try await ground.set(code).status == 204)
        #expect(try await ground.refusal(code)?.code == .forbidden)
        // Everything that was logged in is out, and the old password is of no use.
        let out = try await AccountGround.refusal {
            try await ground.ground.accounts.authenticate(AccountGround.get(before.access))
        }
        #expect(out?.code == .unauthenticated)
        #expect(try await AccountGround.refusal { try await ground.ground.refresh(before.refresh) } != nil)
        #expect(
            try await AccountGround.refusal {
                try await ground.ground.login("host@example.org", "correct horse")
            } != nil)
        _ = try await ground.ground.login("host@example.org", "another horse")
    }

    @Test("an address without an account is answered the same, and no mail is sent")
    func unknown() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let answers = [try await ground.ask("nobody@example.org"), try await ground.ask("host@example.org")]
        let bodies = try answers.map { answer in
            (answer.status, answer.headers, try AccountGround.data(answer))
        }
        #expect(bodies[0] == bodies[1])
        try await ground.mail(1)
        #expect(ground.mails.value.map(\.to) == ["host@example.org"])
    }

    @Test(
        "nothing is looked up before the answer: it comes while the database is held",
        .enabled(
            if: !PostgresServer.isWanted,
            "nodes count tries in the database before they answer, whether or not there is such an account"))
    func afterTheAnswer() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let gate = Doorstep()
        let holding = Task { try await ground.ground.store.hold(gate) }
        await gate.arrived()
        #expect(try await ground.ask("host@example.org").status == 202)
        #expect(ground.mails.value.isEmpty)
        gate.open()
        try await holding.value
        try await ground.mail(1)
    }

    @Test("three mails go to an address in an hour, also after a restart, and printed links are not counted")
    func limits() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let accounts = ground.ground.accounts
        for count in 1...5 {
            #expect(try await accounts.mailLink(to: "host@example.org") == (count <= 3))
        }
        #expect(ground.mails.value.count == 3)
        let error = try await AccountGround.refusal {
            try await accounts.mailPasswordLink(to: "host@example.org")
        }
        #expect(error?.code == .conflict)
        _ = try await ground.printed()
        ground.ground.wall.go(.seconds(3600))
        try await ground.ground.store.sweepTokens()
        #expect(try await accounts.mailLink(to: "host@example.org"))
    }

    @Test("a link is of no use after half an hour, changed, or once another of its account was used")
    func ends() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let first = try await ground.printed()
        ground.ground.wall.go(.seconds(1799))
        let second = try await ground.printed()
        for code in [first + "A", String(first.dropLast()), "", String(repeating: "a", count: 101)] {
            #expect(try await ground.refusal(code) != nil)
        }
        ground.ground.wall.go(.seconds(1))
        #expect(try await ground.refusal(first)?.code == .forbidden)
        let third = try await ground.printed()
        #expect(try await ground.set(second).status == 204)
        #expect(try await ground.refusal(third)?.code == .forbidden)
        #expect(try await ground.ground.store.number("SELECT count(*) FROM password_links") == 3)
        ground.ground.wall.go(.seconds(3600))
        try await ground.ground.store.sweepTokens()
        #expect(try await ground.ground.store.number("SELECT count(*) FROM password_links") == 0)
    }

    @Test("a password that is too short leaves the link as it was")
    func shortPassword() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let code = try await ground.printed()
        let error = try await AccountGround.refusal { try await ground.set(code, "short") }
        #expect(error?.code == .unprocessable)
        #expect(try await ground.set(code).status == 204)
    }

    @Test("of two who use a link at once, one sets the password")
    func race() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let code = try await ground.printed()
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<4 {
                group.addTask {
                    try await AccountGround.refusal { try await ground.set(code, "horse number \(number)") }
                        == nil
                }
            }
            var outcomes: [Bool] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.count { $0 } == 1)
    }

    @Test("no code lies in the database, only its hash", .onSQLite)
    func stored() async throws {
        let ground = try Ground()
        _ = try await ground.ground.register()
        let code = try await ground.printed()
        let path = ground.ground.folder.file(GalleryStore.fileName)
        for file in [path, path + "-wal"] {
            #expect(try readFile(file).firstRange(of: Array(code.utf8)) == nil)
        }
        #expect(code.utf8.count == 43)
    }

    @Test("a gallery that sends no mail says so, and one address cannot ask for ever")
    func refusals() async throws {
        let silent = try AccountGround()
        let error = try await AccountGround.refusal {
            try await silent.accounts.forgotPassword(AccountGround.post(["email": "host@example.org"]))
        }
        #expect(error?.code == .forbidden && error?.message.contains("sends no mail") == true)
        let ground = try Ground()
        for _ in 0..<20 { #expect(try await ground.ask("nobody@example.org").status == 202) }
        let tooMany = try await AccountGround.refusal { try await ground.ask("nobody@example.org") }
        #expect(tooMany?.code == .rateLimited && tooMany?.retryAfter != nil)
        #expect(try await ground.ask("nobody@example.org", peer: "198.51.100.7").status == 202)
    }

    @Test("a mail server that is away is told to the operator, with the address and no link")
    func failures() async throws {
        let ground = try Ground(fails: true)
        _ = try await ground.ground.register()
        let lines = Shared<[String]>([])
        _ = try await ground.ask("host@example.org")
        let mailing = Task {
            await ground.ground.accounts.mailLinks(GalleryLog { _, line in lines.change { $0.append(line) } })
        }
        while lines.value.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        mailing.cancel()
        #expect(
            lines.value == [
                "the link for a new password of host@example.org could not be mailed: the mail server is away"
            ])
    }
}

/// Holds a caller up until it is opened.
private final class Doorstep: Sendable {
    private let isOpen = Shared(false)
    private let isHere = Shared(false)

    func arrived() async { while !isHere.value { await Task.yield() } }
    func open() { isOpen.change { $0 = true } }

    func wait() {
        isHere.change { $0 = true }
        while !isOpen.value { sched_yield() }
    }
}

extension GalleryStore {
    fileprivate func hold(_ step: Doorstep) throws { step.wait() }
}
