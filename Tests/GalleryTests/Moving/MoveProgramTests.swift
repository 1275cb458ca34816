import Basics
import TestSupport
import Testing

@testable import Gallery

/// `gallery move` as an operator runs it: first beside the server, then in its stead.
@Suite(
    .enabled(if: MoveGround.canRun, "SeaweedFS or PostgreSQL is not installed; tools/setup does it"),
    .enabled(if: Tool.isThere("convert") && Tool.isThere("curl")),
    .timeLimit(.minutes(Cases.minutesOfHang)), .inFolder)
struct MoveProgramTests {
    @Test("a gallery is moved beside its server, then in its stead, and is served by a node")
    func move() async throws { try await aside { try moveAll() } }

    private func moveAll() throws {
        let ground = try MoveProgramGround()
        let program = ground.program
        #expect(try program.bring(try ground.photo(3)).status == "completed")
        #expect(try program.ask("PATCH", "/events/\(program.event)", #"{"pin":null}"#).status == 200)
        let before = try program.ask("GET", "/events/\(program.event)/photos")
        let key = try #require(before["photos"]?.array?.first?["thumbKey"]?.string, "\(before.text)")
        let thumb = try program.ask("GET", "/images/\(key)")
        #expect(thumb.status == 200 && !thumb.text.isEmpty)

        let beside = try ground.move()
        #expect(beside.code == 75 && beside.errors.contains("stop 'gallery serve'"), "\(beside.errors)")
        #expect(beside.text.contains("objects: 4 taken over"), "\(beside.text)")
        let early = try ground.run(["user", "list", "--database", ground.url])
        #expect(
            early.code == 78 && early.errors.contains("run the same 'gallery move' again"), "\(early.errors)")
        program.end()
        let last = try ground.move()
        // A folder that is not closed is served, and for ever.
        try #require(
            last.code == 0 && last.text.contains("is moved and closed"), "\(last.text) \(last.errors)")
        #expect(last.text.contains("photos: 1 rows on both sides"), "\(last.text)")

        for words in [["serve", "--listen", "127.0.0.1:0"], ["user", "list"], ["check"]] {
            let refused = try ground.run(words + ["--data", program.data])
            #expect(
                refused.code != 0 && refused.errors.contains("its gallery was moved"), "\(refused.errors)")
        }
        let (node, port) = try ground.serve()
        defer { node.letGo() }
        let after = try Wire(port).ask("GET", "/events/\(program.event)/photos", token: program.token)
        #expect(after.status == 200 && after["photos"]?.array?.count == 1, "\(after.text)")
        let image = try Wire(port).ask("GET", "/images/\(key)")
        #expect(image.status == 200 && image.text == thumb.text)
        let check = try ground.run(
            ["check", "--database", ground.url, "--storage", "s3://\(ground.bucket)/weddings"])
        #expect(check.code == 0, "\(check.text) \(check.errors)")
    }

    @Test("a folder that was closed is opened again, and what cannot be moved is told in a sentence")
    func reopen() async throws { try await aside { try reopenAll() } }

    private func reopenAll() throws {
        let ground = try MoveProgramGround()
        let served = try ground.run(["move", "--from", ground.program.data, "--reopen"])
        #expect(served.code == 75 && served.errors.contains("already running"), "\(served.errors)")
        ground.program.end()
        #expect(try ground.move().code == 0)
        #expect(try ground.move().text.contains("is moved already"))
        let reopened = try ground.run(["move", "--from", ground.program.data, "--reopen"])
        #expect(reopened.code == 0 && reopened.text.contains("is open again"), "\(reopened.errors)")
        let users = try ground.run(["user", "list", "--data", ground.program.data])
        #expect(users.code == 0 && users.text.contains("host@example.org"), "\(users.errors)")
        let again = try ground.move()
        #expect(again.code == 1 && again.errors.contains("was reopened since"), "\(again.errors)")
        let cases: [([String], String)] = [
            (["move"], "Say --from DIR"),
            (["move", "--from", ground.folder.path], "There is no gallery in"),
            (["move", "--from", ground.program.data], "Say --to postgres://"),
            (["move", "--from", ground.program.data, "--to", ground.url], "Say --storage s3://"),
            (
                ["move", "--from", ground.program.data, "--to", "x", "--storage", "s3://y"],
                "--to is an address"
            ),
        ]
        for (words, sentence) in cases {
            let said = try ground.run(words)
            #expect(said.code == 64 && said.errors.contains(sentence), "\(words): \(said.errors)")
        }
    }
}
