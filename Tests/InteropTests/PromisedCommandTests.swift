import Glibc
import TestSupport
import Testing

/// What the README and the helps show as a command line is one.
@Suite struct PromisedCommandTests {
    private static let readme =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/README.md"
    static let programs = ["tetherline", "camsim", "gallery"]

    /// Asks for the command's help behind everything else: an option that is not known comes first and is refused.
    private func expectKnown(_ line: String, in place: String) throws {
        let commented = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let command = try #require(commented.first).split(separator: ">").first.map(String.init) ?? ""
        let shell = try #require(Tool("bash"))
        let functions = Self.programs.map { "\($0)() { \"\(Built.program($0))\" \"$@\"; }" }.joined(
            separator: "; ")
        let result = try shell.run(["-c", "\(functions); \(command) --help"])
        #expect(result.code == 0, "\(place): \(line)\n\(result.errors)")
    }

    @Test("every command line of the README is one that its program knows")
    func readme() throws {
        let text = String(decoding: try readFile(Self.readme), as: UTF8.self)
        var isShell = false
        var pending = ""
        var count = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isShell = line == "```sh"
                continue
            }
            guard isShell else { continue }
            pending += line.hasSuffix("\\") ? line.dropLast() : line
            if line.hasSuffix("\\") { continue }
            let command = pending.replacing(".build/release/", with: "")
            pending = ""
            guard Self.programs.contains(where: { command.hasPrefix("\($0) ") }) else { continue }
            count += 1
            try expectKnown(command, in: "README.md")
        }
        #expect(count > 20)
    }

    @Test("every example in a help is a command line that its program knows", arguments: programs)
    func helps(program: String) throws {
        var count = 0
        var open: [[String]] = [[]]
        while let path = open.popLast() {
            let tool = try #require(Tool(Built.program(program)))
            let help = try tool.run(path + ["--help"])
            #expect(help.code == 0)
            var section = ""
            for line in help.lines {
                if !line.hasPrefix(" ") { section = line }
                let words = line.split(separator: " ").map(String.init)
                guard line.hasPrefix("  "), let first = words.first else { continue }
                if section.hasPrefix("examples"), first == program {
                    count += 1
                    try expectKnown(
                        words.joined(separator: " "), in: "\(program) \(path.joined(separator: " ")) --help")
                }
                if section.hasPrefix("commands"), !line.hasPrefix("   ") { open.append(path + [first]) }
            }
        }
        #expect(count > 0 || program == "camsim")
    }
}
