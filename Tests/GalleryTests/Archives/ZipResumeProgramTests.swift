import Basics
import Glibc
import TestSupport
import Testing

/// A download that was cut goes on, by a program of others, and what came of it is unpacked by two others.
@Suite(
    .enabled(
        if: Tool.isThere("convert") && Tool.isThere("curl") && Tool.isThere("unzip")
            && Tool.isThere("python3"),
        "ImageMagick, curl, unzip or python3 is not installed"))
struct ZipResumeProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a ZIP that was cut is gone on with by curl, after the server was started again as well")
    func cut() async throws { try await aside { try resume() } }

    private func resume() throws {
        let program = try GalleryProgram()
        for number in 1...3 {
            let path = folder.file("photo.jpg")
            let made = try #require(Tool("convert")).run([
                "-size", "\(500 + 100 * number)x600", "-seed", "\(number)", "plasma:", "-quality", "92", path,
            ])
            #expect(made.code == 0, "\(made.errors)")
            #expect(try program.bring(readFile(path)).status == "completed")
        }
        let link = try program.ask("POST", "/events/\(program.event)/zip-link")
        let url = try #require(link["url"]?.string, "\(link.text)")
        #expect(try get(url, "whole.zip") == "200 0")
        let whole = try readFile(folder.file("whole.zip"))
        try #require(whole.count > 100_000, "\(whole.count)")
        // In the first photo, in the last one, and in what lists them.
        for kept in [10_000, whole.count - 20_000, whole.count - 40] { try goOn(url, from: kept, whole) }

        program.end()
        let portFile = folder.file("port")
        let again = try Daemon(
            Built.gallery,
            ["serve", "--listen", "127.0.0.1:0", "--port-file", portFile] + program.serving,
            environment: program.environment, isLeashed: true)
        defer { again.letGo() }
        while access(portFile, R_OK) != 0 { sched_yield() }
        let port = String(decoding: try readFile(portFile), as: UTF8.self).filter(\.isNumber)
        try goOn(url.replacing(":\(program.port)/", with: ":\(port)/"), from: whole.count / 2, whole)
    }

    private func goOn(_ url: String, from kept: Int, _ whole: [UInt8]) throws {
        try folder.write(Array(whole.prefix(kept)), to: "cut.zip")
        #expect(try get(url, "cut.zip", ["-C", "-"]) == "206 0")
        let path = folder.file("cut.zip")
        #expect(try readFile(path) == whole, "gone on from \(kept)")
        let test = try #require(Tool("unzip")).run(["-t", path])
        #expect(test.code == 0 && test.text.contains("No errors detected"), "\(test.text) \(test.errors)")
        let python = try #require(Tool("python3")).run(["-m", "zipfile", "-t", path])
        #expect(python.code == 0 && !python.text.contains("corrupted"), "\(python.text) \(python.errors)")
    }

    /// The status, and curl's exit code.
    private func get(_ url: String, _ name: String, _ options: [String] = []) throws -> String {
        try #require(Tool("curl")).run(
            ["-s", "-o", folder.file(name), "-w", "%{http_code} %{exitcode}"] + options + [url]
        ).text
    }
}
