import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline journal`: what happened, in sentences.
struct JournalCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "journal", "What happened: runs, outages, photos lost or given up, failed deliveries.")
        spec.discussion = [
            "Works while a bridge runs and when none does. A camera that was away, a destination that took nothing and a disk that "
                + "was full are a line each, with how long it lasted once it is over. On a terminal the columns have names."
        ]
        spec.options = [
            OptionSpec("last", "N", "How many entries. [100]"),
            OptionSpec(
                "level", "LEVEL", "Only what is as bad, or worse: \(levels.joined(separator: ", ")).",
                .oneOf(levels)),
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline journal --last 20", "tetherline journal --level error"]
        return spec
    }()

    private static let levels = JournalEntry.Level.allCases.map(\.rawValue)

    private let home: Home
    private let level: JournalEntry.Level
    private let limit: Int
    private let isJSON: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        limit = try invocation.integer("last", in: 1...1_000_000) ?? 100
        level = invocation.value("level").flatMap { JournalEntry.Level(rawValue: $0) } ?? .info
        isJSON = invocation.has("json")
    }

    func run() throws -> ExitCode {
        let all = JournalEntry.Level.allCases
        let levels = Set(all.drop { $0 != level })
        let isTerminal = Terminal.isTerminal(1)
        var table = RowPrinter(["at", "level", "what happened"], isTerminal: isTerminal)
        for line in try home.reader().journal(limit: limit, of: levels) {
            let time = CivilTime.rfc3339(milliseconds: line.at.milliseconds)
            let entry = line.entry
            if isJSON {
                let value: JSONValue = [
                    "at": .string(time), "level": .string(entry.level.rawValue),
                    "camera": .optional(entry.camera) { .integer($0.number) },
                    "capture": .optional(entry.capture) { .integer($0.number) },
                    "job": .optional(entry.job) { .integer($0.number) }, "text": .string(entry.text),
                ]
                printOutput(value.compact)
            } else if isTerminal {
                table.add([line.at.onTheWallToSeconds, entry.level.rawValue, entry.text])
            } else {
                printOutput("\(line.at.onTheWallToSeconds)  \(entry.level.rawValue)  \(Visible(entry.text))")
            }
        }
        table.flush()
        return .success
    }
}
