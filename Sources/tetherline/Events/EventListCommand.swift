import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

/// One event of a list, of this home or of an account at a gallery.
struct ListedEvent {
    let id: String
    let name: String
    /// Photos are taken into it.
    let isSelected: Bool
    let remarks: [String]
    private let members: [(key: String, value: JSONValue)]

    init(_ known: KnownEvent) {
        id = known.event.id
        name = known.event.name
        isSelected = false
        remarks = EventListCommand.words(known)
        members =
            [
                (key: "id", value: .string(known.event.id)), (key: "name", value: .string(known.event.name)),
                (key: "selected", value: .bool(false)),
            ] + EventListCommand.facts(known)
    }

    init(_ event: GalleryEvent, isSelected: Bool, _ known: KnownEvent?) {
        func time(_ moment: Timestamp) -> String { CivilTime.rfc3339(milliseconds: moment.milliseconds) }
        id = event.id
        name = event.name
        self.isSelected = isSelected
        let facts = [event.photos.map { "\($0) photos" }, event.expiresAt.map { "until \(time($0))" }]
        remarks = facts.compactMap { $0 } + EventListCommand.words(known)
        members =
            [
                (key: "id", value: .string(event.id)), (key: "name", value: .string(event.name)),
                (key: "photos", value: .optional(event.photos) { .integer($0) }),
                (key: "startsAt", value: .optional(event.startsAt) { .string(time($0)) }),
                (key: "expiresAt", value: .optional(event.expiresAt) { .string(time($0)) }),
                (key: "slug", value: .optional(event.slug) { .string($0) }),
                (key: "selected", value: .bool(isSelected)),
            ] + EventListCommand.facts(known)
    }

    var json: JSONValue { .object(members) }
    var row: [String] { ["\(isSelected ? "*" : " ") \(id)", name, remarks.joined(separator: "  ")] }
    /// For another program.
    var line: String { Visible(row.filter { !$0.isEmpty }.joined(separator: "  ")).description }
}

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
        let known = here.map(ListedEvent.init)
        if servers.isEmpty, invocation.value("server") == nil, !here.isEmpty {
            show(known)
            return .success
        }
        do {
            return try await GalleryDoor.open(invocation, on: reactor) { door in
                let there = try await GalleryEventsCommand(invocation, door).all { id in
                    here.first { $0.event.id == id }
                }
                let ids = Set(there.map(\.id))
                show(there + known.filter { !ids.contains($0.id) })
                return .success
            }
        } catch let error as GalleryError where !here.isEmpty {
            show(known)
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

    private func show(_ events: [ListedEvent]) {
        if invocation.has("json") {
            for event in events { printOutput(event.json.compact) }
        } else if Terminal.isTerminal(1) {
            var table = RowPrinter(["  event", "name", "remarks"])
            for event in events { table.add(event.row) }
            table.flush()
        } else {
            for event in events { printOutput(event.line) }
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
    static func words(_ known: KnownEvent?) -> [String] {
        guard let known else { return [] }
        let kind = known.isLocal ? ["made here"] : []
        guard let window = known.windows.last else { return kind }
        guard let closed = window.closedAt else {
            return kind + ["OPEN since \(window.openedAt.onTheWall): new photos are downloaded"]
        }
        return kind + ["closed here since \(closed.onTheWall)"]
    }
}
