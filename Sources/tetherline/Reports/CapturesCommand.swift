import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline captures`: what the ledger knows of every photo.
struct CapturesCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("captures", "Every photo in the ledger, and what became of it.")
        spec.discussion = [
            "Works while a bridge runs and when none does. On a terminal the columns have names."
        ]
        spec.options =
            [
                OptionSpec("event", "EVENT", "Only this event, by id or name."),
                OptionSpec(
                    "state", "STATE",
                    "Only \(CaptureState.allCases.map(\.rawValue).joined(separator: ", ")).",
                    .oneOf(CaptureState.allCases.map(\.rawValue))),
            ] + RowChoice.specs("PHOTO", "tetherline captures") + [
                .flag("json", "Print JSON, one value a line."),
                OptionSpec(
                    "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
            ]
        spec.examples = ["tetherline captures --event Wedding", "tetherline captures --state lost --json"]
        return spec
    }()

    private let home: Home
    private let event: String?
    private let state: CaptureState?
    private let rows: RowChoice
    private let isJSON: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        event = invocation.value("event")
        state = invocation.value("state").flatMap { CaptureState(rawValue: $0) }
        rows = try RowChoice(invocation)
        isJSON = invocation.has("json")
    }

    func run() throws -> ExitCode {
        let reader = try home.reader()
        let event = try self.event.map { try reader.requireEvent($0) }
        var table = RowPrinter(["photo", "state", "size", "shot", "camera", "path", "remarks"])
        var shown = 0
        var last: Int64?
        var isCut = false
        try reader.captures(of: event?.id, state: state, after: rows.after, limit: rows.asked) { entry in
            guard !rows.isBeyond(shown) else {
                isCut = true
                return
            }
            (shown, last) = (shown + 1, entry.id.number)
            if isJSON {
                printOutput(Self.json(entry).compact)
            } else {
                table.add(Self.row(entry))
            }
        }
        table.flush()
        if isCut { rows.tellRest(after: last) }
        return .success
    }

    private static func row(_ entry: LedgerReader.Entry) -> [String] {
        let deliveries = JobState.allCases.compactMap { state in
            entry.jobs[state].map { "\($0) \(state.rawValue)" }
        }
        let note = [
            entry.reason ?? "", entry.doubts.sentence ?? "", deliveries.joined(separator: ", "),
        ].filter { !$0.isEmpty }
        return [
            "\(entry.id)", entry.state.words, Human.bytes(entry.size), entry.captureDate,
            entry.camera.map { "\($0)" } ?? "-", entry.path, note.joined(separator: "; "),
        ]
    }

    private static func json(_ entry: LedgerReader.Entry) -> JSONValue {
        [
            "id": .integer(entry.id.number), "event": .string(entry.event),
            "state": .string(entry.state.rawValue),
            "reason": .optional(entry.reason) { .string($0) },
            "camera": .optional(entry.camera) { camera in
                [
                    "manufacturer": .string(camera.manufacturer), "model": .string(camera.model),
                    "body": .string(camera.body),
                ]
            },
            "path": .string(entry.path), "size": .unsigned(entry.size), "date": .string(entry.captureDate),
            "sequence": .optional(entry.sequence) { .integer($0) },
            "pair": .optional(entry.pair) { .integer($0.number) },
            "duplicateOf": .optional(entry.duplicateOf) { .integer($0.number) },
            "doubts": VerificationJSON.doubts(entry.doubts),
            "file": .optional(entry.file) { .string($0) },
            "sha256": .optional(entry.sha256) { .string($0) },
            "inMemory": .bool(entry.isInMemory),
            "jobs": .object(
                JobState.allCases.compactMap { state in
                    entry.jobs[state].map { (key: state.rawValue, value: .integer(Int64($0))) }
                }),
            "receipts": .array(entry.receipts.map { VerificationJSON.receipt($0) }),
        ]
    }
}

/// There is nothing to look at, or not what was asked for.
struct NothingThere: Error, CustomStringConvertible {
    let description: String
}

extension Home {
    func reader() throws -> LedgerReader {
        do throws(SystemError) {
            _ = try ReadableFile(path: database)
        } catch {
            guard error.kind == .missing else { throw error }
            throw NothingThere(
                description:
                    "\(database) is not there: no bridge has run in this home. 'tetherline setup' makes one ready; "
                    + "another home is named with --home.")
        }
        return try LedgerReader(path: database)
    }
}

extension LedgerReader {
    /// The event that a command is about: the one it names, by id or name, else the current one.
    func chosenEvent(_ named: String?) throws -> BridgeEvent? {
        try named.map { try requireEvent($0) } ?? currentEvent()
    }

    /// As ``chosenEvent(_:)``, for a command that is about nothing else.
    func requireChosenEvent(_ named: String?) throws -> BridgeEvent {
        guard let event = try chosenEvent(named) else {
            throw NothingThere(description: "there is no event in this home yet.")
        }
        return event
    }

    func requireEvent(_ idOrName: String) throws -> BridgeEvent {
        if let event = try event(idOrName) { return event }
        let names = try events().map { "'\($0.name)'" }
        throw NothingThere(
            description:
                "there is no event '\(idOrName)'; \(names.isEmpty ? "there is none yet" : "there are \(names.joined(separator: ", "))")."
        )
    }
}
