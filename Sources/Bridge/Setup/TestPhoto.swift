import Basics

/// A photo of the setup on its way: what has been seen of it, what is waited for, and what is said when that does not come.
public struct TestPhoto: Equatable, Sendable {
    public enum End: Equatable, Sendable {
        /// Every place has confirmed it.
        case arrived
        /// What has not happened, and what helps.
        case failed(String)
    }

    private enum State: Equatable {
        /// Left when the card has been held against the ledger.
        case awaitingCamera
        /// Left with the first photo that begins to come.
        case awaitingShutter
        /// Left when it is whole and on the disk.
        case receiving(path: String)
        /// Left when every place has it, or one will not take it.
        case delivering(CaptureID, path: String)
        case over(End)
    }

    private var state = State.awaitingCamera
    /// When the state was entered, or something moved in it.
    private var movedAt: Duration
    /// How long nothing may move.
    private let patience: Duration
    private var lastProblem: String?
    private var delivered: [String: JobState] = [:]

    public init(at now: Duration, patience: Duration) {
        movedAt = now
        self.patience = patience
    }

    public var end: End? { if case .over(let end) = state { end } else { nil } }

    /// The photo that is on the disk: how its deliveries stand is asked for then.
    public var capture: CaptureID? { if case .delivering(let capture, _) = state { capture } else { nil } }

    // MARK: What a bridge tells

    /// Lines for the operator.
    public mutating func handle(_ news: BridgeNews, at now: Duration) -> [String] {
        if end != nil { return [] }
        switch news {
        case .camera(let news): return handle(news.event, of: news.place, at: now)
        case .upload(.held(let url, _, let reason)):
            return noting("\(url) does not take photos now: \(reason)")
        case .upload(.failed(let job, let url, let problem, _)) where job.capture == capture:
            return noting("\(url): \(problem)")
        case .upload(.ledgerFailed(let reason)):
            return noting("the ledger cannot be written: \(reason)")
        case .told(_, let text, _, let isWarning): return isWarning ? noting(text) : []
        case .upload, .search, .paused, .missed: return []
        }
    }

    private mutating func handle(
        _ event: TransferEvent, of place: String, at now: Duration
    ) -> [String] {
        switch event {
        case .connection(.ready): return moved(now, ["camera     \(place) is connected"])
        case .connection(.waiting(_, let loss)): return noting("\(place): \(loss.reason)")
        case .connection: return []
        case .personNeeded(let sentence): return moved(now, noting(sentence))
        case .reconciled:
            guard state == .awaitingCamera else { return [] }
            state = .awaitingShutter
            return moved(now, ["Press the shutter of the camera now."])
        case .began(_, let path, let size, _): return began(path, size, at: now)
        case .staged(let capture, let path, let photo):
            guard isAwaited(path) else { return [] }
            state = .delivering(capture, path: path)
            return moved(
                now, ["on disk    \(path), \(Human.bytes(photo.size)), SHA-256 \(photo.sha256.prefix(12))…"])
        case .duplicate(_, let path, _):
            return retaken(path, "has the same content as a photo that is here already", at: now)
        case .empty(_, let path): return retaken(path, "is empty on the card", at: now)
        case .passedOver(_, let path, let rule):
            return moved(now, noting("\(path) is not taken: \(rule.sentence). Another photo may be."))
        case .lost(_, let path, let reason), .givenUp(_, let path, let reason):
            return retaken(path, "was lost: \(reason)", at: now)
        case .suspected(_, let path, let reason): return noting("\(path): \(reason)")
        case .held(let reason, _): return noting("nothing is fetched: \(reason)")
        case .remark(let text): return noting(text)
        case .released, .advice, .state, .met, .clock, .deleted, .notDeleted, .described: return []
        }
    }

    private mutating func began(_ path: String, _ size: UInt64, at now: Duration) -> [String] {
        switch state {
        case .awaitingCamera, .awaitingShutter:
            state = .receiving(path: path)
            return moved(now, ["notice     \(path), \(Human.bytes(size))"])
        case .receiving(path): return moved(now, [])
        case .receiving, .delivering, .over: return []
        }
    }

    /// The one that began, or any where none was seen to begin.
    private func isAwaited(_ path: String) -> Bool {
        switch state {
        case .awaitingCamera, .awaitingShutter, .receiving(path): true
        case .receiving, .delivering, .over: false
        }
    }

    private mutating func retaken(_ path: String, _ what: String, at now: Duration) -> [String] {
        guard isAwaited(path) else { return [] }
        state = .awaitingShutter
        return moved(now, noting("\(path) \(what).") + ["Press the shutter once more."])
    }

    /// What is said again is said once.
    private mutating func noting(_ problem: String) -> [String] {
        guard problem != lastProblem else { return [] }
        lastProblem = problem
        return [problem]
    }

    private mutating func moved(_ now: Duration, _ lines: [String]) -> [String] {
        movedAt = now
        return lines
    }

    // MARK: What the ledger has

    /// How the photo stands at every place of the event.
    public mutating func handle(_ deliveries: [PhotoHistory.Delivery], at now: Duration) -> [String] {
        guard case .delivering = state else { return [] }
        let wanted = deliveries.filter { !$0.isCancelled && $0.removedAt == nil }
        var lines: [String] = []
        for delivery in wanted where delivered[delivery.url] != delivery.state {
            lines += line(of: delivery)
            delivered[delivery.url] = delivery.state
            movedAt = now
        }
        if let lost = wanted.first(where: { $0.state == .failedPermanent }) {
            finish("\(lost.url) will not take it: \(lost.problem ?? "it did not say why").")
        } else if wanted.isEmpty {
            finish(
                "The photo is on the disk and goes nowhere: the event has no destination. 'tetherline destination list' shows "
                    + "those that it had, 'tetherline destination add URL' names one.")
        } else if wanted.allSatisfy({ $0.state == .completed }) {
            state = .over(.arrived)
        }
        return lines
    }

    private func line(of delivery: PhotoHistory.Delivery) -> [String] {
        switch delivery.state {
        case .staged, .presigned, .failedPermanent: []
        case .uploading: ["sending    to \(delivery.url)"]
        case .uploadedAwaitingProcessing: ["delivered  to \(delivery.url), which is working on it"]
        case .completed: ["confirmed  by \(delivery.url)"]
        case .failedRetryable: delivery.problem.map { ["\(delivery.url): \($0) It is tried again."] } ?? []
        }
    }

    // MARK: What does not happen

    /// The time that the operator gave it is over when nothing has moved for so long.
    public mutating func look(at now: Duration) {
        guard end == nil, now - movedAt >= patience else { return }
        let span = Human.clock(patience)
        let reason = lastProblem.map { " The last that was heard: \($0)" } ?? ""
        switch state {
        case .awaitingCamera:
            finish(
                "No camera has connected within \(span).\(reason) Is it awake, on this network, and its phone app ended? "
                    + "'tetherline setup pair' connects to it alone, 'tetherline doctor' looks at this computer."
            )
        case .awaitingShutter:
            finish(
                "No photo has come within \(span).\(reason) Was it shot, and is there a card in the camera? 'tetherline camera "
                    + "events HOST' shows what it tells; a firewall may keep its events out: 'tetherline doctor'."
            )
        case .receiving(let path):
            finish(
                "\(path) has stopped coming for \(span).\(reason) Move closer to the camera, and try again.")
        case .delivering(_, let path):
            let open = delivered.filter { $0.value != .completed }.keys.sorted().joined(separator: ", ")
            finish(
                "\(path) is safe on the disk, and has not been confirmed by \(open.isEmpty ? "any place" : open) within \(span)."
                    + "\(reason) It is delivered by the next run; 'tetherline destination test' tries the places alone."
            )
        case .over: break
        }
    }

    /// The bridge itself has ended, which it does not do by itself.
    public mutating func ended(_ problem: String?) {
        guard end == nil else { return }
        finish(
            problem ?? "The bridge has ended.\(lastProblem.map { " The last that was heard: \($0)" } ?? "")")
    }

    private mutating func finish(_ problem: String) { state = .over(.failed(problem)) }
}
