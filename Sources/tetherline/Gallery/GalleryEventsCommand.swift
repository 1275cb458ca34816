import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

/// `events …`: the account's events at its gallery.
struct GalleryEventsCommand {
    private let invocation: Invocation
    private let door: GalleryDoor

    /// Named in an error.
    private static let mostNamed = 20

    init(_ invocation: Invocation, _ door: GalleryDoor) {
        self.invocation = invocation
        self.door = door
    }

    func run() async throws -> ExitCode {
        switch invocation.path.last {
        case "create": try await create()
        case "select": try await select(invocation.positionals[0])
        default: preconditionFailure("the parser knows no other commands")
        }
    }

    /// The account's events, with what `known` says of each.
    func all(_ known: (String) -> KnownEvent?) async throws -> [ListedEvent] {
        let events = try await door.events()
        let selected = try selected()
        if events.isEmpty, !invocation.has("json") {
            printError("there is no event at \(door.address) yet; make one: tetherline events create NAME")
        }
        return events.map {
            ListedEvent($0, isSelected: $0.id == selected?.event.id, known($0.id))
        }
    }

    /// Nothing in a home where no bridge has run yet.
    private func selected() throws -> SelectedEvent? {
        do {
            let selection = try door.home.reader().selection()
            return selection?.server == "\(door.address)" ? selection : nil
        } catch is NothingThere {
            return nil
        }
    }

    private func create() async throws -> ExitCode {
        let name = invocation.positionals[0]
        guard (1...200).contains(name.count) else { throw UsageError("NAME has 1 to 200 characters.") }
        let event = try await door.createEvent(named: name)
        let made = ListedEvent(event, isSelected: false, nil)
        printOutput(invocation.has("json") ? made.json.compact : made.line)
        return .success
    }

    // MARK: Selecting

    private func select(_ idOrName: String) async throws -> ExitCode {
        // Before the gallery is asked: a bridge that runs has its event until it ends.
        guard door.lock != nil else {
            throw Busy(
                description:
                    "a bridge runs in \(door.home.path), and has its event until it ends; end it first, or give another --home"
            )
        }
        let event = try Self.find(idOrName, in: try await door.events(), at: door.address)
        let selection = SelectedEvent(event: event, server: "\(door.address)")
        let thread = ThreadExecutor(name: "ledger")
        defer { thread.shutDown() }
        try door.home.makeDatabaseFile()
        let ledger = try Ledger(
            path: door.home.database, executor: thread, wall: SystemWallTime(), random: SystemRandomSource())
        try await ledger.select(selection)
        try await ledger.end()
        printOutput("selected: \(event.id)  \(Visible(event.name))")
        return .success
    }

    struct Busy: Error, CustomStringConvertible {
        let description: String
    }

    private static func find(
        _ idOrName: String, in events: [GalleryEvent], at address: GalleryAddress
    ) throws -> BridgeEvent {
        let found = events.filter { $0.id == idOrName.lowercased() || $0.name == idOrName }
        guard let event = found.first else {
            let near = Nearest.to(idOrName, among: events.map(\.name)).map { " Did you mean '\($0)'?" } ?? ""
            throw NothingThere(
                description:
                    "there is no event '\(idOrName)' at \(address); \(named(events))\(near)")
        }
        guard found.count == 1 else {
            throw NothingThere(
                description:
                    "\(found.count) events at \(address) are called '\(idOrName)'; say which by its id: \(found.map(\.id).joined(separator: ", "))"
            )
        }
        guard event.id.utf8.count == 36 else {
            throw NothingThere(description: "the id of '\(event.name)' at \(address) is no UUID.")
        }
        return BridgeEvent(
            id: event.id, name: (1...200).contains(event.name.count) ? event.name : event.id)
    }

    private static func named(_ events: [GalleryEvent]) -> String {
        guard !events.isEmpty else { return "there is none yet: tetherline events create NAME." }
        let names = events.prefix(mostNamed).map { "'\($0.name)'" }.joined(separator: ", ")
        let more = events.count - min(events.count, mostNamed)
        return "there are \(names)\(more > 0 ? " and \(more) more" : "")."
    }
}
