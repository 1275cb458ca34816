import TestSupport
import Testing

@testable import Gallery

/// `gallery top`, as an operator looks at nodes with it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TopProgramTests {
    private func top(_ addresses: String...) async throws -> Tool.Output {
        let tool = try #require(Tool(Built.gallery))
        return try await aside { [addresses] in try tool.run(["top", "--once"] + addresses) }
    }

    @Test("a line for each node has what it is at, and for one that does not answer, why")
    func nodes() async throws {
        let program = try await aside { try GalleryProgram() }
        let stream = try Wire(program.port)
        let head = Wire.head(
            "GET", "/events/\(program.event)/live", [("Authorization", "Bearer \(program.token)")])
        stream.send(Array(head.utf8))
        #expect(stream.hears(within: 10_000))
        let (up, down) = ("http://127.0.0.1:\(program.port)", "http://127.0.0.1:\(try FreePort.next())")
        let run = try await top(up, down)
        // It listened all the while.
        stream.endSending()
        #expect(run.code == 0, "\(run.errors)")
        try #require(run.lines.count == 4, "\(run.text)")
        let names = run.lines[0].split(separator: "  ").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        #expect(names.prefix(4) == ["node", "requests/s", "photos/min", "streams"], "\(run.text)")
        let cells = run.lines[1].split(separator: " ").map(String.init)
        #expect(cells[0] == program.node ?? up && cells[2] == "0" && cells[3] == "1", "\(run.text)")
        // Its own first look.
        #expect(Double(cells[1]).map { $0 > 0 } == true, "\(run.text)")
        #expect(run.lines[2].split(separator: " ").prefix(2) == [Substring(down), "–"], "\(run.text)")
        // Below, so that a long reason leaves the columns where they are.
        #expect(run.lines[3].hasPrefix("\(down) does not answer: "), "\(run.text)")
        #expect(run.lines[0].count < 130, "\(run.text)")
    }

    @Test("a node that does not tell this machine says by which option it would")
    func refused() async throws {
        let program = try await aside { try GalleryProgram(["--trusted-proxy", "127.0.0.1"]) }
        let run = try await top("http://127.0.0.1:\(program.port)")
        #expect(run.code == 0 && run.text.contains("--metrics-from"), "\(run.text) \(run.errors)")
    }

    @Test("no address, or one that is none, is said")
    func unreadable() async throws {
        let tool = try #require(Tool(Built.gallery))
        let none = try tool.run(["top", "--once"])
        #expect(none.code == 64 && none.errors.contains("http://10.0.0.11:8080"), "\(none.errors)")
        let wrong = try tool.run(["top", "--once", "node-a"])
        #expect(wrong.code == 64 && wrong.errors.contains("node-a"), "\(wrong.errors)")
    }
}
