import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline status`: how the bridge is, in a screen.
struct StatusCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "status", "How many photos are queued, uploading, there, and what waits for you.")
        spec.discussion = ["Works while a bridge runs and when none does."]
        spec.options = [
            OptionSpec("event", "EVENT", "Which event. [the one of the bridge that runs, or the latest]"),
            .flag("json", "Print one JSON value."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        return spec
    }()

    private let home: Home
    private let event: String?
    private let isJSON: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        isJSON = invocation.has("json")
    }

    /// The bridge that runs is asked first: what it answers needs no ledger.
    func run(on reactor: Reactor) async throws -> ExitCode {
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        if let live = try await CommandRouter.ask(request, in: home, on: reactor),
            isAsked(for: live["event"])
        {
            show(live)
            return .success
        }
        let reader = try home.reader()
        guard let event = try reader.chosenEvent(event) else {
            let advice = "no event yet: 'tetherline run --camera HOST --event NAME' makes one."
            printOutput(isJSON ? JSONValue.object([(key: "event", value: .null)]).compact : advice)
            return .success
        }
        show(try reader.status(of: event).json)
        return .success
    }

    private func isAsked(for running: JSONValue?) -> Bool {
        guard let event else { return true }
        return running?["id"]?.string == event || running?["name"]?.string == event
    }

    private func show(_ status: JSONValue) {
        for line in isJSON ? [status.compact] : StatusText.lines(status) { printOutput(line) }
    }
}

/// A status as lines for people. It reads the JSON, so that the bridge that runs may be of another version.
enum StatusText {
    static func lines(_ status: JSONValue) -> [String] {
        var lines: [String] = []
        let isRunning = status["running"]?.bool == true
        let name = status["event"]?["name"]?.string ?? "no event"
        let paused = status["paused"]?.bool == true ? ", PAUSED: 'tetherline resume' goes on" : ""
        lines.append("\(Visible(name)): \(isRunning ? "running" : "not running")\(paused)")
        lines += window(status)
        lines.append("photos     " + counts(status["photos"]) { CaptureState(rawValue: $0)?.advice ?? $0 })
        lines.append("deliveries " + counts(status["jobs"]))
        for camera in status["cameras"]?.array ?? [] {
            let words = [camera["address"], camera["name"], camera["state"]].compactMap { $0?.string }
            lines.append("camera     " + Visible(words.joined(separator: "  ")).description)
        }
        for destination in status["destinations"]?.array ?? [] {
            var line =
                "to         \(Visible(destination["url"]?.string ?? "?"))  \(counts(destination["jobs"]))"
            if let way = destination["way"]?.string { line += "  (\(Visible(way)))" }
            lines.append(line)
            if let reason = destination["hold"]?["reason"]?.string {
                lines.append("           waits: \(Visible(reason))")
            }
        }
        if let free = unsigned(status["spool"]?["free"]) {
            lines.append("spool      \(Human.bytes(free)) free")
        }
        for missing in status["missing"]?.array ?? [] {
            let words = [missing["path"], missing["reason"]].compactMap { $0?.string }
            lines.append("missing    " + Visible(words.joined(separator: ": ")).description)
        }
        for note in status["notes"]?.array ?? [] {
            if let text = note.string { lines.append("note       \(Visible(text))") }
        }
        return lines
    }

    private static func window(_ status: JSONValue) -> [String] {
        var lines: [String] = []
        if let closed = moment(status["window"]?["closedAt"]) {
            lines.append(
                "closed     \(closed): what was shot since stays on the card; a run opens the event again")
        }
        if let number = status["unattended"]?.integer, number > 0 {
            lines.append(
                "left out   \(number) photos that were shot while no bridge ran: 'tetherline events take' downloads them, "
                    + "'tetherline events decline' leaves them on the card")
        }
        return lines
    }

    private static func moment(_ value: JSONValue?) -> String? {
        value?.string.flatMap { Timestamp(rfc3339: $0) }.map(\.onTheWall)
    }

    private static func counts(_ value: JSONValue?, _ words: (String) -> String = { $0 }) -> String {
        let counts = (value?.members ?? []).compactMap { member -> String? in
            guard let number = member.value.integer, number > 0 else { return nil }
            return "\(number) \(words(member.key))"
        }
        return counts.isEmpty ? "none" : counts.joined(separator: ", ")
    }

    private static func unsigned(_ value: JSONValue?) -> UInt64? {
        value?.integer.flatMap { UInt64(exactly: $0) }
    }
}
