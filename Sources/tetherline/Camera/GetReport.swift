import Basics
import Bridge
import Posix
import Synchronization

/// What `get` tells: a line a file on standard output, a moving line on the terminal, a sum at the end.
final class GetReport: Sendable {
    private struct State {
        var files = 0
        var bytes: UInt64 = 0
        var present = 0
        /// What did not arrive, until it does: photos by their numbers, objects by their names.
        var notHere: Set<CaptureID> = []
        var notDescribed: Set<String> = []
        var resumedAt: [CaptureID: UInt64] = [:]
        var hold: String?
        var current: (name: String, progress: Progress)?
        var shownAt: Duration = .zero

        var failures: Int { notHere.count + notDescribed.count }
    }

    private let isJSON: Bool
    private let showsProgress: Bool
    private let time: any TimeSource
    private let startedAt: Duration
    private let state = Mutex(State())

    /// More often than this is unreadable.
    private static let interval = Duration.milliseconds(100)

    init(isJSON: Bool, isQuiet: Bool, time: any TimeSource) {
        self.isJSON = isJSON
        self.time = time
        startedAt = time.now
        showsProgress =
            !isJSON && !isQuiet && Terminal.isTerminal(2) && Program.environment("TERM") != "dumb"
    }

    var failures: Int { state.withLock { $0.failures } }
    /// Why the disk does not take any more.
    var hold: String? { state.withLock { $0.hold } }
    /// Rung when something has happened.
    let signal = Signal()

    func tell(_ news: CameraNews) {
        switch news.event {
        case .began(let capture, let path, let size, let from):
            state.withLock { $0.resumedAt[capture] = from }
            began(path, size: size == 0 ? nil : size, from: from)
        case .staged(let capture, _, let photo):
            let resumedAt = state.withLock { state in
                state.notHere.remove(capture)
                return state.resumedAt.removeValue(forKey: capture) ?? 0
            }
            fetched(
                photo.file, size: photo.size, digest: photo.sha256.isEmpty ? nil : photo.sha256,
                resumedAt: resumedAt)
            if let doubts = photo.doubts.sentence { say("\(photo.file): \(doubts)") }
        case .lost(let capture, let path, let reason): failed(capture, path, reason)
        case .givenUp(let capture, let path, let reason): failed(capture, path, reason)
        case .described(let path): state.withLock { _ = $0.notDescribed.remove(path) }
        case .connection(.waiting(let until, let loss)):
            // Who waits for this command wants to know how long.
            say("\(loss.reason) Trying again in \(Human.span(until - time.now)).")
        case .personNeeded(let sentence): say("\(Visible(sentence))")
        case .suspected, .empty:
            if let line = CameraReportLine(news) { say(line.text) }
        case .remark(let sentence): say(sentence)
        case .held(let reason, _): state.withLock { $0.hold = reason }
        case .connection, .advice, .state, .met, .reconciled, .passedOver, .duplicate, .deleted, .notDeleted,
            .released, .clock:
            break
        }
        signal.fire()
    }

    /// What the operator named and the camera has not, unless something else was said of it.
    func notFound(_ reference: PhotoReference) {
        let name = "object \(reference)"
        guard state.withLock({ !$0.notDescribed.contains(name) }) else { return }
        failed(nil, name, "the camera has no photo of that name; 'tetherline camera ls' shows what it has")
    }

    private func began(_ name: String, size: UInt64?, from offset: UInt64) {
        let now = time.now
        state.withLock { state in
            var progress = Progress(total: size, at: now)
            progress.moved(offset, at: now)
            state.current = (name, progress)
        }
    }

    func moved(_ count: UInt64) {
        guard showsProgress else {
            state.withLock { $0.bytes += count }
            return
        }
        let now = time.now
        let line = state.withLock { state -> String? in
            state.bytes += count
            guard var (name, progress) = state.current else { return nil }
            progress.moved(count, at: now)
            state.current = (name, progress)
            guard now - state.shownAt >= Self.interval else { return nil }
            state.shownAt = now
            name = SafeName.component(name, fallback: "?")
            return progress.line(name, width: Terminal.columns(2) - 1)
        }
        if let line { writeAll("\r\u{1B}[K\(line)", to: 2) }
    }

    private func fetched(_ path: String, size: UInt64, digest: String?, resumedAt: UInt64) {
        state.withLock { $0.files += 1 }
        clearLine()
        if isJSON {
            let line: JSONValue = [
                "path": .string(path), "size": .unsigned(size), "sha256": .optional(digest) { .string($0) },
                "status": "fetched", "resumedAt": .unsigned(resumedAt),
            ]
            printOutput(line.compact)
        } else {
            let note = resumedAt > 0 ? "  (resumed at \(resumedAt))" : ""
            printOutput("\(digest ?? "-")  \(size)  \(path)\(note)")
        }
    }

    func present(_ path: String, size: UInt64) {
        state.withLock { $0.present += 1 }
        clearLine()
        if isJSON {
            let line: JSONValue = ["path": .string(path), "size": .unsigned(size), "status": "present"]
            printOutput(line.compact)
        } else {
            printOutput("already there  \(size)  \(path)")
        }
    }

    private func failed(_ capture: CaptureID?, _ what: String, _ reason: String) {
        state.withLock { state in
            if let capture { state.notHere.insert(capture) } else { state.notDescribed.insert(what) }
        }
        clearLine()
        if isJSON {
            let line: JSONValue = ["object": .string(what), "status": "failed", "error": .string(reason)]
            printOutput(line.compact)
        }
        printError("tetherline: \(Visible("\(what): \(reason)"))")
    }

    private func say(_ line: String) {
        clearLine()
        printError(Visible(line).description)
    }

    func end() {
        clearLine()
        let elapsed = time.now - startedAt
        let sum = state.withLock { ($0.files, $0.bytes, $0.present, $0.failures) }
        if isJSON {
            let line: JSONValue = [
                "files": .integer(Int64(sum.0)), "bytes": .unsigned(sum.1), "present": .integer(Int64(sum.2)),
                "failed": .integer(Int64(sum.3)), "seconds": .double(elapsed / .seconds(1)),
            ]
            printOutput(line.compact)
        } else {
            let rate = Human.bytes(UInt64(Double(sum.1) / max(0.001, elapsed / .seconds(1))))
            let present = sum.2 > 0 ? ", \(sum.2) already there" : ""
            let failed = sum.3 > 0 ? ", \(sum.3) failed" : ""
            printOutput(
                "\(sum.0) files, \(sum.1) bytes in \(Human.clock(elapsed)) (\(rate)/s)\(present)\(failed)")
        }
    }

    private func clearLine() {
        if showsProgress { writeAll("\r\u{1B}[K", to: 2) }
    }
}
