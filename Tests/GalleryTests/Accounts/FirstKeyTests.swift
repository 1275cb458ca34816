import Glibc
import TestSupport
import Testing

@testable import Gallery

/// Which programs make the first key of a database that nodes share.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct FirstKeyTests {
    @Test(
        "commands leave a database that no node was started with without a key, and say so where they are about keys"
    )
    func commands() async throws { try await aside { try command() } }

    private func command() throws {
        let database = try PostgresServer.shared.get().freshDatabase()
        let folder = try TemporaryFolder()
        try folder.write("correct horse\n", to: "password")
        let tool = try #require(Tool(Built.gallery))
        func run(_ words: [String]) throws -> Tool.Output {
            try tool.run(
                words + ["--data", folder.file("data"), "--database", database.server.url(database.name)])
        }
        func keys() throws -> Int {
            try database.server.session(database.name).count("FROM signing_keys WHERE number > 0")
        }
        let made = try run(["user", "add", "a@example.org", "--password-file", folder.file("password")])
        #expect(made.code == 0, "\(made.errors)")
        let listed = try run(["user", "list"])
        #expect(listed.code == 0 && listed.text.contains("a@example.org"), "\(listed.errors)")
        let invited = try run(["invite"])
        #expect(invited.code == 0, "\(invited.errors)")
        for words in [["list"], ["retire", "1", "--yes"]] {
            let said = try run(["keys"] + words)
            #expect(said.code != 0 && said.errors.contains("there is no key yet"), "\(words): \(said.errors)")
        }
        #expect(try keys() == 0)
        let file = folder.file("port")
        let node = try Daemon(
            Built.gallery,
            [
                "serve", "--listen", "127.0.0.1:0", "--data", folder.file("data"), "--database",
                database.server.url(database.name), "--storage", "s3://nobodys-bucket/x", "--port-file", file,
            ],
            environment: [
                "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
                "AWS_ENDPOINT_URL": "http://127.0.0.1:\(try FreePort.next())",
            ], isLeashed: true)
        try node.wait(for: "everything in")
        node.letGo()
        #expect(try keys() == 1)
        let known = try run(["keys", "list"])
        #expect(known.code == 0 && known.text.hasPrefix("1  "), "\(known.text) \(known.errors)")
    }
}
