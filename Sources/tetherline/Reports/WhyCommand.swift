import Arguments
import Basics
import Bridge
import Posix
import Store

/// `tetherline why`: what became of one photo, and why.
struct WhyCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "why", "One photo's whole story, from the camera's notice to the last receipt.")
        spec.discussion = [
            "Works while a bridge runs and when none does. Where several photos are meant they are listed, and one is chosen by "
                + "its number; --json tells all of them, a line each."
        ]
        spec.positionals = [
            PositionalSpec(
                "PHOTO", .one,
                "Its name or path as on the card, with or without its ending, its number in 'tetherline captures', the name that "
                    + "it has in the spool or at a destination, or its SHA-256 or the first eight digits of that."
            )
        ]
        spec.options = [
            OptionSpec("event", "EVENT", "Only of this event, by id or name. [any]"),
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline why DSC_0412.JPG", "tetherline why 17 --json"]
        return spec
    }()

    private let home: Home
    private let photo: String
    private let event: String?
    private let isJSON: Bool

    /// The ledger has the story; a bridge that says nothing for so long only adds what it does now.
    private static let patience = Duration.milliseconds(500)

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        photo = invocation.positionals[0]
        event = invocation.value("event")
        isJSON = invocation.has("json")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let reader = try home.reader()
        let event = try self.event.map { try reader.requireEvent($0) }
        let ids = try reader.photos(meant: photo, in: event?.id)
        let histories = try ids.compactMap { try reader.history(of: $0) }
        guard let first = histories.first else { throw try unknown(in: event, reader) }
        if histories.count > 1, !isJSON {
            for line in WhyText().choice(histories, of: photo, limit: LedgerReader.mostMatches) {
                printOutput(line)
            }
            return .failure
        }
        let (present, doubt) = try await present(reader, on: reactor)
        if isJSON {
            for history in histories { printOutput(PhotoStory(of: history, in: present).json.compact) }
        } else {
            for line in WhyText().lines(PhotoStory(of: first, in: present)) { printOutput(line) }
        }
        if let doubt { printError("tetherline: \(doubt)") }
        return .success
    }

    /// What the bridge that runs here does now, and what could not be asked.
    private func present(
        _ reader: LedgerReader, on reactor: Reactor
    ) async throws -> (PhotoStory.Present, String?) {
        var present = PhotoStory.Present()
        present.isPaused = try reader.recall(Ledger.pausedKey) != nil
        present.written = { $0.onTheWallToSeconds }
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        do {
            guard
                let status = try await CommandRouter.ask(
                    request, in: home, on: reactor, timeout: Self.patience)
            else { return (present, nil) }
            present.isRunning = true
            present.isPaused = status["paused"]?.bool ?? present.isPaused
            if let id = status["event"]?["id"]?.string {
                present.event = BridgeEvent(id: id, name: status["event"]?["name"]?.string ?? id)
            }
            present.holds = (status["destinations"]?.array ?? []).reduce(into: [:]) { holds, destination in
                guard let url = destination["url"]?.string else { return }
                holds[url] = destination["hold"]?["reason"]?.string
            }
            present.sending = (status["destinations"]?.array ?? []).reduce(into: [:]) {
                sending, destination in
                guard let url = destination["url"]?.string else { return }
                sending[url] = destination["jobs"]?["uploading"]?.integer.flatMap { Int(exactly: $0) }
            }
            present.moving = (status["underWay"]?.array ?? []).compactMap { BridgeStatus.Moving($0) }
            for camera in status["cameras"]?.array ?? [] {
                guard let address = camera["address"]?.string else { continue }
                present.cameras[address] = camera["state"]?.string
            }
            return (present, nil)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            present.isRunning = true
            return (
                present,
                "the bridge that runs in \(home.path) did not say how it is (\(error)); this is told from the ledger alone."
            )
        }
    }

    /// Where it was looked for, and where it may be.
    private func unknown(in event: BridgeEvent?, _ reader: LedgerReader) throws -> NothingThere {
        let number = try reader.photoCount(in: event?.id)
        let place = event.map { "of '\($0.name)'" } ?? "of all events"
        var text =
            "no photo '\(photo)' is known: it was looked for among the \(number) photos \(place) in \(home.database), by number, "
            + "name, path, SHA-256, and name at a destination."
        let names = try reader.names(like: photo, in: event?.id, limit: 5)
        if !names.isEmpty { text += " There are \(names.joined(separator: ", "))." }
        if event != nil { text += " Without --event the other events are searched, too." }
        let cameras = try (event ?? reader.chosenEvent(nil)).map { try reader.cameras(of: $0.id) } ?? []
        let host = cameras.first.map(\.address) ?? "HOST"
        text +=
            " A camera may have it and not have shown it to a bridge: 'tetherline camera ls \(host)' lists a card while no bridge "
            + "holds its camera, 'tetherline verify' compares the cards with the ledger, and 'tetherline events list' shows which "
            + "event takes photos, and since when."
        return NothingThere(description: text)
    }
}
