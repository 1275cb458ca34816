import Basics
import TestSupport
import Testing

/// What a command prints: nothing but what goes wrong where that is wanted, and JSON wherever something is read.
@Suite struct QuietCommandTests {
    /// Every command without commands below it, with its help.
    private static func commands(_ tool: Tool, _ path: [String] = []) throws -> [(
        words: String, help: String
    )] {
        let help = try tool.run(path + ["--help"])
        #expect(help.code == 0, "\(path): \(help.errors)")
        guard let table = help.text.firstRange(of: "\ncommands:\n")?.upperBound else {
            return [(path.joined(separator: " "), help.text)]
        }
        let rows = help.text[table...].split(separator: "\n", omittingEmptySubsequences: false).prefix {
            !$0.isEmpty
        }
        // What goes on below its name's column begins further in.
        let names = rows.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(!names.isEmpty, "\(path)")
        return try names.flatMap { try commands(tool, path + [$0]) }
    }

    /// These change something, and say that it is done.
    private static let acting: Set<String> = [
        "run", "redeliver", "retry", "cancel", "pause", "resume", "login", "register", "logout",
        "store backup",
        "destination add", "destination replace", "destination remove", "camera get", "camera add",
        "camera remove",
        "config set", "config unset", "events create", "events select", "events close", "events take",
        "events decline", "photo rate", "photo caption", "photo tag", "photo album", "photo hide",
        "photo unhide", "cache clear",
    ]
    /// What they print has a form of its own: figures, JSON in any case, a shell's words, a page, a screen, a conversation.
    private static let formats: Set<String> = [
        "metrics", "store export", "completions", "man", "watch", "setup",
    ]

    @Test("every command that reads has --json, and every one that acts has --quiet")
    func audit() throws {
        let commands = try Self.commands(try #require(Tool(Built.tetherline)))
        #expect(commands.count > 40)
        for (words, help) in commands where !Self.formats.contains(words) {
            let isActing = Self.acting.contains(words)
            #expect(help.contains("\n  --quiet ") == isActing, "\(words)")
            if !isActing { #expect(help.contains("\n  --json "), "\(words)") }
        }
        #expect(Self.acting.subtracting(commands.map(\.words)).isEmpty)
    }

    @Test("-q leaves out what was done and keeps what goes wrong, with the same exit codes")
    func quiet() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let run = try person.runOnce([camera], "-q")
        #expect(run.code == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.text) \(run.errors)")
        #expect(try person.arrived().count == 2)
        for words in [["pause", "-q"], ["retry", "--failed", "--quiet"], ["resume", "-q"]] {
            let done = try person.run(words)
            #expect(done.code == 0 && done.output.isEmpty && done.errors.isEmpty, "\(words): \(done.text)")
        }
        #expect(try person.run("status", "--json").text.contains(#""paused":false"#))
        let wrong = try person.run("cancel", "999", "-q")
        #expect(wrong.code == 1 && wrong.output.isEmpty && wrong.errors.contains("not cancelled: 999"))
        #expect(try person.run("pause", "-q", "--nothing").code == 64)
        #expect(try person.run("status", "-q").code == 64, "what is asked for is printed")
        #expect(try person.run("destination", "add", "file:///tmp/x", "-q", "--json").code == 64)
    }

    @Test("a recording is told as JSON, too, line by line the same")
    func explained() throws {
        let person = try Operator()
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let file = person.folder.file("session.pcap")
        #expect(try person.run("camera", "info", camera.address, "--record", file).code == 0)
        let text = try person.run("camera", "explain", file)
        let json = try person.run("camera", "explain", file, "--json")
        #expect(text.code == 0 && json.code == 0 && !text.lines.isEmpty, "\(text.errors)")
        let told = try json.lines.map { try JSON5.parse($0) }
        #expect(told.compactMap { $0["text"]?.string } == text.lines)
        #expect(told.allSatisfy { $0["conversation"]?.integer == 1 })
    }
}
