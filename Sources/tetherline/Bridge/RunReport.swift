import Bridge
import Posix
import Store
import Synchronization
import Transfer
import Upload

/// What `run` tells, as it happens: lines for people on standard output, or a JSON value a line.
final class RunReport: Sendable {
    private let isJSON: Bool
    /// Photos of this run that did not arrive.
    private let troubles = Mutex(0)
    private let progress = Mutex(Progress())

    private struct Progress {
        var count = 0
        /// Who wants to know when it has come so far.
        var milestone: (count: Int, bell: Doorbell)?
    }

    private let printer: LinePrinter

    init(isJSON: Bool, printer: LinePrinter) {
        self.isJSON = isJSON
        self.printer = printer
    }

    /// What has been told is printed before the program ends, if anybody reads it.
    func finish(of time: any TimeSource) async {
        await printer.finish(within: .seconds(2), of: time)
    }

    var troubleCount: Int { troubles.withLock { $0 } }
    /// Grows with everything that gets further.
    var progressCount: Int { progress.withLock { $0.count } }

    /// Rung when ``progressCount`` has come so far, at once where it has already. Whoever asks last is rung for.
    func ring(_ bell: Doorbell, atProgress count: Int) {
        progress.withLock { $0.milestone = (count, bell) }
        ringAtMilestone()
    }

    private func goOn() {
        progress.withLock { $0.count += 1 }
        ringAtMilestone()
    }

    private func ringAtMilestone() {
        let bell: Doorbell? = progress.withLock { progress in
            guard let (count, bell) = progress.milestone, count <= progress.count else { return nil }
            progress.milestone = nil
            return bell
        }
        bell?.ring()
    }

    func tell(_ event: TransferEvent) {
        switch event {
        case .connection(let address, let state): connection(address, state)
        case .camera(let address, let camera):
            line(
                "camera", "\(address): \(camera)",
                ["address": .string(address), "camera": .string("\(camera)")])
        case .reconciled(let address, let listed, let wanted, let passedOver):
            reconciled(address, listed, wanted, passedOver)
        case .began(let path, let size, let from):
            if isJSON {
                line(
                    "receiving", "",
                    ["path": .string(path), "size": .unsigned(size), "resumedAt": .unsigned(from)])
            }
        case .staged(let path, let id, let photo):
            goOn()
            line(
                "staged", "\(photo.sha256)  \(photo.size)  \(path)",
                [
                    "capture": .integer(id.number), "path": .string(path), "size": .unsigned(photo.size),
                    "sha256": .string(photo.sha256), "file": .string(photo.file),
                ])
        case .duplicate(let path, let twin):
            goOn()
            line(
                "duplicate", "\(path): the same content as capture \(twin); not kept twice",
                ["path": .string(path), "of": .integer(twin.number)])
        case .lost(let path, let reason): trouble("lost", path, reason)
        case .givenUp(let path, let reason): trouble("givenUp", path, reason)
        case .passedOver(let path, let rule):
            if isJSON { line("passedOver", "", ["path": .string(path), "rule": .string(rule.rawValue)]) }
        case .notDeleted(let path, let reason):
            warn(
                "notDeleted", "\(path): it stays on the card: \(reason)",
                ["path": .string(path), "reason": .string(reason)])
        case .deleted(let path): line("deleted", "\(path): deleted from the card", ["path": .string(path)])
        case .held(let address, let reason):
            warn(
                "held", "\(address): nothing is fetched: \(reason)",
                ["address": .string(address), "reason": .string(reason)])
        case .released(let address):
            line("released", "\(address): goes on", ["address": .string(address)])
        }
    }

    func tell(_ event: UploadEvent) {
        switch event {
        case .delivered(let job, let url, let receipt):
            goOn()
            if isJSON {
                line(
                    "delivered", "",
                    [
                        "capture": .integer(job.capture.number), "destination": .string(url),
                        "receipt": receipt.json,
                    ])
            }
        case .failed(let job, let url, let problem, let isFinal):
            if isFinal { troubles.withLock { $0 += 1 } }
            warn(
                "deliveryFailed",
                "\(job.facts.name) to \(url): \(problem)\(isFinal ? "" : " It is tried again.")",
                [
                    "capture": .integer(job.capture.number), "destination": .string(url),
                    "problem": .string(problem), "isFinal": .bool(isFinal),
                ])
        case .held(let url, let reason):
            warn(
                "destinationHeld", "\(url) does not take photos now; it is tried again by itself: \(reason)",
                ["destination": .string(url), "reason": .string(reason)])
        case .released(let url):
            line("destinationReleased", "\(url) takes photos again", ["destination": .string(url)])
        case .ledgerFailed(let reason):
            warn(
                "ledgerFailed", "the ledger cannot be written; everything waits: \(reason)",
                ["reason": .string(reason)])
        }
    }

    func tell(_ report: Recovery.Report) {
        guard !report.isQuiet else { return }
        line(
            "recovered",
            "found after the last run: \(report.adopted) whole photos, \(report.resumable) parts to go on with, "
                + "\(report.strays) strays, \(report.vanished) vanished, \(report.rescuedJobs) interrupted deliveries",
            [
                "adopted": .integer(Int64(report.adopted)), "resumable": .integer(Int64(report.resumable)),
                "strays": .integer(Int64(report.strays)), "vanished": .integer(Int64(report.vanished)),
                "removed": .integer(Int64(report.removed)),
                "rescuedJobs": .integer(Int64(report.rescuedJobs)),
            ])
    }

    func sum(_ counts: LedgerReader.Counts, _ event: BridgeEvent) {
        let captures = CaptureState.allCases.compactMap { state in
            counts.captures[state].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
        }
        let jobs = JobState.allCases.compactMap { state in
            counts.jobs[state].flatMap { $0 > 0 ? "\($0) \(state.rawValue)" : nil }
        }
        line(
            "sum",
            "\(event.name): photos: \(captures.isEmpty ? "none" : captures.joined(separator: ", "))"
                + (jobs.isEmpty ? "" : "; deliveries: \(jobs.joined(separator: ", "))"),
            [
                "event": .string(event.id), "name": .string(event.name),
                "captures": .object(
                    counts.captures.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        (key: $0.key.rawValue, value: .integer(Int64($0.value)))
                    }),
                "jobs": .object(
                    counts.jobs.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                        (key: $0.key.rawValue, value: .integer(Int64($0.value)))
                    }),
            ])
    }

    func note(_ text: String) {
        warn("note", text, ["text": .string(text)])
    }

    // MARK: Lines

    private func connection(_ address: String, _ state: ConnectionLife.State) {
        let text: String
        switch state {
        case .idle, .ended: return
        case .connecting: text = "connecting"
        case .waitingForOK: text = "look at the camera's screen and press OK if it asks"
        case .ready: text = "connected"
        case .waiting(_, let loss): text = "no connection: \(loss.reason) It is tried again by itself."
        }
        let facts: JSONValue = ["address": .string(address), "state": .string(text)]
        switch state {
        case .waiting, .waitingForOK: warn("connection", "\(address): \(text)", facts)
        case .idle, .ended, .connecting, .ready: line("connection", "\(address): \(text)", facts)
        }
    }

    private func reconciled(
        _ address: String, _ listed: Int, _ wanted: Int, _ passedOver: [FilterRule: Int]
    ) {
        goOn()
        let rules = passedOver.sorted { $0.key.rawValue < $1.key.rawValue }
        let others = rules.map {
            $0.key == .older ? "\($0.value) older, not taken" : "\($0.value) \($0.key.sentence)"
        }
        line(
            "reconciled",
            "\(address): \(listed) photos there, \(wanted) to fetch"
                + (others.isEmpty ? "" : ", " + others.joined(separator: ", ")),
            [
                "address": .string(address), "listed": .integer(Int64(listed)),
                "wanted": .integer(Int64(wanted)),
                "passedOver": .object(rules.map { (key: $0.key.rawValue, value: .integer(Int64($0.value))) }),
            ])
    }

    private func trouble(_ kind: String, _ path: String, _ reason: String) {
        troubles.withLock { $0 += 1 }
        warn(kind, "\(path): \(reason)", ["path": .string(path), "reason": .string(reason)])
    }

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
