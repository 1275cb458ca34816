import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline jobs`: every photo's way to every destination.
struct JobsCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("jobs", "Every photo's way to every destination, and where it stands.")
        spec.discussion = ["Works while a bridge runs and when none does."]
        spec.options = [
            OptionSpec("event", "EVENT", "Only this event, by id or name."),
            OptionSpec(
                "state", "STATE",
                "Only \(JobGroup.allCases.map(\.rawValue).joined(separator: ", ")), or one of the exact states "
                    + "\(JobState.allCases.map(\.rawValue).joined(separator: ", ")).", .oneOf(states)),
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline jobs --state failed", "tetherline jobs --json"]
        return spec
    }()

    private let home: Home
    /// Groups and exact states; some words are both.
    private static var states: [String] {
        let groups = JobGroup.allCases.map(\.rawValue)
        return groups + JobState.allCases.map(\.rawValue).filter { !groups.contains($0) }
    }

    private let event: String?
    private let state: JobState?
    private let group: JobGroup?
    private let isJSON: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        let word = invocation.value("state")
        group = word.flatMap { JobGroup(rawValue: $0) }
        state = group == nil ? word.flatMap { JobState(rawValue: $0) } : nil
        isJSON = invocation.has("json")
    }

    func run() throws -> ExitCode {
        let reader = try home.reader()
        let event = try self.event.map { try reader.requireEvent($0) }
        // Why a destination takes nothing is no job's problem, and is the reason why its jobs wait.
        let holds = try reader.holds(of: event?.id)
        try reader.jobs(of: event?.id, state: state, group: group) { entry in
            let isWaiting = JobGroup(entry.state) == .queued && entry.problem == nil
            let hold = isWaiting ? holds[entry.destination] : nil
            printOutput(isJSON ? Self.json(entry, hold).compact : Self.row(entry, hold))
        }
        return .success
    }

    private static func row(
        _ entry: LedgerReader.JobEntry, _ hold: BridgeStatus.Destination.Hold?
    ) -> String {
        let state = entry.isCancelled ? "cancelled" : entry.state.rawValue
        var columns = ["\(entry.id)", state, Human.bytes(entry.size)]
        columns += [Visible(entry.name).description, Visible(entry.url).description]
        if entry.attempts > 0 { columns.append("\(entry.attempts) failed") }
        if entry.state == .failedRetryable {
            columns.append("again at \(CivilTime.rfc3339(milliseconds: entry.due.milliseconds))")
        }
        if let problem = entry.problem { columns.append(Visible(problem).description) }
        if let hold { columns.append("its destination takes nothing: \(Visible(hold.reason))") }
        return columns.joined(separator: "  ")
    }

    private static func json(
        _ entry: LedgerReader.JobEntry, _ hold: BridgeStatus.Destination.Hold?
    ) -> JSONValue {
        func time(_ moment: Timestamp?) -> JSONValue {
            .optional(moment) { .string(CivilTime.rfc3339(milliseconds: $0.milliseconds)) }
        }
        return [
            "id": .integer(entry.id.number), "capture": .integer(entry.capture.number),
            "name": .string(entry.name), "destination": .string(entry.url),
            "state": .string(entry.state.rawValue), "group": .string(JobGroup(entry.state).rawValue),
            "cancelled": .bool(entry.isCancelled), "attempts": .integer(Int64(entry.attempts)),
            "due": time(entry.due), "deadline": time(entry.deadline), "size": .unsigned(entry.size),
            "problem": .optional(entry.problem, JSONValue.string),
            "destinationHeld": .optional(hold) { .string($0.reason) },
            "receipt": .optional(entry.receipt) { VerificationJSON.receiptValue($0) },
            "createdAt": time(entry.createdAt), "completedAt": time(entry.completedAt),
            "earlier": VerificationJSON.receiptValue(entry.earlier),
        ]
    }
}
