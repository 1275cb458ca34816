import Arguments
import Basics
import Bridge
import Posix
import Store

/// `events close`, `events take` and `events decline`: what is taken into an event at this bridge. They need no log-in and no
/// network, and change nothing at a gallery.
struct EventWindowCommands {
    static let names: Set<String> = ["close", "take", "decline"]

    private static let home = OptionSpec(
        "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")

    static let specs: [CommandSpec] = {
        var close = CommandSpec("close", "Stops downloading photos into an event at this bridge.")
        close.discussion = [
            "What was shot until now arrives; what is shot from now on stays in the camera. A bridge that runs goes on delivering. "
                + "The next run of the event begins it anew: what is shot until then belongs to it neither way.",
            "Nothing changes at a gallery, and neither a log-in nor a network is needed.",
        ]
        close.positionals = [PositionalSpec("EVENT", .upToOne, "Its id or its name. [the one that is open]")]
        close.options = [home]
        close.examples = ["tetherline events close", "tetherline events close Wedding"]
        var take = CommandSpec("take", "Downloads what was shot while no bridge ran for a long time.")
        take.positionals = [PositionalSpec("EVENT", .upToOne, "Its id or its name. [the one that is open]")]
        take.options = [home]
        take.examples = ["tetherline events take"]
        var decline = CommandSpec(
            "decline", "Leaves on the card what was shot while no bridge ran for a long time.")
        decline.discussion = [
            "'tetherline events take' downloads it all the same, as long as it is on the cards."
        ]
        decline.positionals = take.positionals
        decline.options = [home]
        decline.examples = ["tetherline events decline"]
        return [close, take, decline]
    }()

    private let home: Home
    private let what: String
    private let wanted: String?

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        what = invocation.path.last ?? ""
        wanted = invocation.positionals.first
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let event = try event()
        switch what {
        case "close": return try await close(event, on: reactor)
        case "take": return try await decide(.taken, event, on: reactor)
        default: return try await decide(.declined, event, on: reactor)
        }
    }

    private func event() throws -> BridgeEvent {
        try home.reader().requireChosenEvent(wanted)
    }

    private func close(_ event: BridgeEvent, on reactor: Reactor) async throws -> ExitCode {
        let answer = try await CommandRouter.perform(
            [(key: "command", value: "closeEvent"), (key: "event", value: .string(event.id))], in: home,
            on: reactor
        ) { ledger in ["closed": .bool(try await ledger.closeWindow(of: event))] }
        guard answer["closed"]?.bool == true else {
            printError(
                "tetherline: '\(Visible(event.name))' is not open here; 'tetherline events list' shows which one is."
            )
            return .failure
        }
        printOutput(
            "closed: '\(Visible(event.name))'. What is shot from now on stays in the camera; what is here is delivered."
        )
        return .success
    }

    private func decide(
        _ verdict: EventAbsence.Verdict, _ event: BridgeEvent, on reactor: Reactor
    ) async throws -> ExitCode {
        let answer = try await CommandRouter.perform(
            [
                (key: "command", value: "decideAbsence"), (key: "event", value: .string(event.id)),
                (key: "verdict", value: .string(verdict.rawValue)),
            ], in: home, on: reactor
        ) { ledger in ["known": .integer(Int64(try await ledger.decide(verdict, of: event)))] }
        let known = answer["known"]?.integer ?? 0
        let photos = "\(known) photos of '\(Visible(event.name))' that were shot while no bridge ran"
        printOutput(
            verdict == .taken
                ? "\(photos) are downloaded when their camera is connected"
                : "\(photos) are left on their cards")
        return .success
    }
}
