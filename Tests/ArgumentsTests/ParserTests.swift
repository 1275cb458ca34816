import Arguments
import Testing

@Suite struct ParserTests {
    static let spec: CommandSpec = {
        var get = CommandSpec("get", "Fetches files.")
        get.options = [
            OptionSpec("to", "DIR", "Where to."), .flag("all", "Everything."),
            OptionSpec("camera", "HOST", mayRepeat: true, "Which camera."),
            OptionSpec("size", "BYTES", "How large."), OptionSpec("wait", "TIME", "How long."),
        ]
        get.positionals = [
            PositionalSpec("HOST", .one, "The camera."), PositionalSpec("HANDLE", .any, "The files."),
        ]
        get.exclusive = [["all", "size"]]
        get.examples = ["tool get 192.168.1.1 --all"]
        var list = CommandSpec("list", "Lists files.")
        list.positionals = [PositionalSpec("DIR", .upToOne, "Of which folder.")]
        var spec = CommandSpec("tool", "A tool.")
        spec.subcommands = [get, list]
        return spec
    }()

    func run(_ words: String...) throws -> Invocation {
        guard case .run(let invocation) = try Self.spec.parse(words) else { throw UsageError("not run") }
        return invocation
    }

    func complaint(_ words: String...) -> String {
        do {
            return "no complaint about \(try Self.spec.parse(words))"
        } catch {
            return error.description
        }
    }

    @Test("options in both spellings, flags and arguments in any order")
    func order() throws {
        let invocation = try run(
            "get", "--to", "x", "host", "--camera=a=b", "--all", "1", "--camera", "c", "2")
        #expect(invocation.path == ["get"])
        #expect(invocation.value("to") == "x")
        #expect(invocation.all("camera") == ["a=b", "c"])
        #expect(invocation.has("all"))
        #expect(invocation.positionals == ["host", "1", "2"])
        #expect(try run("get", "--", "--to").positionals == ["--to"])
        #expect(try run("get", "-").positionals == ["-"])
        #expect(try run("list").positionals.isEmpty)
    }

    @Test("what is wrong is said with what to do")
    func complaints() {
        #expect(complaint() == "tool needs a command: get, list. See 'tool --help'.")
        #expect(complaint("gte") == "tool has no command 'gte'; did you mean 'get'? See 'tool --help'.")
        #expect(complaint("xyzzy") == "tool has no command 'xyzzy'. See 'tool --help'.")
        #expect(
            complaint("get", "h", "--too", "x")
                == "tool get has no option --too; did you mean '--to'? See 'tool get --help'.")
        #expect(complaint("get", "h", "--to") == "--to needs a value: --to DIR.")
        #expect(complaint("get", "h", "--to", "a", "--to", "b") == "--to is given twice.")
        #expect(complaint("get", "h", "--all=yes") == "--all takes no value.")
        #expect(complaint("get") == "tool get needs HOST: The camera. See 'tool get --help'.")
        #expect(complaint("get", "h", "--all", "--size", "1") == "Only one of --all and --size can be given.")
        #expect(
            complaint("list", "a", "b c")
                == "tool list does not know what to do with 'b c'. See 'tool list --help'.")
    }

    @Test("help says how it is used, with every option and an example")
    func help() throws {
        for words in [["get", "--help"], ["help", "get"], ["get", "x", "-h"]] {
            guard case .help(let text) = try Self.spec.parse(words) else {
                Issue.record("no help for \(words)")
                continue
            }
            #expect(
                text == """
                    Fetches files.

                    usage: tool get [options] HOST [HANDLE …]

                    arguments:
                      HOST    The camera.
                      HANDLE  The files.

                    options:
                      --to DIR       Where to.
                      --all          Everything.
                      --camera HOST  Which camera.
                      --size BYTES   How large.
                      --wait TIME    How long.

                    examples:
                      tool get 192.168.1.1 --all
                    """)
        }
        #expect(try Self.spec.parse(["--version"]) == .version)
    }

    @Test("sizes and times with their units, and nothing else")
    func values() throws {
        let sizes: [(String, UInt64?)] = [
            ("0", 0), ("500", 500), ("1_000_000", 1_000_000), ("500k", 500_000), ("8MiB", 8 << 20),
            ("5GiB", 5 << 30), ("2MB", 2_000_000), ("1TB", 1_000_000_000_000), ("", nil), ("MB", nil),
            ("-1", nil),
            ("1.5MB", nil), ("8mib", nil), ("99999999999999999999", nil), ("20000000TB", nil), ("٣", nil),
        ]
        for (text, value) in sizes { #expect(Values.size(text) == value, "\(text)") }
        let times: [(String, Duration?)] = [
            ("250ms", .milliseconds(250)), ("3s", .seconds(3)), ("2min", .seconds(120)),
            ("1h", .seconds(3600)),
            ("3", nil), ("3 s", nil), ("s", nil),
        ]
        for (text, value) in times { #expect(Values.duration(text) == value, "\(text)") }
    }

    @Test("a value outside its limits is refused with the limits")
    func limits() throws {
        let invocation = try run("get", "h", "--size", "9MiB", "--wait", "2h")
        let size = #expect(throws: UsageError.self) { try invocation.size("size", in: 1...1 << 20) }
        #expect(size?.description == "--size is from 1 to 1048576 bytes, not '9MiB'.")
        #expect(throws: UsageError.self) { try invocation.duration("wait", in: .zero...(.seconds(60))) }
        #expect(throws: UsageError.self) { try invocation.integer("size", in: 0...5) }
        let choice = #expect(throws: UsageError.self) { try invocation.choice("size", of: ["9MB", "huge"]) }
        #expect(choice?.description.contains("did you mean '9MB'?") == true)
        #expect(try invocation.integer("to", in: 0...5) == nil)
    }

    @Test("the nearest word is one that could have been meant")
    func nearest() {
        #expect(Nearest.to("hold-akc", among: ["hold-ack", "probe"]) == "hold-ack")
        #expect(Nearest.to("zzzzzz", among: ["hold-ack", "probe"]) == nil)
        #expect(Nearest.to("", among: ["a"]) == "a")
    }

    @Test("a misspelt value is refused with the word that was meant, for options and for arguments")
    func misspelt() {
        var spec = CommandSpec("tool", "A tool.")
        spec.options = [
            OptionSpec("take", "KINDS", "What.", .oneOf(["both", "jpeg"])),
            OptionSpec("since", "WHEN", "When.", .words(["session", "all"])),
        ]
        spec.positionals = [
            PositionalSpec("DIR", .one, "Where."),
            PositionalSpec("SHELL", .any, "Which.", .oneOf(["bash", "zsh"])),
        ]
        func complaint(_ words: String...) -> String? {
            do {
                _ = try spec.parse(words)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(
            complaint("x", "--take", "bth") == "--take is one of both, jpeg, not 'bth'; did you mean 'both'?")
        #expect(complaint("x", "--take=xyzzy") == "--take is one of both, jpeg, not 'xyzzy'.")
        #expect(complaint("x", "bash", "zhs") == "SHELL is one of bash, zsh, not 'zhs'; did you mean 'zsh'?")
        // Where other words may be meant, too, none is refused here.
        #expect(complaint("xyzzy", "zsh", "--since", "yesterday", "--take", "jpeg") == nil)
    }

    @Test("an example that would be refused is found, and a command without one")
    func examples() {
        #expect(Self.spec.unusableExample() == "'tool list' has no example.")
        func problem(_ examples: String...) -> String? {
            var spec = CommandSpec("tool", "A tool.")
            spec.options = [OptionSpec("to", "DIR", "Where to.")]
            spec.positionals = [PositionalSpec("NAME", .one, "Which.")]
            spec.examples = examples
            return spec.unusableExample()
        }
        #expect(
            problem("tool 'Ann and Bob' --to x", "tool a > b", "tool \"a b\" | sort", "tool a # why") == nil)
        #expect(problem("tool a", "tool Ann and Bob")?.contains("does not know what to do with") == true)
        #expect(problem("tool > a")?.contains("needs NAME") == true)
        #expect(problem("tool a --too b")?.contains("did you mean '--to'") == true)
        #expect(problem("other a")?.contains("no example of 'tool'") == true)
        #expect(problem("tool --help")?.contains("only asks for help") == true)
    }

    @Test("what is written of a size or a time is read as the same")
    func written() {
        for size in [0, 1, 999, 1024, 500_000, 8 << 20, 3 << 30, 1 << 50, UInt64.max] {
            #expect(Values.size(Values.text(ofSize: size)) == size, "\(Values.text(ofSize: size))")
        }
        #expect(Values.text(ofSize: 8 << 20) == "8MiB" && Values.text(ofSize: 1500) == "1500")
        for milliseconds in [0, 1, 250, 1000, 1500, 60_000, 90_000, 3_600_000, 86_400_000, 90_000_000] {
            let time = Duration.milliseconds(milliseconds)
            #expect(Values.duration(Values.text(of: time)) == time, "\(Values.text(of: time))")
        }
        #expect(Values.text(of: .seconds(21_600)) == "6h" && Values.text(of: .seconds(90)) == "90s")
    }

    @Test("what a program says of itself is asked for in words where it has commands, else in options")
    func itself() throws {
        var spec = Self.spec
        spec.subcommands[1].examples = ["tool list"]
        spec.describeItself()
        for words in [["completions", "zsh"], ["man"], ["help", "exit-codes"]] {
            guard case .help(let text) = try spec.parse(words), text.contains("tool") || words[0] == "help"
            else {
                Issue.record("nothing for \(words)")
                continue
            }
        }
        #expect(throws: UsageError.self) { try spec.parse(["completions", "tcsh"]) }
        var single = CommandSpec("single", "A tool.")
        single.examples = ["single"]
        single.describeItself()
        for words in [["--completions", "fish"], ["--man"]] {
            guard case .help(let text) = try single.parse(words), text.contains("single") else {
                Issue.record("nothing for \(words)")
                continue
            }
        }
    }
}
