import Basics
import TestSupport
import Testing

@testable import Gallery

/// Accounts as an operator and a host meet them: commands, mails, and the program that serves.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct AccountProgramTests {
    private func run(_ words: [String], _ rows: [String], input: String = "") throws -> Tool.Output {
        try #require(Tool(Built.gallery)).run(words + rows, input: Array(input.utf8))
    }

    private func code(in text: String) throws -> String {
        let start = try #require(text.firstRange(of: "/host#password="), "\(text)")
        return String(text[start.upperBound...].prefix { !$0.isWhitespace })
    }

    private func set(_ program: GalleryProgram, _ code: String) throws -> Int {
        try Wire(program.port).ask(
            "POST", "/auth/reset", body: #"{"token":"\#(code)","new":"another horse"}"#
        ).status
    }

    @Test(
        "a forgotten password is mailed over TLS, by the address that the operator gave and no other",
        .enabled(if: MailStand.isThere, "aiosmtpd is not installed; tools/setup does it"),
        arguments: [MailStand.TLS.implicit, .starts])
    func mailed(tls: MailStand.TLS) async throws { try await aside { try mailAndSet(tls) } }

    private func mailAndSet(_ tls: MailStand.TLS) throws {
        let shop = try CertificateShop()
        // STARTTLS by an address that is not this machine's own: to that one mail may go openly.
        let (scheme, host) = tls == .implicit ? ("smtps", "localhost") : ("smtp", "0.0.0.0")
        let pair = try shop.signed("server", name: "localhost,IP:0.0.0.0")
        let stand = try MailStand(tls, pair, asksForPassword: true)
        try shop.folder.write("mail secret\n", to: "secret")
        let way = [
            "--public-url", "https://photos.example.org", "--smtp",
            "\(scheme)://gallery@example.org@\(host):\(stand.port)", "--smtp-password-file",
            shop.folder.file("secret"),
        ]
        // Before SSL_CERT_FILE, which the environment of the tests may set as well.
        let program = try GalleryProgram(way, environment: ["CURL_CA_BUNDLE": shop.authority])
        let body = #"{"email":"host@example.org"}"#
        let asked = try Wire(program.port).exchange(
            "POST /auth/forgot HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nForwarded: "
                + "host=evil.example\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(asked.status == 202, "\(asked.head)")
        let lines = try stand.waitForMail()
        #expect(
            lines.contains("MAIL gallery@example.org ['host@example.org'] TLS gallery@example.org"),
            "\(lines)")
        let text = lines.joined(separator: "\n")
        #expect(text.contains("https://photos.example.org/host#password=") && !text.contains("evil"))
        let code = try code(in: text)
        #expect(try set(program, code) == 204)
        #expect(try set(program, code) == 403)
        #expect(try program.ask("GET", "/me").status == 401)
        // By the operator's word as well, until there were enough. Nodes that share a database are not asked for it: there the
        // command mails, and counts with them.
        let words = ["user", "password", "host@example.org", "--mail"] + (PostgresServer.isWanted ? way : [])
        for _ in 0..<2 {
            let mailed = try program.run(words + program.rows)
            #expect(
                mailed.code == 0 && mailed.text.contains("mailed to host@example.org"), "\(mailed.errors)")
        }
        let tooMany = try program.run(words + program.rows)
        #expect(
            tooMany.code == 1 && tooMany.errors.contains("3 mails went to host@example.org"),
            "\(tooMany.errors)")
        let links = try stand.waitForMail(3).filter {
            $0.contains("https://photos.example.org/host#password=")
        }
        #expect(Set(links).count == 3 && stand.mails == 3)
        #expect(try set(program, try self.code(in: try #require(links.last))) == 204)
    }

    @Test(
        "an operator prints a link for a new password, and deletes an account when he has seen what goes with it"
    )
    func commands() async throws { try await aside { try printAndDelete() } }

    private func printAndDelete() throws {
        let program = try GalleryProgram(["--public-url", "https://photos.example.org"])
        // Nodes that share a database are not asked how they are reached.
        let address = PostgresServer.isWanted ? ["--public-url", "https://photos.example.org"] : []
        let printed = try run(["user", "password", "Host@example.org"] + address, program.rows)
        #expect(printed.text.hasPrefix("https://photos.example.org/host#password="), "\(printed.errors)")
        let silent = try run(["user", "password", "host@example.org", "--mail"], program.rows)
        if PostgresServer.isWanted {
            #expect(silent.code == 64 && silent.errors.contains("say --smtp"), "\(silent.errors)")
        } else {
            #expect(silent.code == 1 && silent.errors.contains("--smtp"), "\(silent.errors)")
        }
        let nobody = try run(["user", "password", "nobody@example.org"], program.rows)
        #expect(nobody.code == 1 && nobody.errors.contains("there is no such account: nobody@example.org"))
        #expect(try set(program, try code(in: printed.text)) == 204)
        let wrong = try run(["user", "delete", "host@example.org"], program.rows, input: "host\n")
        #expect(wrong.code == 1 && wrong.errors.contains("nothing was deleted"), "\(wrong.errors)")
        #expect(
            wrong.text.contains(
                "host@example.org (host@example.org): 1 event, 0 photos with 0 bytes of originals, 0 log-ins"),
            "\(wrong.text)")
        #expect(try Wire(program.port).ask("GET", "/e/\(program.slug)/photos").status == 403)
        let deleted = try run(
            ["user", "delete", "host@example.org"], program.rows, input: "host@example.org\n")
        #expect(deleted.code == 0 && deleted.text.contains("deleted: host@example.org"), "\(deleted.errors)")
        #expect(try Wire(program.port).ask("GET", "/e/\(program.slug)").status == 404)
        #expect(try run(["user", "list"], program.rows).text == "there is no account yet\n")
    }

    /// Where she has an account, and no server runs.
    private func placeOfAnn() throws -> ProgramPlace {
        let place = try ProgramPlace(storage: nil, environment: [:])
        try place.folder.write("correct horse\n", to: "password")
        let made = try run(
            ["user", "add", "ann@example.org", "--password-file", place.folder.file("password")], place.rows)
        #expect(made.code == 0, "\(made.errors)")
        return place
    }

    @Test("the same without a server, and without a question where that is said")
    func withoutServer() async throws { try await aside { try withoutAsking() } }

    private func withoutAsking() throws {
        let place = try placeOfAnn()
        let rows = place.rows
        let printed = try run(
            ["user", "password", "ann@example.org", "--public-url", "https://photos.example.org/"], rows)
        #expect(printed.text.hasPrefix("https://photos.example.org/host#password="), "\(printed.errors)")
        let nothing = try run(["user", "delete", "ann@example.org"], rows)
        #expect(nothing.code != 0 && nothing.errors.contains("Nothing was typed"), "\(nothing.errors)")
        let deleted = try run(["user", "delete", "ann@example.org", "--yes"], rows)
        #expect(deleted.code == 0 && deleted.text.contains("0 events, 0 photos"), "\(deleted.text)")
        withExtendedLifetime(place) {}
    }

    @Test(
        "where no server is asked, the command itself mails the link, by the server that it is told",
        .enabled(if: MailStand.isThere, "aiosmtpd is not installed; tools/setup does it"))
    func mailedAlone() async throws { try await aside { try mailAlone() } }

    private func mailAlone() throws {
        let place = try placeOfAnn()
        let rows = place.rows
        let stand = try MailStand()
        let words = ["user", "password", "ann@example.org"]
        let url = ["--public-url", "https://photos.example.org"]
        let smtp = ["--smtp", "smtp://127.0.0.1:\(stand.port)", "--mail-from", "gallery@example.org"]
        let cases: [([String], String)] = [
            (["--mail"] + smtp, "--smtp needs --public-url"), (url + smtp, "--smtp belongs to --mail"),
            (["--mail", "--mail-from", "a@b.org"], "--mail-from belongs to --smtp"),
        ]
        for (options, sentence) in cases {
            let refused = try run(words + options, rows)
            #expect(refused.code == 64 && refused.errors.contains(sentence), "\(refused.errors)")
        }
        let mailed = try run(words + ["--mail"] + url + smtp, rows)
        #expect(mailed.code == 0 && mailed.text.contains("mailed to ann@example.org"), "\(mailed.errors)")
        #expect(!mailed.text.contains("#password="))
        let lines = try stand.waitForMail()
        #expect(lines.contains("MAIL gallery@example.org ['ann@example.org'] open -"), "\(lines)")
        #expect(try code(in: lines.joined(separator: "\n")).count == 43)
        #expect(stand.mails == 1)
        let elsewhere = ["--mail", "--smtp", "smtp://127.0.0.1:1", "--mail-from", "gallery@example.org"]
        let away = try run(words + url + elsewhere, rows)
        #expect(away.code == 1 && away.errors.contains("127.0.0.1:1 cannot be reached"), "\(away.errors)")
        withExtendedLifetime(place) {}
    }

    @Test("mail that cannot work is refused at the start, with what to say instead")
    func settings() async throws { try await aside { try refuseSettings() } }

    private func refuseSettings() throws {
        let folder = try TemporaryFolder()
        try folder.write("secret\n", to: "password")
        let (url, file) = (["--public-url", "https://photos.example.org"], folder.file("password"))
        let cases: [([String], String)] = [
            (["--smtp", "smtps://a@b.example", "--smtp-password-file", file], "--smtp needs --public-url"),
            (url + ["--smtp", "smtps://a@b.example"], "needs a password, from a file's first line"),
            (url + ["--smtp", "smtps://a:b@b.example"], "does not belong into an address"),
            (url + ["--smtp", "b.example:25"], "a mail server is smtps://USER@HOST"),
            (url + ["--smtp", "smtps://b.example"], "--mail-from needs an address"),
            (
                url + ["--smtp", "smtps://me@b.example", "--smtp-password-file", folder.file("none")],
                "--smtp-password-file cannot be read"
            ),
            (
                url + ["--smtp", "smtps://me@b.example", "--smtp-password-file", file, "--mail-from", "me"],
                "--mail-from needs an address"
            ),
            (["--mail-from", "a@b.example"], "--mail-from belongs to --smtp"),
            (["--smtp-password-file", file], "--smtp-password-file belongs to --smtp"),
        ]
        for (options, words) in cases {
            let said = try run(
                ["serve", "--listen", "127.0.0.1:0"] + options, ["--data", folder.file("data")])
            #expect(said.code == 64 && said.errors.contains(words), "\(options): \(said.code) \(said.errors)")
        }
        #expect(folder.contents() == ["password"])
    }
}
