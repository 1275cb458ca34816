import TestSupport
import Testing

@testable import Gallery

/// `gallery serve` that is told of another place than the photos of its database lie in.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"),
    .enabled(if: Tool.isThere("convert")))
struct OtherStorageTests {
    @Test("it does not start, and names the place; nor where all are lost, unless that is said")
    func elsewhere() async throws { try await aside { try serveElsewhere() } }

    @Test(
        "nodes with other places are told so before there is any photo",
        .enabled(if: PostgresServer.isWanted, "of nodes that share a database"))
    func elsewhereFromTheStart() async throws {
        try await aside {
            let store = try SeaweedFS.shared.get()
            let bucket = try store.makeBucket()
            let program = try GalleryProgram(
                ["--storage", "s3://\(bucket)/photos"], environment: store.environment)
            let folder = try TemporaryFolder()
            // Its rows, and a folder of its own.
            let rows = program.rows.map { $0 == program.data ? folder.file("data") : $0 }
            let other = try Daemon(
                Built.gallery,
                ["serve", "--listen", "127.0.0.1:0", "--storage", "s3://\(bucket)/photoz"] + rows,
                environment: store.environment, isLeashed: true)
            let sentence = try other.wait(for: "lacks the mark (gallery-mark)")
            other.letGo()
            #expect(sentence.contains("s3://\(bucket)/photoz"), "\(sentence)")
        }
    }

    private func serveElsewhere() throws {
        let store = try SeaweedFS.shared.get()
        let (bucket, folder) = (try store.makeBucket(), try TemporaryFolder())
        let program = try GalleryProgram(
            ["--storage", "s3://\(bucket)/photos"], environment: store.environment)
        let path = folder.file("a.jpg")
        let made = try #require(Tool("convert")).run(["-size", "900x600", "plasma:", path])
        #expect(made.code == 0, "\(made.errors)")
        #expect(try program.bring(try readFile(path)).status == "completed")
        program.end()
        func serve(_ words: [String]) throws -> Daemon {
            try Daemon(
                Built.gallery,
                ["serve", "--listen", "127.0.0.1:0", "--workers", "1"] + program.rows + words,
                environment: store.environment, isLeashed: true)
        }
        let wrong = ["--storage", "s3://\(bucket)/photoz"]
        let refused = try serve(wrong)
        let sentence = try refused.wait(for: "do not lie in s3://\(bucket)/photoz")
        refused.letGo()
        #expect(sentence.contains("Is --storage the place"), "\(sentence)")
        #expect(sentence.contains("gallery check"), "\(sentence)")
        #expect(!refused.output.contains { $0.contains("everything in") })
        if !PostgresServer.isWanted {
            let folder = try serve([])
            try folder.wait(for: "do not lie in \(program.data)/objects")
            folder.letGo()
        }
        let started = [
            ["--storage", "s3://\(bucket)/photos"],
            // One that cannot be asked is another matter: /ready tells of it.
            ["--storage", "s3://nobodys-bucket/photos"], wrong + ["--objects-are-lost"],
        ]
        for words in started {
            let node = try serve(words)
            try node.wait(for: "everything in")
            node.letGo()
        }
    }
}
