import Arguments
import Basics
import Bridge
import GalleryCopy
import HTTPClient
import Posix
import Store
import Upload

/// `sync`: what of the operator's edits the galleries have, what waits and why, and what was not taken.
struct SyncCommand {
    static let name = "sync"
    /// Edits that are shown.
    private static let mostShown = 1000

    static let spec: CommandSpec = {
        var spec = CommandSpec(
            name,
            "What the gallery has of your edits, what waits, and conflicts.")
        spec.discussion = [
            "Works without an uplink. While a bridge runs it sends what waits by itself. An edit that lost against a newer one, or "
                + "that the gallery refused, stays as a conflict until it is made again or dropped, by its number.",
            "Ends with 1 while there are conflicts.",
        ]
        spec.options = [
            .flag("now", "Exchange with the gallery now, and show what came of it."),
            OptionSpec(
                "again", "EDIT", mayRepeat: true, "Make this edit again, as if it had been made now."),
            OptionSpec("drop", "EDIT", mayRepeat: true, "Forget this edit."),
            .flag("json", "Print JSON, one value a line: places first, then edits."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline sync", "tetherline sync --now", "tetherline sync --again 17"]
        return spec
    }()

    private let home: Home
    private let isJSON: Bool
    private let isNow: Bool
    private let again: [EditID]
    private let drop: [EditID]

    init(_ invocation: Invocation) throws(UsageError) {
        home = Home(invocation.value("home"))
        isJSON = invocation.has("json")
        isNow = invocation.has("now")
        again = try Self.edits(invocation.all("again"))
        drop = try Self.edits(invocation.all("drop"))
    }

    private static func edits(_ words: [String]) throws(UsageError) -> [EditID] {
        var edits: [EditID] = []
        for word in words {
            guard let number = Int64(word), number > 0 else {
                throw UsageError("'\(word)' is no edit's number; 'tetherline sync' shows them.")
            }
            edits.append(EditID(number))
        }
        return edits
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let wish = SyncWish(isNow: isNow, again: again, drop: drop)
        var unknown: [EditID] = []
        if wish.changesSomething {
            let answer = try await CommandRouter.perform(wish.members, in: home, on: reactor) { _ in
                try await alone(wish, on: reactor)
            }
            unknown = (answer["unknown"]?.array ?? []).compactMap { $0.integer.map { EditID($0) } }
        }
        let hasConflicts = try show()
        for edit in unknown {
            printError("tetherline: there is no edit \(edit); 'tetherline sync' shows those that there are.")
        }
        return unknown.isEmpty && !hasConflicts ? .success : .failure
    }

    /// No bridge runs here, and this process has the lock.
    private func alone(_ wish: SyncWish, on reactor: Reactor) async throws -> JSONValue {
        let thread = ThreadExecutor(name: "copy")
        defer { thread.shutDown() }
        let copy = home.galleryCopy(on: thread) { printError("tetherline: \($0)") }
        let answer = try await wish.perform(in: copy)
        if wish.isNow {
            try await CommandTransport.withTransport(home) { transport in
                try await exchange(copy, transport, thread, on: reactor)
            }
        }
        try await copy.end()
        return answer
    }

    private func exchange(
        _ copy: GalleryCopy, _ transport: any HTTPTransport, _ thread: ThreadExecutor, on reactor: Reactor
    ) async throws {
        let file = CredentialsFile(folder: home.path)
        var places = try await copy.places().map { (server: $0.server, event: $0.event) }
        // An event that was never edited has no copy yet.
        let reader = try home.reader()
        for event in try reader.events() {
            for destination in try reader.knownDestinations(of: event.id)
            where destination.kind == .gallery && destination.removedAt == nil {
                let place = try GalleryPlace(url: destination.url, ledgerEvent: event.id)
                let one = (server: "\(place.address)", event: place.event)
                if !places.contains(where: { $0 == one }) { places.append(one) }
            }
        }
        let keeper = CopyKeeper(
            copy,
            try places.map { place in
                let address = try GalleryAddress(place.server, allowsPlain: true)
                let account = GalleryAccount(
                    api: GalleryAPI(address, http: transport, wall: SystemWallTime()), file: file,
                    time: reactor, executor: thread, mayRefresh: true)
                return CopyKeeper.Place(
                    url: place.server, server: place.server, event: place.event,
                    sync: GallerySync(account, file: file),
                    obstacle: { nil })
            }, database: home.database, time: reactor)
        try await keeper.exchangeNow()
    }

    // MARK: Showing

    /// Whether there are conflicts.
    private func show() throws -> Bool {
        let reader = try home.reader()
        guard let copy = try home.readGalleryCopy() else {
            if !isJSON { printOutput("nothing was edited, and no gallery was asked yet") }
            return false
        }
        let report = SyncReport(copy, reader)
        var hasConflicts = false
        for place in try copy.places() {
            let counts = try copy.counts(of: place.id)
            hasConflicts = hasConflicts || counts.conflicts > 0
            if isJSON {
                printOutput(SyncReport.json(place, counts).compact)
            } else {
                for line in SyncReport.lines(place, counts) { printOutput(Visible(line).description) }
            }
        }
        let entries = try copy.entries(at: nil, limit: Self.mostShown + 1)
        for entry in entries.prefix(Self.mostShown) {
            if isJSON {
                printOutput(try report.json(entry).compact)
            } else {
                for line in try report.lines(entry) { printOutput(Visible(line).description) }
            }
        }
        if entries.count > Self.mostShown {
            printError("tetherline: there are more; these are the first \(Self.mostShown)")
        }
        return hasConflicts
    }
}

/// What is asked of the one who may write.
struct SyncWish {
    static let command = "sync"

    let isNow: Bool
    let again: [EditID]
    let drop: [EditID]

    var changesSomething: Bool { isNow || !again.isEmpty || !drop.isEmpty }

    var members: [(key: String, value: JSONValue)] {
        func numbers(_ edits: [EditID]) -> JSONValue { .array(edits.map { .integer($0.number) }) }
        return [
            (key: "command", value: .string(Self.command)), (key: "now", value: .bool(isNow)),
            (key: "again", value: numbers(again)), (key: "drop", value: numbers(drop)),
        ]
    }

    init(isNow: Bool, again: [EditID], drop: [EditID]) {
        self.isNow = isNow
        self.again = again
        self.drop = drop
    }

    init(_ request: JSONValue) {
        func edits(_ key: String) -> [EditID] {
            (request[key]?.array ?? []).compactMap { $0.integer.map { EditID($0) } }
        }
        self.init(isNow: request["now"]?.bool ?? false, again: edits("again"), drop: edits("drop"))
    }

    func perform(in copy: GalleryCopy) async throws -> JSONValue {
        var unknown: [EditID] = []
        for edit in again where try await copy.makeAgain(edit) == nil { unknown.append(edit) }
        for edit in drop where try await !copy.drop(edit) { unknown.append(edit) }
        return ["unknown": .array(unknown.map { .integer($0.number) })]
    }
}
