import TestSupport
import Testing

/// What the programs say of themselves to shells and to `man`, judged by those.
@Suite struct DescribedTests {
    static let programs = PromisedCommandTests.programs

    private func script(_ program: String, for shell: String, in folder: TemporaryFolder) throws -> String {
        let words = program == "camsim" ? ["--completions", shell] : ["completions", shell]
        let written = try #require(Tool(Built.program(program))).run(words)
        #expect(written.code == 0, "\(written.errors)")
        try folder.write(written.output, to: "\(program).\(shell)")
        return folder.file("\(program).\(shell)")
    }

    // MARK: bash

    /// What bash offers for the last of the words.
    private func bash(_ words: [String], in folder: TemporaryFolder) throws -> [String] {
        let path = try script(words[0], for: "bash", in: folder)
        let line = """
            set -u; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            read -r _ _ function _ < <(complete -p "$1"); "$function"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try #require(Tool("bash")).run(["-c", line, "bash", path] + words, in: folder.path)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        return result.lines
    }

    private static let asked: [([String], [String])] = [
        (["tetherline", "ru"], ["run"]), (["tetherline", "camera", "exp"], ["explain"]),
        (["tetherline", "run", "--keep-d"], ["--keep-duplicates"]),
        (["tetherline", "run", "--once", "--take", "jpeg-"], ["jpeg-first"]),
        (["tetherline", "config", "set", "transfer.ta"], ["transfer.take"]),
        // The value of an option is no command, and no argument.
        (["tetherline", "config", "set", "--home", "config", "spool.r"], ["spool.reserve"]),
        (["tetherline", "jobs", "--state", "failedP"], ["failedPermanent"]),
        (["tetherline", "store", "backup", "a fi"], ["a file"]),
        (["tetherline", "camera", "get", "h", "--to", "a fo"], ["a folder"]),
        (["gallery", "serve", "--registration", "inv"], ["invite"]),
        (["gallery", "completions", "z"], ["zsh"]),
        (["camsim", "--model", "nikon-d"], ["nikon-d7200"]), (["camsim", "--faul"], ["--faults"]),
    ]

    private func place() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        folder.makeFolder("a folder")
        try folder.write("", to: "a file")
        return folder
    }

    @Test("bash completes commands, options, words, files and folders", arguments: asked)
    func bash(words: [String], offered: [String]) throws {
        #expect(try bash(words, in: place()) == offered)
    }

    @Test("bash completes behind an equals sign, and offers nothing where nothing can be known")
    func bashOdd() throws {
        let folder = try place()
        #expect(try bash(["tetherline", "run", "--take", "=", "jpeg-"], in: folder) == ["jpeg-first"])
        #expect(
            try bash(["tetherline", "run", "--take", "="], in: folder) == [
                "both", "jpeg", "raw", "jpeg-first",
            ])
        #expect(try bash(["tetherline", "run", "--event", "a"], in: folder).isEmpty)
        #expect(try bash(["tetherline", "camera", "get", "--to", "a folder"], in: folder) == ["a folder"])
    }

    // MARK: fish and zsh

    @Test(
        "fish completes the same", .enabled(if: Tool.isThere("fish"), "fish is not installed: tools/setup"),
        arguments: asked)
    func fish(words: [String], offered: [String]) throws {
        let folder = try place()
        let path = try script(words[0], for: "fish", in: folder)
        let line = words.map { $0.replacing(" ", with: "\\ ") }.joined(separator: " ")
        let result = try #require(Tool("fish")).run(
            ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", path, line], in: folder.path,
            environment: ["HOME": folder.path])
        #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
        let found = result.lines.map { line in
            let word = line.split(separator: "\t").first.map(String.init) ?? ""
            return word.hasSuffix("/") ? String(word.dropLast()) : word
        }
        #expect(found == offered)
    }

    /// A terminal of its own, because zsh completes in its line editor only: the line as Tab leaves it.
    private static let terminal = """
        zmodload zsh/zpty
        zpty z "zsh -f -i"
        zpty -w z "PS1=; PS2=; autoload -Uz compinit; compinit -D -u; source ${(q)1}; cd ${(q)2}"
        zpty -w z "show() { print -r -- \\"<LINE>\\$BUFFER<END>\\"; zle kill-buffer; zle -R }"
        zpty -w z "zle -N show; bindkey '^X' show; bindkey '^I' complete-word; setopt no_auto_menu; print -r READ''Y"
        zpty -r z seen '*READY*' || exit 3
        zpty -n -w z "$3"$'\\t\\x18'
        zpty -r z seen '*<END>*' || exit 4
        print -r -- "$seen"
        zpty -d z
        """

    @Test(
        "zsh completes the same", .enabled(if: Tool.isThere("zsh"), "zsh is not installed: tools/setup"),
        arguments: asked)
    func zsh(words: [String], offered: [String]) throws {
        let folder = try place()
        let path = try script(words[0], for: "zsh", in: folder)
        let escaped = words.map { $0.replacing(" ", with: "\\ ") }
        let shell = try #require(Tool("timeout"))
        let result = try shell.run(
            [
                "20", "zsh", "-f", "-c", Self.terminal, "zsh", path, folder.path,
                escaped.joined(separator: " "),
            ],
            environment: ["HOME": folder.path, "TERM": "dumb"])
        #expect(result.code == 0, "\(result.errors)")
        let begin = try #require(result.text.ranges(of: "<LINE>").last).upperBound
        let rest = result.text[begin...]
        let line = rest[..<(try #require(rest.firstRange(of: "<END>")).lowerBound)]
        let wanted = (escaped.dropLast() + offered.map { $0.replacing(" ", with: "\\ ") }).joined(
            separator: " ")
        #expect(line.reversed().drop { $0 == " " || $0 == "/" || $0 == "=" }.reversed() == Array(wanted))
    }

    // MARK: Manuals

    private func manual(_ program: String) throws -> Tool.Output {
        try #require(Tool(Built.program(program))).run([program == "camsim" ? "--man" : "man"])
    }

    @Test(
        "every command has an example, and its program takes each: otherwise there is no manual",
        arguments: programs)
    func examples(program: String) throws {
        let manual = try manual(program)
        #expect(manual.code == 0, "\(manual.errors)")
    }

    @Test(
        "mandoc finds nothing to say against a manual, and shows what is in the helps",
        .enabled(if: Tool.isThere("mandoc"), "mandoc is not installed: tools/setup"), arguments: programs)
    func mandoc(program: String) throws {
        let mandoc = try #require(Tool("mandoc"))
        let page = try manual(program).output
        let lint = try mandoc.run(["-T", "lint", "-W", "style"], input: page)
        #expect(lint.code == 0 && lint.text.isEmpty && lint.errors.isEmpty, "\(lint.text)\(lint.errors)")
        let text = try mandoc.run(["-T", "ascii", "-O", "width=200"], input: page).text
        // Bold is a letter struck twice there.
        var plain = ""
        for character in text.unicodeScalars {
            if character == "\u{8}" {
                plain.unicodeScalars.removeLast()
            } else {
                plain.unicodeScalars.append(character)
            }
        }
        for part in ["EXIT STATUS", "ENVIRONMENT", "78"] {
            #expect(plain.contains(part), "\(part)")
        }
        let help = try #require(Tool(Built.program(program))).run(["--help"])
        for line in help.lines.drop(while: { !$0.hasPrefix("commands") }).dropFirst()
        where line.hasPrefix("  ") {
            let name = line.split(separator: " ").first ?? ""
            #expect(plain.contains("\(program) \(name)"), "\(name)")
        }
    }

    @Test(
        "exit codes are said in one place, and are those of sysexits.h", arguments: ["tetherline", "gallery"])
    func exitCodes(program: String) throws {
        let result = try #require(Tool(Built.program(program))).run(["help", "exit-codes"])
        #expect(result.code == 0)
        let said = Set(result.lines.compactMap { Int($0.split(separator: " ").first ?? "") })
        let header = String(decoding: try readFile("/usr/include/sysexits.h"), as: UTF8.self)
        let named = header.matches(of: /#define EX_[A-Z]+\s+(\d+)/).compactMap { Int($0.1) }
        #expect(said.subtracting(named) == [1, 130])
    }
}
