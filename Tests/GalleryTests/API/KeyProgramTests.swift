import Basics
import TestSupport
import Testing

@testable import Gallery

/// `gallery keys`, as an operator gives it, beside the program that serves and without it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct KeyProgramTests {
    private func run(_ words: [String], _ data: String, input: String = "") throws -> Tool.Output {
        try #require(Tool(Built.gallery)).run(["keys"] + words + ["--data", data], input: Array(input.utf8))
    }

    @Test(
        "another key signs at once at the server that runs, the host stays logged in, and is out with the old key",
        .inFolder)
    func served() async throws { try await aside { try rotateAndRetire() } }

    private func rotateAndRetire() throws {
        let program = try GalleryProgram()
        let alone = try run(["list"], program.data)
        #expect(alone.lines == ["1  -  signs"], "\(alone.errors)")
        let refused = try run(["retire", "1", "--yes"], program.data)
        #expect(refused.code != 0 && refused.errors.contains("rotate"))
        let rotated = try run(["rotate"], program.data)
        #expect(rotated.code == 0 && rotated.text.contains("key 2 is made, and signs from now on"))
        #expect(try program.ask("GET", "/me").status == 200)
        let login = try Wire(program.port).ask(
            "POST", "/auth/login", body: #"{"email":"host@example.org","password":"correct horse"}"#)
        let refresh = try #require(login["refreshToken"]?.string)
        let access = try #require(login["accessToken"]?.string)
        #expect(refresh.contains(".2~") && AccessToken.keyNumber(in: access) == 2)
        let listed = try run(["list"], program.data)
        #expect(
            listed.lines.count == 2 && listed.lines[0].hasPrefix("2  ") && listed.lines[0].hasSuffix("signs"))
        let unsure = try run(["retire", "1"], program.data, input: "2\n")
        #expect(unsure.code != 0 && unsure.errors.contains("no key was retired"))
        #expect(try program.ask("GET", "/me").status == 200)
        let retired = try run(["retire", "1"], program.data, input: "1\n")
        #expect(retired.code == 0, "\(retired.errors)")
        #expect(try program.ask("GET", "/me").status == 401)
        #expect(try Wire(program.port).ask("GET", "/me", token: access).status == 200)
    }

    @Test("without a server the folder's keys are changed, and the next one signs with the newest", .inFolder)
    func alone() throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        #expect(try run(["rotate"], data).text.contains("key 2"))
        #expect(try run(["rotate"], data).text.contains("key 3"))
        let missing = try run(["retire", "7", "--yes"], data)
        #expect(missing.code == 1 && missing.errors.contains("there is no key 7"), "\(missing.errors)")
        #expect(try run(["retire", "seven", "--yes"], data).code == 64)
        #expect(try run(["retire", "2", "--yes"], data).code == 0)
        let listed = try run(["list"], data)
        #expect(listed.lines.map { $0.prefix(3) } == ["3  ", "1  "], "\(listed.text)")
        #expect(!listed.text.contains(String(repeating: "a", count: 8)))
    }

    @Test("with a database of PostgreSQL all nodes share them", .withPostgres)
    func shared() throws {
        let place = try PostgresServer.shared.get().freshDatabase()
        let folder = try TemporaryFolder()
        let address = place.server.url(place.name)
        func run(_ words: [String]) throws -> Tool.Output {
            try #require(Tool(Built.gallery)).run(
                ["keys"] + words + ["--data", folder.file("data"), "--database", address])
        }
        let none = try run(["list"])
        #expect(none.code == 1 && none.errors.contains("there is no key yet"), "\(none.errors)")
        let rotated = try run(["rotate"])
        #expect(rotated.code == 0 && rotated.text.contains("every node has read it"), "\(rotated.errors)")
        let listed = try run(["list"])
        #expect(
            listed.lines.map { $0.suffix(5) } == ["as soon as every node has read it".suffix(5), "signs"])
        #expect(try run(["retire", "1", "--yes"]).code == 0)
        #expect(try run(["list"]).lines.map { $0.suffix(5) } == ["signs"])
    }
}
