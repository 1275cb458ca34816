import Glibc
import TestSupport
import Testing

@testable import Gallery

/// The program as an operator starts it: who may make an account, and what he is told of it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct RegistrationProgramTests {
    /// One run of the server on that folder.
    private struct Served {
        let daemon: Daemon
        let port: UInt16

        init(_ folder: TemporaryFolder, _ options: [String] = [], listen: String = "127.0.0.1:0") throws {
            let file = folder.file("port")
            unlink(file)
            daemon = try Daemon(
                Built.gallery,
                ["serve", "--listen", listen, "--data", folder.file("data"), "--port-file", file]
                    + options)
            while access(file, R_OK) != 0 { sched_yield() }
            let text = String(decoding: try readFile(file), as: UTF8.self)
            port = try #require(UInt16(text.filter(\.isNumber)))
        }

        func register(_ email: String, code: String? = nil, headers: [(String, String)] = []) throws -> Int {
            let invite = code.map { #","invite":"\#($0)""# } ?? ""
            let body =
                #"{"email":"\#(email)","password":"correct horse","displayName":"X"\#(invite)}"#
            let all = [("Host", "127.0.0.1:\(port)")] + headers
            return try Wire(port).ask("POST", "/auth/register", headers: all, body: body).status
        }

        func said(_ part: String) throws -> String { try daemon.wait(for: part) }
        func hasSaid(_ part: String) -> Bool { daemon.output.contains { $0.contains(part) } }
    }

    @Test(
        "a new gallery prints a code; it makes the first account from elsewhere, and then it is closed and says so"
    )
    func firstCode() async throws { try await aside { try firstAccount() } }

    private func firstAccount() throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let elsewhere = [("X-Forwarded-For", "203.0.113.9")]
        let proxied = ["--trusted-proxy", "127.0.0.1"]
        do {
            let new = try Served(folder, proxied + ["--credits", "12"])
            let line = try new.said("there is no account yet")
            let code = String(try #require(line.split(separator: " ").last))
            #expect(try new.register("a@example.org", headers: elsewhere) == 403)
            #expect(try new.register("a@example.org", code: code, headers: elsewhere) == 201)
            #expect(try new.register("b@example.org", code: code, headers: elsewhere) == 403)
            #expect(try new.register("b@example.org", headers: [("X-Forwarded-For", "127.0.0.1")]) == 403)
            let list = try #require(Tool(Built.gallery)).run(["user", "list", "--data", folder.file("data")])
            #expect(list.text.contains("a@example.org") && list.text.contains("12 credits"), "\(list.text)")
        }
        let later = try Served(folder)
        _ = try later.said("registration is closed")
        #expect(!later.hasSaid("no account yet"))
        #expect(try later.register("c@example.org") == 403)
    }

    @Test(
        "the first account is made from this machine; 'gallery invite' lets in another, while the server runs"
    )
    func invitation() async throws { try await aside { try invited() } }

    private func invited() throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let served = try Served(folder, ["--registration", "invite"])
        #expect(try served.register("a@example.org") == 201)
        #expect(try served.register("b@example.org") == 403)
        let made = try #require(Tool(Built.gallery)).run(
            ["invite", "--uses", "2", "--days", "3", "--data", folder.file("data")])
        #expect(made.code == 0 && made.text.contains("for 2 accounts until "), "\(made.text) \(made.errors)")
        let code = try #require(made.lines.first)
        for (email, status) in [("b@example.org", 201), ("c@example.org", 201), ("d@example.org", 403)] {
            #expect(try served.register(email, code: code) == status, "\(email)")
        }
        #expect(!served.hasSaid(code))
    }

    @Test(
        "where the public address leads elsewhere and no proxy is named, this machine is not trusted and not offered"
    )
    func elsewhere() async throws { try await aside { try unnamedProxy() } }

    private func unnamedProxy() throws {
        for listen in ["127.0.0.1:0", "0.0.0.0:0"] {
            let folder = try TemporaryFolder(in: TemporaryFolder.memory)
            let served = try Served(
                folder, ["--public-url", "https://photos.example.org"], listen: listen)
            let line = try served.said("there is no account yet")
            #expect(!line.contains("from this machine"), "\(line)")
            #expect(try served.register("a@example.org") == 403)
            let code = String(try #require(line.split(separator: " ").last))
            #expect(try served.register("a@example.org", code: code) == 201)
        }
        let near = try Served(
            try TemporaryFolder(in: TemporaryFolder.memory), ["--public-url", "http://localhost:8080"])
        #expect(try near.said("there is no account yet").contains("from this machine"))
        #expect(try near.register("a@example.org") == 201)
    }

    @Test("who may register is one of three words, and two options that contradict each other are refused")
    func words() throws {
        let tool = try #require(Tool(Built.gallery))
        for (words, sentence) in [
            (["--registration", "all"], "--registration is open, invite or closed"),
            (["--no-registration", "--registration", "open"], "contradict each other"),
            (["--credits", "lots"], "--credits needs a number"),
        ] {
            let said = try tool.run(["serve", "--listen", "127.0.0.1:0"] + words)
            #expect(said.code == 64 && said.errors.contains(sentence), "\(said.errors)")
        }
    }
}
