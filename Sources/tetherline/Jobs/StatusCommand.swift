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

    /// A bridge answers in a few milliseconds. One that does not is stopped or stuck, and its ledger can be read all the same.
    private static let patience = Duration.milliseconds(700)

    /// The bridge that runs is asked first: what it answers needs no ledger.
    func run(on reactor: Reactor) async throws -> ExitCode {
        if wantsSchema {
            printOutput(StatusSchema.text)
            return .success
        }
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        var isSilent = false
        do {
            if let live = try await CommandRouter.ask(
                request, in: home, on: reactor, timeout: Self.patience), isAsked(for: live["event"])
            {
                show(live)
                return .success
            }
        } catch let error as SystemError where error.isTooLate {
            isSilent = true
        }
        let reader = try home.reader()
        guard let event = try reader.chosenEvent(event) else {
            let advice = "no event yet: 'tetherline run --camera HOST --event NAME' makes one."
            printOutput(isJSON ? JSONValue.object([(key: "event", value: .null)]).compact : advice)
            return .success
        }
        var status = try reader.statusAtRest(of: event, at: SystemWallTime().wallNow)
        // Which event it works for it has not said: it is the one whose window is open.
        if isSilent, let window = status.window, window.closedAt == nil {
            status.isRunning = true
            status.notes.append(Self.silence)
        }
        addSpool(to: &status)
        show(status.json)
        return .success
    }

    private static let silence =
        "the bridge that runs here has not answered within 0.7 s: it is busy, stopped or stuck. Ask again in a "
        + "moment; a process that was stopped goes on with kill -CONT."

    /// It is looked at and never made: a status changes nothing.
    private func addSpool(to status: inout BridgeStatus) {
        do {
            let space = try RealFolder(Directory(path: home.spool)).space()
            let reserve = reserve(&status)
            status.note(BridgeStatus.Disk(space, reserve: reserve))
        } catch let error as SystemError where error.kind == .missing {
            return
        } catch {
            status.notes.append("the spool's disk cannot be looked at: \(error)")
        }
    }

    /// As the settings have it. A file that cannot be read is told, and then the bridge's usual reserve is kept free.
    private func reserve(_ status: inout BridgeStatus) -> Spool.Reserve {
        do {
            return try Settings.read(from: home).reserve
        } catch {
            status.notes.append("what the settings keep free on the spool's disk is not known: \(error)")
            return Spool.Reserve()
        }
    }

    private func isAsked(for running: JSONValue?) -> Bool {
        guard let event else { return true }
        return running?["id"]?.string == event || running?["name"]?.string == event
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
