import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

/// `events list`: the events of this home and of the account at a gallery, and which of them photos are taken into.
struct EventListCommand {
    private let invocation: Invocation
    private let home: Home

    init(_ invocation: Invocation) {
        self.invocation = invocation
        home = Home(invocation.value("home"))
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let here = try here()
        let servers = try CredentialsFile(folder: home.path).read().entries
        if servers.isEmpty, invocation.value("server") == nil, !here.isEmpty {
            for event in here { show(event) }
            return .success
        }
        do {
            return try await GalleryDoor.open(invocation, on: reactor) { door in
                let shown = try await GalleryEventsCommand(invocation, door).list { id in
                    here.first { $0.event.id == id }
                }
                for event in here where !shown.contains(event.event.id) { show(event) }
                return .success
            }
        } catch let error as GalleryError where !here.isEmpty {
            for event in here { show(event) }
            printError("tetherline: these are the events that are known here; \(error)")
            return error.exitCode
        }
    }

    /// Nothing in a home where no bridge has run yet.
    private func here() throws -> [KnownEvent] {
        do {
            return try home.reader().knownEvents()
        } catch is NothingThere {
            return []
        }
    }

    private func show(_ known: KnownEvent) {
        if invocation.has("json") {
            var members: [(key: String, value: JSONValue)] = [
                (key: "id", value: .string(known.event.id)), (key: "name", value: .string(known.event.name)),
                (key: "selected", value: .bool(false)),
            ]
            members += Self.facts(known)
            printOutput(JSONValue.object(members).compact)
        } else {
            printOutput("  \(known.event.id)  \(Visible(known.event.name))\(Self.words(known))")
        }
    }

    /// What this bridge knows of an event, for programs.
    static func facts(_ known: KnownEvent?) -> [(key: String, value: JSONValue)] {
        [
            (key: "kind", value: .string(known?.isLocal == true ? "local" : "gallery")),
            (key: "window", value: .optional(known?.windows.last) { $0.json }),
        ]
    }

    /// The same for people.
    static func words(_ known: KnownEvent?) -> String {
        guard let known else { return "" }
        let kind = known.isLocal ? "  made here" : ""
        guard let window = known.windows.last else { return kind }
        guard let closed = window.closedAt else {
            return "\(kind)  OPEN since \(window.openedAt.onTheWall): new photos are downloaded"
        }
        return "\(kind)  closed here since \(closed.onTheWall)"
    }
}
