import TestSupport
import Testing

@testable import Gallery

/// What an operator is told when a command cannot be done: a sentence, and the same one whether the server runs or not.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CommandTests {
    private func run(_ words: [String], _ rows: [String]) throws -> Tool.Output {
        try #require(Tool(Built.gallery)).run(words + rows)
    }

    /// Each with its exit code and what it says.
    private func expectSentences(_ rows: [String], _ folder: TemporaryFolder) throws {
        try folder.write("short\n", to: "short")
        try folder.write("long enough\n", to: "long")
        try folder.write("", to: "there")
        let cases: [([String], Int32, String)] = [
            (["qr", "No such party"], 66, "gallery: there is no event 'No such party'"),
            rows.contains("--database")
                ? (["backup", folder.file("there")], 64, "pg_dump")
                : (["backup", folder.file("there")], 65, "exists already; a backup is written over nothing"),
            (
                ["user", "add", "new@example.org", "--password-file", folder.file("short")], 1,
                "gallery: password must have at least 8 characters"
            ),
            (
                ["user", "add", "host@example.org", "--password-file", folder.file("long")], 1,
                "gallery: there is an account with the address host@example.org already"
            ),
            (
                ["credits", "grant", "nobody@example.org", "5"], 1,
                "gallery: there is no such account: nobody@example.org"
            ),
            (
                ["credits", "grant", "host@example.org", "0"], 1,
                "gallery: credits are granted from 1 to 1000000 at once"
            ),
        ]
        for (words, code, sentence) in cases {
            let said = try run(words, rows)
            #expect(said.code == code, "\(words): \(said.code) \(said.errors)")
            #expect(
                said.errors.contains(sentence) && !said.errors.contains("APIError"),
                "\(words): \(said.errors)")
        }
    }

    @Test("a command that cannot be done says why in a sentence, with and without a server")
    func sentences() async throws { try await aside { try runAll() } }

    private func runAll() throws {
        let folder = try TemporaryFolder()
        let program = try GalleryProgram.shared.get()
        try expectSentences(program.rows, folder)
        let place = try ProgramPlace(storage: nil, environment: [:])
        try folder.write("long enough\n", to: "first")
        let made = try run(
            ["user", "add", "host@example.org", "--password-file", folder.file("first")], place.rows)
        #expect(made.code == 0, "\(made.errors)")
        try expectSentences(place.rows, folder)
        withExtendedLifetime(place) {}
    }

    @Test("a server that may open too few files says so before it begins", arguments: [12, 20, 40, 100])
    func fewFiles(limit: Int) throws {
        let data = try TemporaryFolder()
        let said = try #require(Tool("bash")).run([
            "-c", "ulimit -n \(limit) && exec \"$0\" serve --listen 127.0.0.1:0 --data \"$1\"", Built.gallery,
            data.path,
        ])
        #expect(said.code == 69, "\(said.code): \(said.errors)")
        #expect(said.errors.contains("may have \(limit) files open") && said.errors.contains("ulimit -n"))
        #expect(data.contents().isEmpty, "nothing has been made")
    }
}
