import Arguments
import Basics
import Bridge
import Captions
import Posix
import Store

/// `tetherline captions`: what is said about photos, before it is.
struct CaptionCommands {
    static let spec: CommandSpec = {
        let common: [OptionSpec] = [
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        var check = CommandSpec("check", "Looks at the captions of the settings and at their roster.")
        check.discussion = [
            "Ends with 1 when a line of the roster has no effect, or a template names a code that the roster does not have."
        ]
        check.options = common
        check.examples = ["tetherline captions check"]
        var show = CommandSpec("show", "What would be said about a photo that is here.")
        show.discussion = [
            "By the settings and the roster as they are now. What was delivered already is told by 'tetherline why'."
        ]
        show.positionals = [
            PositionalSpec(
                "PHOTO", .one, "Its name, its number or its SHA-256, as 'tetherline why' takes it.")
        ]
        show.options = [OptionSpec("event", "EVENT", "Only of this event, by id or name. [any]")] + common
        show.examples = ["tetherline captions show DSC_0412.JPG"]
        var spec = CommandSpec(
            "captions", "What is said about photos: to galleries, and to destinations with metadata=iptc.")
        spec.subcommands = [check, show]
        spec.examples = check.examples + show.examples
        return spec
    }()

    private let home: Home
    private let isJSON: Bool
    private let photo: String?
    private let event: String?

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        isJSON = invocation.has("json")
        photo = invocation.positionals.first
        event = invocation.value("event")
    }

    func run() throws -> ExitCode {
        let settings = try Settings.read(from: home)
        if let sentence = settings.captions.rosterProblem {
            var unusable = Settings.Unusable(home.settings)
            unusable.add("captions.roster", "captions.roster: \(sentence)")
            throw unusable
        }
        guard let photo else { return try check(settings.captions) }
        return try show(photo, settings.captions)
    }

    // MARK: check

    private func check(_ captions: CaptionSettings) throws -> ExitCode {
        let roster = try captions.readRoster()
        let unknown = captions.book.unknownCodes(roster)
        let path = captions.roster ?? ""
        let problems =
            roster.remarks.map { "\(path): \($0)" }
            + unknown.map { "the code '\($0)' stands in a template and not in the roster" }
        let fields = CaptionField.allCases.filter { captions.book.fields[$0] != nil }
        if isJSON {
            let value: JSONValue = [
                "fields": .array(fields.map { .string($0.rawValue) }),
                "rules": .integer(Int64(captions.book.rules.count)), "codes": .integer(Int64(roster.count)),
                "problems": .array(problems.map(JSONValue.string)),
            ]
            printOutput(value.compact)
        } else {
            let said = fields.isEmpty ? "nothing" : fields.map(\.name).joined(separator: ", ")
            printOutput("said of every photo: \(said)")
            printOutput("rules: \(captions.book.rules.count); codes in the roster: \(roster.count)")
            for problem in problems { printError("tetherline: \(Visible(problem))") }
        }
        if captions.book.isEmpty {
            printError(
                "tetherline: \(home.settings) says nothing about photos: 'captions' in it does, see 'man tetherline'."
            )
        }
        return problems.isEmpty ? .success : .failure
    }

    // MARK: show

    private func show(_ word: String, _ captions: CaptionSettings) throws -> ExitCode {
        let reader = try home.reader()
        let event = try self.event.map { try reader.requireEvent($0) }
        let ids = try reader.photos(meant: word, in: event?.id)
        guard let id = ids.first, let found = try reader.facts(of: id, SystemWallTime()) else {
            throw NothingThere(
                description: "no photo '\(word)' is known; 'tetherline captures' lists those that are.")
        }
        guard ids.count == 1 || isJSON else {
            let list = ids.prefix(10).map { "\($0)" }.joined(separator: ", ")
            throw NothingThere(
                description:
                    "'\(word)' may be each of the photos \(list); 'tetherline captures' tells them apart, and one is "
                    + "chosen by its number.")
        }
        let caption = captions.book.caption(
            of: CaptionFacts(found.facts, clockAhead: found.clockAhead), try captions.readRoster())
        printOutput(isJSON ? Self.json(caption, id).compact : Self.text(caption, found.facts.name))
        for code in caption.unknownCodes where !isJSON {
            printError(
                "tetherline: the code '\(Visible(code))' is not in the roster, and stands there as it is.")
        }
        return .success
    }

    private static func text(_ caption: PhotoCaption, _ name: String) -> String {
        guard !caption.isEmpty else { return "nothing is said about \(Visible(name))" }
        let rows = CaptionField.allCases.flatMap { field -> [[String]] in
            (caption.texts[field] ?? []).enumerated().map { index, text in
                let cut = caption.shortened.contains(field) ? "  (cut in the older of the two formats)" : ""
                return [index == 0 ? field.name : "", "\(Visible(text))\(cut)"]
            }
        }
        return Human.table(rows).joined(separator: "\n")
    }

    private static func json(_ caption: PhotoCaption, _ id: CaptureID) -> JSONValue {
        let fields = CaptionField.allCases.compactMap { field -> (key: String, value: JSONValue)? in
            guard let texts = caption.texts[field] else { return nil }
            let value: JSONValue =
                field.isList ? .array(texts.map(JSONValue.string)) : .string(texts.first ?? "")
            return (key: field.rawValue, value: value)
        }
        return [
            "capture": .integer(id.number), "fields": .object(fields),
            "unknownCodes": .array(caption.unknownCodes.map(JSONValue.string)),
            "shortened": .array(caption.shortened.map { .string($0.rawValue) }),
            "properties": .object(
                caption.entries.map { (key: $0.key, value: .array($0.values.map(JSONValue.string))) }),
        ]
    }
}
