import Glibc
import TestSupport
import Testing

/// What the documents and the helps show as a command line is one.
@Suite struct PromisedCommandTests {
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

    @Test("every command line of a document is one that its program knows")
    func documents() throws {
        var count = 0
        for document in Documents.paths {
            for command in Self.commands(in: try Documents.text(document)) {
                count += 1
                try expectKnown(command, in: document)
            }
        }
        #expect(count > 60)
    }

    /// What blocks of shell hold for our programs, each in one line.
    private static func commands(in text: String) -> [String] {
        var isShell = false
        var pending = ""
        var commands: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isShell = line == "```sh"
                continue
            }
            guard isShell else { continue }
            pending += line.hasSuffix("\\") ? line.dropLast() : line
            if line.hasSuffix("\\") { continue }
            commands.append(pending.replacing(".build/release/", with: ""))
            pending = ""
        }
        return commands.filter { command in programs.contains { command.hasPrefix("\($0) ") } }
    }

    @Test(
        "a program's command reference is what its helps print; TETHERLINE_REWRITE=1 writes it anew",
        arguments: programs)
    func references(program: String) throws {
        let tool = try #require(Tool(Built.program(program)))
        var text = """
            # Command reference of \(program)

            Every command of `\(program)` with its arguments and options.

            ## Overview

            These are the texts that `--help` prints behind each command. A test compares them with the program.

            """
        var open: [[String]] = [[]]
        while let path = open.popLast() {
            let help = try tool.run(path + ["--help"])
            try #require(help.code == 0)
            text += "\n### \(([program] + path).joined(separator: " "))\n\n```text\n\(help.text)```\n"
            open += Self.commands(below: path, in: help.lines).reversed()
        }
        let path = "Sources/\(program)/\(program).docc/CommandReference.md"
        if getenv("TETHERLINE_REWRITE") != nil { try Documents.write(text, to: path) }
        let isSame = try Documents.text(path) == text
        #expect(
            isSame,
            "\(path) is out of date: TETHERLINE_REWRITE=1 tools/test InteropTests.PromisedCommandTests")
    }

    private static func commands(below path: [String], in help: [String]) -> [[String]] {
        let section = help.drop { !$0.hasPrefix("commands") }.dropFirst().prefix { $0.hasPrefix(" ") }
        return section.filter { !$0.hasPrefix("   ") }.compactMap { line in
            line.split(separator: " ").first.map { path + [String($0)] }
        }
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
