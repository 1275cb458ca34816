import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline jobs`: every photo's way to every destination.
struct JobsCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("jobs", "Every photo's way to every destination, and where it stands.")
        spec.discussion = [
            "Works while a bridge runs and when none does. On a terminal the columns have names."
        ]
        spec.options =
            [
                OptionSpec("event", "EVENT", "Only this event, by id or name."),
                OptionSpec(
                    "state", "STATE",
                    "Only \(JobGroup.allCases.map(\.rawValue).joined(separator: ", ")), or one of the exact states "
                        + "\(JobState.allCases.map(\.rawValue).joined(separator: ", ")).", .oneOf(states)),
                OptionSpec(
                    "destination", "URL",
                    "Only to this one, by its address or its number in 'tetherline destination list'."),
            ] + RowChoice.specs("JOB", "tetherline jobs") + [
                .flag("json", "Print JSON, one value a line."),
                OptionSpec(
                    "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
            ]
        spec.examples = [
            "tetherline jobs --state failed", "tetherline jobs --limit 50 --after 1200",
            "tetherline jobs --json",
        ]
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
    private let destination: String?
    private let rows: RowChoice
    private let isJSON: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        let word = invocation.value("state")
        group = word.flatMap { JobGroup(rawValue: $0) }
        state = group == nil ? word.flatMap { JobState(rawValue: $0) } : nil
        destination = invocation.value("destination")
        rows = try RowChoice(invocation)
        isJSON = invocation.has("json")
    }

    /// Why a destination takes nothing, and whether that is so now.
    private struct Hold {
        let reason: String
        let isNow: Bool

        var sentence: String {
            isNow
                ? "its destination takes nothing: \(reason)"
                : "its destination took nothing, as the bridge noted last: \(reason)"
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let reader = try home.reader()
        let event = try self.event.map { try reader.requireEvent($0) }
        if let destination, try !reader.hasDestination(destination, of: event?.id) {
            throw NothingThere(
                description:
                    "there is no destination '\(destination)'; 'tetherline destination list' shows the event's."
            )
        }
        // Why a destination takes nothing is no job's problem, and is the reason why its jobs wait.
        let holds = try reader.holds(of: event?.id)
        let isNow =
            holds.isEmpty ? false : try await CommandRouter.isBridgeRunning(in: home, on: reactor)
        var table = RowPrinter(["job", "state", "size", "photo", "destination", "remarks"])
        var shown = 0
        var last: Int64?
        var isCut = false
        try reader.jobs(
            of: event?.id, state: state, group: group, destination: destination, after: rows.after,
            limit: rows.asked
        ) { entry in
            guard !rows.isBeyond(shown) else {
                isCut = true
                return
            }
            (shown, last) = (shown + 1, entry.id.number)
            let isWaiting = JobGroup(entry.state) == .queued && entry.problem == nil
            let hold = isWaiting ? holds[entry.destination] : nil
            if isJSON {
                printOutput(Self.json(entry, hold).compact)
            } else {
                table.add(Self.row(entry, hold.map { Hold(reason: $0.reason, isNow: isNow) }))
            }
        }
        table.flush()
        if isCut { rows.tellRest(after: last) }
        return .success
    }

    private static func row(_ entry: LedgerReader.JobEntry, _ hold: Hold?) -> [String] {
        let state = entry.isCancelled ? "cancelled" : entry.state.rawValue
        var remarks: [String] = []
        if entry.attempts > 0 { remarks.append("\(entry.attempts) failed") }
        if entry.state == .failedRetryable { remarks.append("again at \(entry.due.onTheWallToSeconds)") }
        if let problem = entry.problem { remarks.append(problem) }
        if let hold { remarks.append(hold.sentence) }
        return [
            "\(entry.id)", state, Human.bytes(entry.size), entry.name, entry.url,
            remarks.joined(separator: "; "),
        ]
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
