import Arguments
import Basics
import Bridge
import Console
import Posix
import Store

/// `tetherline status`: how the bridge is, in a screen.
struct StatusCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "status", "How many photos are queued, uploading, there, and what waits for you.")
        spec.discussion = [
            "Works while a bridge runs and when none does. A bridge that gives no answer is left alone, and its ledger is read.",
            "On a terminal lines are wrapped and coloured; NO_COLOR=1 leaves the colours out.",
        ]
        spec.options = [
            OptionSpec("event", "EVENT", "Which event. [the one of the bridge that runs, or the latest]"),
            .flag("json", "Print one JSON value."),
            .flag("schema", "Print the JSON Schema that --json keeps to, and end."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = [
            "tetherline status", "tetherline status --event Wedding --json",
            "tetherline status --json | jq '.destinations[].jobs'",
        ]
        return spec
    }()

    private let home: Home
    private let event: String?
    private let isJSON: Bool
    private let wantsSchema: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        isJSON = invocation.has("json")
        wantsSchema = invocation.has("schema")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        if wantsSchema {
            printOutput(StatusSchema.text)
            return .success
        }
        guard let status = try await BridgeStatusSource(home: home, event: event).status(on: reactor) else {
            let advice = "no event yet: 'tetherline run --camera HOST --event NAME' makes one."
            printOutput(isJSON ? JSONValue.object([(key: "event", value: .null)]).compact : advice)
            return .success
        }
        show(status)
        return .success
    }

    private func show(_ status: JSONValue) {
        guard !isJSON else {
            printOutput(status.compact)
            return
        }
        let layout = TextLayout(
            isTerminal: Terminal.isTerminal(1), columns: Terminal.columns(1),
            environment: { Program.environment($0) })
        let lines = StatusText.lines(status) { SystemWallTime().localOffset(at: $0) }
        for line in layout.render(lines) { printOutput(line) }
    }
}
