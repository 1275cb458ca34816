import Basics
import Bridge
import Console
import Posix
import Store
import Synchronization
import Web

/// What `run` tells, as it happens: lines for people on standard output, or a JSON value a line. The first reader of a
/// bridge's news.
final class RunReport: Sendable {
    private let isJSON: Bool
    private let printer: LinePrinter
    /// Where lines for people go instead of the terminal, when systemd runs the bridge.
    private let journal: SystemJournal?
    /// Those that were shown as new.
    private let newCameras = Mutex<Set<String>>([])
    private static let mostNewCameras = 200
    /// What was said of codes that no roster has.
    private let toldCodes = Mutex<Set<String>>([])
    private static let mostToldCodes = 100
    /// What goes on, and has been said.
    private let outages = Mutex(ConsoleOutages())
    private let wall: any WallTime
    /// On a terminal each line has its time; a program or a file gets the lines that it knows.
    private let isTerminal: Bool
    /// Who shows what is told, as long as a terminal's screen does.
    private let screen = Mutex<TerminalHUD?>(nil)
    /// Where news go, once there is a bridge.
    private let board = Mutex<StatusBoard?>(nil)
    /// Who hears everything instead of a reader of lines.
    private let audience: (@Sendable (BridgeNews) -> Void)?

    init(
        isJSON: Bool, printer: LinePrinter, journal: SystemJournal? = nil,
        isTerminal: Bool = Terminal.isTerminal(1), wall: any WallTime = SystemWallTime(),
        audience: (@Sendable (BridgeNews) -> Void)? = nil
    ) {
        self.isJSON = isJSON
        self.printer = printer
        self.journal = isJSON ? nil : journal
        self.wall = wall
        self.isTerminal = isTerminal
        self.audience = audience
    }

    /// From now on what is told goes to all readers, of which this is one.
    func attach(to board: StatusBoard) {
        self.board.withLock { $0 = board }
    }

    /// From now on a screen shows what is told; after it, lines again.
    func show(on screen: TerminalHUD?) {
        self.screen.withLock { $0 = screen }
    }

    /// Until the bridge ends.
    func follow(_ reader: NewsSubscription) async {
        while let batch = await reader.nextBatch() {
            for news in batch { show(news) }
        }
    }

    /// What has been reported is printed before the program ends, if the output is read.
    func finish(of time: any TimeSource) async {
        await printer.finish(within: .seconds(2), of: time)
    }

    /// Rings the terminal that errors are written to; nothing where they go elsewhere.
    var bell: (@Sendable () -> Void)? {
        guard Terminal.isTerminal(2) else { return nil }
        return { [printer] in printer.ring() }
    }

    // MARK: Telling

    func note(_ text: String) {
        tell("note", text, ["text": .string(text)], isWarning: true)
    }

    /// Past the board, because its thread may be the one that hangs.
    func noteAtOnce(_ text: String) {
        show(BridgeNews.told(kind: "note", text, facts: ["text": .string(text)], isWarning: true))
    }

    func tell(_ kind: String, _ text: String, _ facts: JSONValue, isWarning: Bool = false) {
        let news = BridgeNews.told(kind: kind, text, facts: facts, isWarning: isWarning)
        if let board = board.withLock({ $0 }) { board.tell(news) } else { show(news) }
    }

    /// For the person at this terminal alone: it stands in no log and goes to no other reader.
    func show(_ secretAddress: String, asCode: Bool) {
        guard !isJSON, Terminal.isTerminal(1) else { return }
        if let screen = screen.withLock({ $0 }) {
            screen.tell(HUD.PageAddress(secretAddress, hasColours: TerminalColours.ofOutput))
        } else {
            let code = asCode ? qrTerminal(secretAddress, colours: TerminalColours.ofOutput) + "\n" : ""
            printer.output(code + secretAddress)
        }
    }

    // MARK: Showing

    private func show(_ news: BridgeNews) {
        if let audience { return audience(news) }
        switch news {
        case .camera(let news): show(news)
        case .upload(let event): show(event)
        case .search(let news): show(news)
        case .paused: break
        case .told(let kind, let text, let facts, let isWarning):
            isWarning ? warn(kind, text, facts) : line(kind, text, facts)
        case .missed(let count):
            warn("missed", "\(count) lines were left out", ["count": .integer(Int64(count))])
        }
    }

    private func show(_ event: UploadEvent) {
        switch event {
        case .delivered(let job, let url, let receipt):
            if let caption = receipt.caption { show(caption, of: job, at: url) }
            guard isJSON else { return }
            line(
                "delivered", "",
                [
                    "capture": .integer(job.capture.number), "job": .integer(job.id.number),
                    "destination": .string(url), "receipt": receipt.json,
                ])
        case .failed(let job, let url, let problem, let isFinal):
            warn(
                "deliveryFailed",
                "\(job.facts.name) to \(url): \(problem)\(isFinal ? "" : " It is tried again.")",
                [
                    "capture": .integer(job.capture.number), "job": .integer(job.id.number),
                    "destination": .string(url), "problem": .string(problem), "isFinal": .bool(isFinal),
                ])
        case .held(let url, let cause, let reason): showHold(url, cause, reason)
        case .released(let url):
            let span = outages.withLock { $0.released(url, at: wall.wallNow) }
            line(
                "destinationReleased", "\(url) takes photos again\(span.map { " after \($0)" } ?? "")",
                ["destination": .string(url)])
        case .way(let url, let way): outages.withLock { $0.note(way: way, to: url) }
        case .slots(let url, let slots): showWay(url, slots)
        case .ledgerFailed(let reason):
            warn(
                "ledgerFailed", "the ledger cannot be written; everything waits: \(reason)",
                ["reason": .string(reason)])
        case .begun: break
        }
    }

    /// A photo without its caption is told each time; what is wrong with a code once, and not of every photo.
    private func show(_ caption: DeliveredCaption, of job: Job, at url: String) {
        let problem: String
        if case .leftOut(let reason) = caption {
            problem = "\(job.facts.name) to \(url): \(DeliveredCaption.leftOut(because: reason))"
        } else if let codes = caption.codeProblem {
            let isNew = toldCodes.withLock { $0.count < Self.mostToldCodes && $0.insert(codes).inserted }
            guard isNew else { return }
            problem = "the captions of \(job.facts.name) and later photos: \(codes)"
        } else {
            return
        }
        warn(
            "caption", problem,
            [
                "capture": .integer(job.capture.number), "job": .integer(job.id.number),
                "destination": .string(url), "problem": .string(problem),
            ])
    }

    private func showHold(_ url: String, _ cause: HoldCause?, _ reason: String) {
        guard outages.withLock({ $0.isNews(heldAt: url, reason, at: wall.wallNow) }) else { return }
        let end = reason.hasSuffix(".") ? "" : "."
        let next = cause.map { "\(end) To do: \($0.advice(for: url))" } ?? ""
        warn(
            "destinationHeld",
            "\(url) does not take photos now; it is tried again by itself: \(reason)\(next)",
            ["destination": .string(url), "reason": .string(reason)])
    }

    /// A network that does not lead there, or may not be used.
    private func showWay(_ url: String, _ slots: Int) {
        switch outages.withLock({ $0.change(slots: slots, to: url, at: wall.wallNow) }) {
        case nil: break
        case "": line("wayOpen", "\(url): photos go there again", ["destination": .string(url)])
        case .some(let way):
            warn(
                "wayClosed",
                "\(url): no photos go there now: \(way) at a time; 'tetherline network' says more",
                ["destination": .string(url), "way": .string(way)])
        }
    }

    private func show(_ news: SearchNews) {
        switch news {
        case .new(let place, let name, let advice):
            guard isNews(place, name) else { return }
            warn(
                "newCamera", "\(name) at \(place) is \(advice)",
                ["address": .string(place), "name": .string(name), "advice": .string(advice)])
        case .leaves(let place):
            line("left", "\(place): it is not waited for here any more", ["address": .string(place)])
        case .notNew(let place):
            if isJSON { line("newCameraGone", "", ["address": .string(place)]) }
        case .tethers: break
        }
    }

    /// One that comes and goes is said once.
    private func isNews(_ place: String, _ name: String) -> Bool {
        newCameras.withLock { $0.count < Self.mostNewCameras && $0.insert("\(place) \(name)").inserted }
    }

    private func show(_ news: CameraNews) {
        guard var line = CameraReportLine(news) else { return }
        if line.isForProgramsOnly, !isJSON { return }
        if !isJSON {
            guard let more = outages.withLock({ $0.remark(on: news, at: wall.wallNow) }) else { return }
            line.text += more
        }
        line.isWarning ? warn(line.kind, line.text, line.facts) : self.line(line.kind, line.text, line.facts)
    }

    // MARK: Lines

    private func line(_ kind: String, _ text: String, _ facts: JSONValue) {
        if enter(kind, text, facts, .information) { return }
        // What goes as it should is seen there already.
        guard screen.withLock({ $0 }) == nil else { return }
        let text = "\(Visible(text))"
        printer.output(isJSON ? json(kind, facts) : isTerminal ? "\(clock)  \(text)" : text)
    }

    private func warn(_ kind: String, _ text: String, _ facts: JSONValue) {
        if enter(kind, text, facts, .warning) { return }
        if isJSON {
            printer.output(json(kind, facts))
        } else if let screen = screen.withLock({ $0 }) {
            screen.tell(TextLine(label: "", text: "\(clock)  \(text)", tone: .warning))
        } else {
            printer.error("tetherline: \(clock) \(Visible(text))")
        }
    }

    /// With its facts as fields, as far as they are words or figures; the text has them, too.
    private func enter(
        _ kind: String, _ text: String, _ facts: JSONValue, _ priority: SystemJournalEntry.Priority
    ) -> Bool {
        guard let journal else { return false }
        var entry = SystemJournalEntry(Visible(text).description, priority: priority)
        entry.add("kind", kind, of: "TETHERLINE")
        for (key, value) in facts.members ?? [] where key != "text" {
            switch value {
            case .string(let text): entry.add(key, Visible(text).description, of: "TETHERLINE")
            case .integer, .bool: entry.add(key, value.compact, of: "TETHERLINE")
            default: continue
            }
        }
        printer.enter(entry, in: journal)
        return true
    }

    /// When it is said, as the clock on the wall shows it here: an hour later it is read by that.
    private var clock: String { String(wall.wallNow.onTheWallToSeconds.dropFirst(11)) }

    private func json(_ kind: String, _ facts: JSONValue) -> String {
        let at = CivilTime.rfc3339(milliseconds: wall.wallNow.milliseconds)
        return JSONValue.object(
            [(key: "event", value: .string(kind))] + (facts.members ?? []) + [(key: "at", value: .string(at))]
        ).compact
    }
}
