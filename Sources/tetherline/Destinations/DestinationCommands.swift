import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

/// `tetherline destination`: where an event's photos go, looked at and corrected, while a bridge runs and when none does.
struct DestinationCommands {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "destination", "Where an event's photos go: listed, tried, added, corrected, removed.")
        spec.subcommands = [list, test, add, replace, remove]
        return spec
    }()

    private static let event = OptionSpec(
        "event", "EVENT", "Which event. [the one that is open, or the latest]")
    private static let home = OptionSpec(
        "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")
    private static let json = OptionSpec.flag("json", "Print JSON, one value a line.")
    private static let which =
        "Its number in 'tetherline destination list', its address, or a part of that which no other has."

    private static let list: CommandSpec = {
        var spec = CommandSpec("list", "All that an event has or had, and what each has got.")
        spec.options = [event, json, home]
        spec.examples = ["tetherline destination list", "tetherline destination list --event Wedding --json"]
        return spec
    }()

    private static let test: CommandSpec = {
        var spec = CommandSpec("test", "Logs in, writes a small file, reads it back, and removes it.")
        spec.discussion = [
            "Of a destination of the event, or of any address before an evening depends on it. At a gallery nothing is written: "
                + "the log-in is tried, and whether the event is there."
        ]
        spec.positionals = [PositionalSpec("DESTINATION", .any, "An address. \(which) [all of the event]")]
        spec.options = [event, json, home]
        spec.examples = [
            "tetherline destination test", "tetherline destination test webdavs://desk@host.example/photos",
        ]
        return spec
    }()

    private static let add: CommandSpec = {
        var spec = CommandSpec("add", "Photos go there as well, also those that are here already.")
        spec.discussion = ["One that was removed is used again, and gets what was cancelled with it."]
        spec.positionals = [
            PositionalSpec(
                "URL", .one,
                "\(DestinationAddress.kinds); or of one that was removed its number or address.")
        ]
        spec.options = [event, json, home]
        spec.examples = ["tetherline destination add file:///media/usb/wedding"]
        return spec
    }()

    private static let replace: CommandSpec = {
        var spec = CommandSpec("replace", "Corrects an address: a mistyped host, another ?name=.")
        spec.discussion = [
            "What was still to go to the old one goes to the new one. What the old one has is not delivered again; where it should "
                + "be, 'remove' the old one and 'add' the new one instead."
        ]
        spec.positionals = [
            PositionalSpec("OLD", .one, which), PositionalSpec("NEW", .one, "Its address as it should be."),
        ]
        spec.options = [event, json, home]
        spec.examples = [
            "tetherline destination replace host.exmaple webdavs://desk@host.example/photos"
        ]
        return spec
    }()

    private static let remove: CommandSpec = {
        var spec = CommandSpec("remove", "Nothing more goes there; what it has it keeps.")
        spec.discussion = [
            "Deliveries that are open end as cancelled. 'tetherline verify' counts what the other destinations have."
        ]
        spec.positionals = [PositionalSpec("DESTINATION", .one, which)]
        spec.options = [event, json, home]
        spec.examples = ["tetherline destination remove 2", "tetherline destination remove host.exmaple"]
        return spec
    }()

    private let home: Home
    private let wanted: String?
    private let arguments: [String]
    private let isJSON: Bool
    private let what: String

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        wanted = invocation.value("event")
        arguments = invocation.positionals
        isJSON = invocation.has("json")
        what = invocation.path.last ?? ""
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        switch what {
        case "list":
            return try await DestinationList(home: home, event: try event(), isJSON: isJSON).run(on: reactor)
        case "test": return try await test(on: reactor)
        case "add":
            return try await add(on: reactor)
        case "replace": return try await replace(on: reactor)
        default:
            let destination = try destination(arguments[0])
            let end = try await perform(.remove(destination.id), on: reactor)
            return tell(
                "removed: \(destination.url). It has \(Self.photos(end.delivered)); \(end.cancelled) deliveries are cancelled.",
                end)
        }
    }

    private func add(on reactor: Reactor) async throws -> ExitCode {
        let text = arguments[0]
        let former = try known().first {
            $0.removedAt != nil && ("\($0.id.number)" == text || $0.url == text)
        }
        let step: DestinationChange.Step
        let url: String
        if let former {
            (step, url) = (.useAgain(url: former.url, kind: former.kind), former.url)
        } else {
            let address = try address(text)
            (step, url) = (.add(address), address.url)
        }
        let end = try await perform(step, on: reactor)
        if case .add(let address) = step { try tellMissingDisk(address) }
        var sentence = "added: photos of '\(try event().name)' go to \(url)"
        if end.unsendable > 0 {
            sentence +=
                "; but \(Self.photos(end.unsendable)) whose files --retention has let go of cannot be sent there"
        }
        return tell(sentence, end)
    }

    private func replace(on reactor: Reactor) async throws -> ExitCode {
        let (old, new) = (try destination(arguments[0]), try address(arguments[1]))
        guard old.url != new.url else { throw UsageError("\(new.url) is its address already.") }
        let end = try await perform(.replace(old.id, new), on: reactor)
        try tellMissingDisk(new)
        return tell(
            "replaced: \(old.url) has \(Self.photos(end.delivered)), which are not delivered again; "
                + "\(end.moved) more go to \(new.url) now", end)
    }

    private func tellMissingDisk(_ address: DestinationAddress) throws {
        if let note = try DestinationChange.missingDisk(for: address) {
            printError("tetherline: \(Visible(note))")
        }
    }

    private func test(on reactor: Reactor) async throws -> ExitCode {
        var places: [DestinationTest.Subject] = []
        for text in arguments where text.contains("://") && !text.hasPrefix("http") {
            places.append(.direct(try address(text), written: text))
        }
        for text in arguments where !text.contains("://") || text.hasPrefix("http") {
            places.append(try DestinationTest.Subject(destination(text), of: event()))
        }
        if arguments.isEmpty {
            let event = try event()
            places = try known().filter { $0.removedAt == nil }.map {
                try DestinationTest.Subject($0, of: event)
            }
            guard !places.isEmpty else {
                throw NothingThere(
                    description: "'\(event.name)' has no destination; say which address to try.")
            }
        }
        return try await DestinationTest(home: home, isJSON: isJSON).run(places, on: reactor)
    }

    // MARK: Which

    private func event() throws -> BridgeEvent {
        try home.reader().requireChosenEvent(wanted)
    }

    private func known() throws -> [KnownDestination] {
        try home.reader().knownDestinations(of: try event().id)
    }

    private func address(_ url: String) throws -> DestinationAddress {
        do throws(AddressProblem) {
            return try DestinationAddress(url)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// One that is used, by its number, its address or a part of it.
    private func destination(_ text: String) throws -> KnownDestination {
        let used = try known().filter { $0.removedAt == nil }
        let number = Int64(text).map { DestinationID($0) }
        let exact = used.filter { $0.id == number || $0.url == text }
        let found = exact.isEmpty ? used.filter { $0.url.contains(text) } : exact
        if found.count == 1, let only = found.first { return only }
        let list = (found.isEmpty ? used : found).map { "\($0.id.number) \($0.url)" }.joined(separator: ", ")
        let event = try event().name
        let text = AddressParts.withoutPassword(text)
        throw NothingThere(
            description: found.isEmpty
                ? "'\(event)' has no destination '\(text)'; it has \(list.isEmpty ? "none" : list)."
                : "'\(text)' may be each of \(list); say its number.")
    }

    // MARK: Doing

    private func perform(_ step: DestinationChange.Step, on reactor: Reactor) async throws -> DestinationEnd {
        let change = DestinationChange(event: try event(), step)
        let answer = try await CommandRouter.perform(change.request, in: home, on: reactor) { ledger in
            // No bridge runs, so a job that is claimed was left by a crash.
            _ = try await ledger.rescueJobs()
            return try await change.perform(in: ledger).json
        }
        return DestinationEnd(answer)
    }

    private func tell(_ sentence: String, _ end: DestinationEnd) -> ExitCode {
        printOutput(isJSON ? end.json.compact : Visible(sentence).description)
        return .success
    }

    static func photos(_ number: Int) -> String { number == 1 ? "1 photo" : "\(number) photos" }
}
