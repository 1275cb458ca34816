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
}
