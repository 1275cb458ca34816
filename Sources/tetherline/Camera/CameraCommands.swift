import Arguments
import Bridge
import Camera
import Posix
import Store

/// `tetherline camera …`: one camera, looked at directly.
enum CameraCommands {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "camera", "Finds cameras, looks at one, or at a recorded conversation with one.")
        spec.subcommands = [
            DiscoverCommand.spec,
            info,
            command("ls", "Every file on the cards."),
            get,
            thumb,
            command("events", "What the camera tells by itself, as it comes, until Ctrl-C."),
            explain,
        ]
        spec.subcommands += HomeCameraCommands.specs
        return spec
    }()

    private static let host = PositionalSpec(
        "HOST", .one, "The camera's address, HOST or HOST:PORT; the port is 15740 unless given.")

    private static func command(_ name: String, _ summary: String) -> CommandSpec {
        var spec = CommandSpec(name, summary)
        spec.positionals = [host]
        spec.options = [.flag("json", "Print JSON, one value a line.")] + ConnectionOptions.specs
        spec.examples = ["tetherline camera \(name) 192.168.1.1"]
        return spec
    }

    private static let info: CommandSpec = {
        var spec = command("info", "What the camera is and what cards it holds.")
        spec.options.append(
            OptionSpec(
                "report", "FILE",
                "Write a report for the makers of Tetherline, and FILE.pcap beside it with a recording of the greeting; both without serial numbers, names and dates."
            ))
        return spec
    }()

    private static let get: CommandSpec = {
        var spec = command("get", "Fetches files, keeping the camera's folders and names.")
        spec.discussion = [
            "A file appears under its name only when it is whole. What was cut off is kept beside it under a hidden "
                + "name and gone on with when the command is run again. What is there already is not fetched again, and nothing is ever overwritten."
        ]
        spec.positionals += [
            PositionalSpec("HANDLE", .any, "The files' handles as 'ls' shows them, or --all.")
        ]
        spec.options += [
            .flag("all", "Every file on the cards."),
            OptionSpec("to", "DIR", "Where to; made if it is missing. [.]"),
            OptionSpec(
                "part", "BYTES",
                "Fetch in parts of this size instead of whole files: for cameras that stall on large ones."),
            .flag("no-hash", "Do not compute SHA-256."),
            .flag(
                "no-sync",
                "Leave it to the system when files reach the disk: faster, and not safe against a power cut."),
            OptionSpec("retry", "TIME", "How long to try to reach a lost camera again. [60s]"),
            OptionSpec("limit", "BYTES", "No file larger than this is fetched. [64GiB]"),
            .flag("stats", "Print peak memory and processor time at the end."),
        ]
        spec.examples = [
            "tetherline camera get 192.168.1.1 --all --to wedding",
            "tetherline camera get 192.168.1.1:15740 0x00010003 0x00010004",
        ]
        return spec
    }()

    private static let thumb: CommandSpec = {
        var spec = command("thumb", "Fetches the small picture of a file.")
        spec.positionals.append(PositionalSpec("HANDLE", .one, "The file's handle as 'ls' shows it."))
        spec.options.append(OptionSpec("to", "FILE", "Where to; standard output unless given."))
        spec.examples = ["tetherline camera thumb 192.168.1.1 0x00010003 --to small.jpg"]
        return spec
    }()

    private static let explain: CommandSpec = {
        var spec = CommandSpec(
            "explain", "A recorded conversation as text: one line a packet, with datasets.")
        spec.positionals = [PositionalSpec("FILE", .one, "A pcap or pcapng file: ours, or tcpdump's.")]
        spec.options = [.flag("json", "Print JSON, one value a line.")]
        spec.examples = ["tetherline camera explain session.pcap"]
        return spec
    }()

    static func run(_ invocation: Invocation, _ reactor: Reactor) async throws -> ExitCode {
        if invocation.path.last == "explain" { return try ExplainRecordingCommand(invocation).run() }
        if invocation.path.last == "discover" {
            return try await DiscoverCommand(invocation).run(on: reactor)
        }
        if let name = invocation.path.last, HomeCameraCommands.names.contains(name) {
            return try await HomeCameraCommands(invocation).run(on: reactor)
        }
        let options = try ConnectionOptions(invocation)
        defer { options.finishRecording() }
        try await TetheredElsewhere.check(options.host, Home(invocation.value("home")), on: reactor)
        switch invocation.path.last {
        case "info":
            return try await InfoCommand(options, report: invocation.value("report")).run(on: reactor)
        case "ls": return try await ListCommand(options).run(on: reactor)
        case "get": return try await GetCommand(options, invocation).run(on: reactor)
        case "thumb": return try await ThumbCommand(options, invocation).run(on: reactor)
        case "events": return try await EventsCommand(options).run(on: reactor)
        default: preconditionFailure("the parser knows no other commands")
        }
    }

    /// What 'ls' shows, in the camera's own words: `0x00010003`.
    static func reference(_ text: String) throws(UsageError) -> PhotoReference {
        guard let reference = GenericConnector.reference(text) else {
            throw UsageError("'\(text)' is no handle; 'tetherline camera ls' shows them, such as 0x00010003.")
        }
        return reference
    }
}
