import Basics

/// How a photo stands with one destination.
struct Way {
    let standing: PhotoStory.Standing
    let sentence: String
    var cure: String?
    /// The operator does without it.
    var isCancelled = false

    init(of delivery: PhotoHistory.Delivery, _ photo: PhotoHistory, _ present: PhotoStory.Present) {
        let absence = present.absence(from: photo.event)
        switch delivery.state {
        case .completed:
            let receipt = delivery.receipt.flatMap { Receipt(noted: $0) }
            let words = [
                Self.name(receipt), Self.caption(receipt), Self.tries(delivery), Self.successor(delivery),
            ]
            self.init(.delivered, "delivered" + words.joined())
        case .failedPermanent: self = Self.stopped(delivery, photo)
        case .uploading where absence != nil:
            self.init(
                .waiting, "the bridge ended while it was being sent; the next run sends it again", Self.run)
        case .uploading where present.sent(photo.id, to: delivery.url) != nil:
            let progress = present.sent(photo.id, to: delivery.url).map { ": \($0.progress)" } ?? ""
            let text = "it is being sent\(progress)\(Self.tries(delivery))"
            self.init(.underWay, text + Self.trial(delivery, present))
        case .uploading where present.sending?[delivery.url, default: 0] == 0:
            self = Self.queued(delivery, "is among the next to be sent", absence, present)
        case .uploading:
            let text = "it is being sent, or is among the next\(Self.tries(delivery))"
            self.init(.underWay, text + Self.trial(delivery, present))
        case .uploadedAwaitingProcessing:
            let text = "the gallery has its bytes and works on them"
            self = absence.map { .init(.waiting, "\(text); \($0)", Self.run) } ?? .init(.underWay, text)
        case .staged, .presigned: self = Self.queued(delivery, "waits for its turn", absence, present)
        case .failedRetryable:
            let time = present.written(delivery.due)
            let problem = delivery.problem.map { ": \($0)" } ?? ""
            self = Self.queued(delivery, "is tried again at \(time)\(problem)", absence, present)
        }
    }

    private init(_ standing: PhotoStory.Standing, _ sentence: String, _ cure: String? = nil) {
        self.standing = standing
        self.sentence = sentence
        self.cure = cure
    }

    private static let run = "'tetherline run' with this event goes on with it."

    /// What keeps the queue back comes first: its turn comes only after that.
    private static func queued(
        _ delivery: PhotoHistory.Delivery, _ text: String, _ absence: String?,
        _ present: PhotoStory.Present
    ) -> Way {
        let text = text + tries(delivery)
        if present.isPaused {
            let run = absence == nil ? "" : " Then \(run)"
            return Way(.needsOperator, "\(text); deliveries are paused", "'tetherline resume' goes on.\(run)")
        }
        if let absence {
            let hold =
                delivery.hold.map { ", and the destination took nothing when one ran it last: \($0)" } ?? ""
            return Way(.waiting, "\(text); \(absence)\(hold)", run)
        }
        guard let hold = hold(delivery, present) else { return Way(.underWay, text) }
        return Way(.waiting, "\(text); the destination takes nothing now: \(hold)")
    }

    private static func hold(_ delivery: PhotoHistory.Delivery, _ present: PhotoStory.Present) -> String? {
        present.holds.map { $0[delivery.url] } ?? delivery.hold
    }

    /// To a destination that is held one photo goes, and what becomes of it says whether the others may follow.
    private static func trial(_ delivery: PhotoHistory.Delivery, _ present: PhotoStory.Present) -> String {
        hold(delivery, present).map { "; this is a trial, for the destination takes nothing now: \($0)" }
            ?? ""
    }

    private static func stopped(_ delivery: PhotoHistory.Delivery, _ photo: PhotoHistory) -> Way {
        let problem = delivery.problem ?? "no reason is noted"
        if delivery.isCancelled {
            let canGoOn = delivery.removedAt == nil && photo.removedAt == nil
            var way = Way(
                .delivered, problem, canGoOn ? "'tetherline retry \(delivery.job)' sends it after all." : nil)
            way.isCancelled = true
            return way
        }
        // Held back as doubtful, it has not been tried.
        let text = delivery.attempts == 0 ? problem : "failed for good\(tries(delivery)): \(problem)"
        if problem.hasPrefix("\(SpoolFileFailure.Code.missing.rawValue):")
            || problem.hasPrefix("\(SpoolFileFailure.Code.damaged.rawValue):")
        {
            return Way(
                .needsOperator, text,
                "'tetherline store check --mend' fetches its file again, from the card or from a destination."
            )
        }
        return Way(
            .needsOperator, text,
            "'tetherline retry \(delivery.job)' tries it again once the cause is gone; 'tetherline cancel "
                + "\(delivery.job)' does without.")
    }

    private static func tries(_ delivery: PhotoHistory.Delivery) -> String {
        switch delivery.attempts {
        case 0: ""
        case 1: ", after 1 try"
        case let number: ", after \(number) tries"
        }
    }

    private static func name(_ receipt: Receipt?) -> String {
        switch receipt?.place {
        case .key(let key): " as \(key)"
        case .photo(let id): ", the gallery's photo \(id)"
        case nil: ""
        }
    }

    /// With the hash of what lies there, which is not the photo's as the camera wrote it.
    private static func caption(_ receipt: Receipt?) -> String {
        let codes = receipt?.caption?.codeProblem.map { "; \($0)" } ?? ""
        switch receipt?.caption {
        case .inside: return ", with its caption (SHA-256 \(receipt?.sha256 ?? "")\(codes))"
        case .sidecar(let key, _, let sha256, _):
            return ", with its caption in \(key) (SHA-256 \(sha256)\(codes))"
        case .leftOut: return ", without its caption"
        case nil: return ""
        }
    }

    private static func successor(_ delivery: PhotoHistory.Delivery) -> String {
        guard delivery.removedAt != nil else { return "" }
        return delivery.replacedBy.map { "; \($0) stands in its place now" }
            ?? "; the event has this destination no more"
    }
}

extension PhotoStory {
    /// What one transaction writes has times that differ by less.
    private static let sameMoment = Duration.seconds(1)

    /// Everything with a time, in order.
    static func stages(_ photo: PhotoHistory) -> [Stage] {
        var stages: [Stage] = []
        func add(_ word: Stage.Word, _ at: Timestamp?, after earlier: Timestamp?, _ text: String) {
            guard let at else { return }
            stages.append(Stage(word: word, at: at, took: earlier.map { at - $0 }, text: text))
        }
        let shot = ConfirmationTimes.told(
            date: Timestamp(ptp: photo.captureDate), cameraSeconds: photo.takenAt,
            clockAhead: photo.clockAhead, seen: photo.announcedAt)
        add(.shot, shot, after: nil, "shot, to the second that the camera's clock tells")
        add(.noticed, photo.announcedAt, after: shot, "the camera showed it")
        add(.staged, photo.stagedAt, after: photo.announcedAt, "whole in the spool, its bytes on the disk")
        for delivery in photo.deliveries {
            add(.deliveryBegun, delivery.wantedSince, after: nil, "wanted at \(delivery.url), too")
            var begun = max(delivery.createdAt, delivery.wantedSince ?? delivery.createdAt)
            for earlier in delivery.earlier {
                add(.delivered, earlier.completedAt, after: begun, "delivered to \(delivery.url)")
                add(
                    .sentAgain, earlier.repeatedAt, after: nil,
                    "sent to \(delivery.url) once more: \(earlier.reason)")
                begun = earlier.repeatedAt
            }
            add(.delivered, delivery.completedAt, after: begun, "delivered to \(delivery.url)")
        }
        let last = photo.deliveries.compactMap(\.completedAt).max()
        if let settled = photo.settledAt, last.map({ settled - $0 > sameMoment }) ?? true {
            add(.settled, settled, after: nil, "nothing of it was open any more")
        }
        add(.removedFromSpool, photo.removedAt, after: photo.settledAt, "its file was removed from the spool")
        add(.deletedFromCard, photo.deletedAt, after: nil, "deleted from the card")
        for line in photo.journal {
            let delivery = photo.deliveries.first { $0.job == line.job }
            // The stage has said so.
            if let delivery, delivery.earlier.contains(where: { $0.isSaid(by: line) }) { continue }
            add(.remark, line.at, after: nil, delivery.map { "\($0.url): \(line.text)" } ?? line.text)
        }
        return stages.enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }.map(\.element)
    }
}
