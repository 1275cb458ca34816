import Basics
import Bridge
import Console
import Posix
import Store
import Synchronization

/// What `run` tells, as it happens: lines for people on standard output, or a JSON value a line. The first reader of a
/// bridge's news.
final class RunReport: Sendable {
    private let isJSON: Bool
    private let printer: LinePrinter
    /// Those that were shown as new.
    private let newCameras = Mutex<Set<String>>([])
    private static let mostNewCameras = 200
    /// Where news go, once there is a bridge.
    private let board = Mutex<StatusBoard?>(nil)

    init(isJSON: Bool, printer: LinePrinter) {
        self.isJSON = isJSON
        self.printer = printer
    }

    /// From now on what is told goes to all readers, of which this is one.
    func attach(to board: StatusBoard) {
        self.board.withLock { $0 = board }
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

    // MARK: Telling

    func note(_ text: String) {
        tell("note", text, ["text": .string(text)], isWarning: true)
    }

    func tell(_ kind: String, _ text: String, _ facts: JSONValue, isWarning: Bool = false) {
        let news = BridgeNews.told(kind: kind, text, facts: facts, isWarning: isWarning)
        if let board = board.withLock({ $0 }) { board.tell(news) } else { show(news) }
    }

    // MARK: Showing

    private func show(_ news: BridgeNews) {
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
        case .held(let url, _, let reason):
            warn(
                "destinationHeld", "\(url) does not take photos now; it is tried again by itself: \(reason)",
                ["destination": .string(url), "reason": .string(reason)])
        case .released(let url):
            line("destinationReleased", "\(url) takes photos again", ["destination": .string(url)])
        case .ledgerFailed(let reason):
            warn(
                "ledgerFailed", "the ledger cannot be written; everything waits: \(reason)",
                ["reason": .string(reason)])
        case .begun, .slots, .way: break
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
        guard let line = CameraReportLine(news) else { return }
        if line.isForProgramsOnly, !isJSON { return }
        line.isWarning ? warn(line.kind, line.text, line.facts) : self.line(line.kind, line.text, line.facts)
    }

    // MARK: Lines

    private func line(_ kind: String, _ text: String, _ facts: JSONValue) {
        printer.output(isJSON ? json(kind, facts) : Visible(text).description)
    }

    private func warn(_ kind: String, _ text: String, _ facts: JSONValue) {
        if isJSON {
            printer.output(json(kind, facts))
        } else {
            printer.error("tetherline: \(Visible(text))")
        }
    }

    private func json(_ kind: String, _ facts: JSONValue) -> String {
        JSONValue.object([(key: "event", value: .string(kind))] + (facts.members ?? [])).compact
    }
}
