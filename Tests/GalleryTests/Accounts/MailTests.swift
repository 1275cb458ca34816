import Basics
import HTTPClient
import TestSupport
import Testing

@testable import Gallery

/// Mail over a real server of SMTP.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: MailStand.isThere, "aiosmtpd is not installed; tools/setup does it")
)
struct MailTests {
    private func send(
        _ address: String, password: String? = nil, to: String = "ann@example.org"
    ) async throws -> String? {
        let mail = Mail(
            from: "gallery@example.org", to: to, subject: "Hello", text: "One line\n.hidden dot\nlast",
            at: GalleryWall.start, id: TestIDs.id(1))
        let carrier = try CurlMail(try MailServer(address, password: password))
        do throws(CurlMail.Failure) {
            try await carrier.send(mail.message, from: mail.from, to: mail.to)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a mail arrives as it was written, openly on this machine alone")
    func loopback() async throws {
        let stand = try MailStand()
        #expect(try await send("smtp://127.0.0.1:\(stand.port)") == nil)
        let lines = try stand.waitForMail()
        #expect(lines.contains("MAIL gallery@example.org ['ann@example.org'] open -"), "\(lines)")
        for line in [
            "| From: <gallery@example.org>", "| To: <ann@example.org>", "| Subject: Hello",
            "| Date: Wed, 18 Nov 2026 11:06:40 +0000", "| Message-ID: <\(TestIDs.id(1))@example.org>",
            "| Auto-Submitted: auto-generated", "| One line", "| .hidden dot", "| last",
        ] { #expect(lines.contains(line), "\(line): \(lines)") }
        // The same machine, by an address that does not say so.
        let refusal = try #require(try await send("smtp://0.0.0.0:\(stand.port)"))
        #expect(refusal.contains("0.0.0.0:\(stand.port) offers no TLS"), "\(refusal)")
        #expect(stand.mails == 1)
    }

    @Test("a server that cannot prove who it is gets nothing", arguments: [MailStand.TLS.starts, .implicit])
    func unproven(tls: MailStand.TLS) async throws {
        let shop = try CertificateShop()
        let stand = try MailStand(tls, try shop.signed("server"))
        let scheme = tls == .implicit ? "smtps" : "smtp"
        let refusal = try #require(try await send("\(scheme)://0.0.0.0:\(stand.port)"))
        #expect(refusal.contains("authority that this machine does not know"), "\(refusal)")
        #expect(stand.mails == 0)
    }

    @Test("a user comes in by his password, and a wrong one or a full mailbox is said")
    func users() async throws {
        let stand = try MailStand(asksForPassword: true)
        let address = "smtp://gallery@example.org@127.0.0.1:\(stand.port)"
        #expect(try await send(address, password: "mail secret") == nil)
        #expect(try stand.waitForMail().contains { $0.hasSuffix("open gallery@example.org") })
        let wrong = try #require(try await send(address, password: "guessed"))
        #expect(
            wrong.contains("does not let 'gallery@example.org' in") && !wrong.contains("guessed"), "\(wrong)")
        let full = try #require(
            try await send(address, password: "mail secret", to: "full@example.org"))
        #expect(full.contains("refuses the mail") && full.contains("552"), "\(full)")
        let odd = try #require(
            try await send(address, password: "mail secret", to: "a@b.org>\r\nRCPT TO:<eve@b.org"))
        #expect(odd.contains("as it is written"))
        #expect(stand.mails == 1)
    }

    @Test("a mail server that cannot be reached is named in a sentence")
    func nobody() async throws {
        let port = try FreePort.next()
        let refusal = try #require(try await send("smtp://127.0.0.1:\(port)"))
        #expect(refusal.contains("127.0.0.1:\(port) cannot be reached"), "\(refusal)")
    }

    @Test(
        "what is no mail server is told with how one is written",
        arguments: [
            ("mail.example.org", nil, "smtps://USER@HOST"),
            ("http://mail.example.org", nil, "smtps://USER@HOST"),
            ("smtps://a:b@mail.example.org", "x", "does not belong into an address"),
            ("smtps://a@mail.example.org", nil, "needs a password"),
            ("smtps://a@mail.example.org", "", "needs a password"),
            ("smtps://mail.example.org", "x", "belongs to a user"), ("smtps://", nil, "the host is empty"),
            ("smtps://mail.example.org:99999", nil, "is no port"),
            ("smtps://mail.example.org/x", nil, "slashes"),
            ("smtps://mail.exa mple.org", nil, "spaces"), ("smtps://mail.example.org:0", nil, "is no HOST"),
            ("smtps://%zz@mail.example.org", "x", "cannot be read"),
        ] as [(String, String?, String)])
    func unreadable(text: String, password: String?, words: String) throws {
        let error = #expect(throws: MailServer.Unreadable.self) { try MailServer(text, password: password) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        "what is this machine is known by its address",
        arguments: [
            ("smtp://localhost", true), ("smtp://127.0.0.1", true), ("smtp://127.9.9.9:2525", true),
            ("smtp://[::1]:25", true), ("smtp://0.0.0.0", false), ("smtp://localhost.example.org", false),
            ("smtps://mail.example.org", false), ("smtp://10.0.0.1", false),
            ("smtp://127.0.0.1.example.org", false),
        ])
    func loopbacks(text: String, isLoopback: Bool) throws {
        #expect(try MailServer(text, password: nil).isLoopback == isLoopback)
    }
}
