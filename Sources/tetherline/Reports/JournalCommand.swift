import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline journal`: what happened, in sentences.
struct JournalCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "journal", "What happened: photos lost or given up, strays found, failed deliveries.")
        spec.discussion = ["Works while a bridge runs and when none does."]
        spec.options = [
            OptionSpec("last", "N", "How many entries. [100]"),
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline journal --last 20"]
        return spec
    }()

    private let home: Home
    private let limit: Int
    private let isJSON: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        limit = try invocation.integer("last", in: 1...1_000_000) ?? 100
        isJSON = invocation.has("json")
    }

    func run() throws -> ExitCode {
        for line in try home.reader().journal(limit: limit) {
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
            } else {
                printOutput("\(time)  \(entry.level.rawValue)  \(Visible(entry.text))")
            }
        }
        return .success
    }
}
