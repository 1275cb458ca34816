public import Basics

/// One photo's way from the camera's notice to the last receipt, with what stands in its way and what helps.
public struct PhotoStory: Equatable, Sendable {
    /// What is true of the bridge now, and is in no row.
    public struct Present: Sendable {
        public var isRunning = false
        public var isPaused = false
        /// What the bridge runs: photos of other events do not move. Nothing where it did not say.
        public var event: BridgeEvent?
        /// Why nothing goes to a destination, by its address; nothing where no bridge has said so.
        public var holds: [String: String]?
        /// How many photos are being sent to a destination, by its address; nothing where no bridge has said so. More are
        /// noted as being sent, ahead of their turn.
        public var sending: [String: Int]?
        /// Photos whose bytes move at this moment; none where no bridge has said so.
        public var moving: [BridgeStatus.Moving] = []
        /// What a camera's connection is doing, by its address.
        public var cameras: [String: String] = [:]
        /// How a moment is written: as the clock on the operator's wall has it, where there is one.
        public var written: @Sendable (Timestamp) -> String = {
            CivilTime.rfc3339(milliseconds: $0.milliseconds)
        }

        public init() {}

        /// As a bridge that runs says it.
        public init(_ status: BridgeStatus) {
            isRunning = status.isRunning
            isPaused = status.isPaused
            event = status.event.map { BridgeEvent(id: $0.id, name: $0.name) }
            holds = status.destinations.reduce(into: [:]) { $0?[$1.url] = $1.hold?.reason }
            sending = status.destinations.reduce(into: [:]) { $0?[$1.url] = $1.jobs[.uploading] }
            moving = status.underWay.photos
            for camera in status.cameras { cameras[camera.address] = camera.state }
        }

        /// How far a photo is on its way to a destination.
        func sent(_ photo: CaptureID, to url: String) -> BridgeStatus.Moving? {
            moving.first { $0.capture == photo && $0.way == .to(url) }
        }

        /// How far a photo is on its way from its camera.
        func received(_ photo: CaptureID) -> BridgeStatus.Moving? {
            moving.first { moving in
                if case .from = moving.way { moving.capture == photo } else { false }
            }
        }

        /// Why nothing moves by itself, for a photo of this event; nothing while a bridge runs it.
        func absence(from event: BridgeEvent) -> String? {
            guard isRunning else { return "no bridge runs" }
            guard let running = self.event, running.id != event.id else { return nil }
            return "the bridge that runs is at '\(running.name)', and leaves this event alone"
        }
    }

    /// How it stands, as one word.
    public enum Standing: String, Equatable, Sendable, CaseIterable {
        /// Every destination has it.
        case delivered
        /// It goes on by itself.
        case underWay
        /// It goes on when a bridge runs, a hold ends or its camera is there.
        case waiting
        /// It goes on when the operator has done something.
        case needsOperator
        /// A rule leaves it on the card.
        case leftOut
        /// Another photo of the event has the same bytes.
        case duplicate
        case lost
        /// It is here, and its event has no destination.
        case kept
    }

    /// One thing that happened, in order.
    public struct Stage: Equatable, Sendable {
        public enum Word: String, Equatable, Sendable {
            case shot
            case noticed
            case staged
            case deliveryBegun
            case delivered
            case sentAgain
            case settled
            case removedFromSpool
            case deletedFromCard
            case remark
        }

        public let word: Word
        public let at: Timestamp
        /// Since the stage that it follows on; nothing where there is none.
        public let took: Duration?
        public let text: String
    }

    /// Where it stands with one destination.
    public struct Delivery: Equatable, Sendable {
        public let url: String
        public let job: JobID
        public let sentence: String
        public let cure: String?
        public let isDone: Bool
        /// How many of its bytes have left, while they do.
        public let moving: BridgeStatus.Moving?
    }

    public let history: PhotoHistory
    public let standing: Standing
    /// What became of it, in a sentence.
    public let sentence: String
    /// What the operator can do, each once.
    public let cures: [String]
    public let stages: [Stage]
    public let deliveries: [Delivery]
    /// How many of its bytes are here, while they come.
    public let arriving: BridgeStatus.Moving?

    public init(of history: PhotoHistory, in present: Present) {
        self.history = history
        let ways = history.deliveries.map { (Way(of: $0, history, present), $0) }
        deliveries = ways.map { way, delivery in
            Delivery(
                url: delivery.url, job: delivery.job, sentence: way.sentence, cure: way.cure,
                isDone: way.standing == .delivered && !way.isCancelled,
                moving: delivery.state == .uploading ? present.sent(history.id, to: delivery.url) : nil)
        }
        arriving = [.announced, .receiving].contains(history.state) ? present.received(history.id) : nil
        stages = Self.stages(history)
        let wanted = ways.filter { $0.1.isWanted }.map(\.0)
        let ending = StoryEnding(of: history, wanted, present)
        standing = ending.standing
        sentence = ending.sentence
        var cures: [String] = []
        for cure in [ending.cure] + wanted.map(\.cure) {
            if let cure, !cures.contains(cure) { cures.append(cure) }
        }
        self.cures = cures
    }
}

/// What a photo's own state says of it; of one that is staged, what its deliveries say together.
private struct StoryEnding {
    let standing: PhotoStory.Standing
    let sentence: String
    var cure: String?

    init(of history: PhotoHistory, _ ways: [Way], _ present: PhotoStory.Present) {
        switch history.state {
        case .announced, .receiving: self = Self.coming(history, present)
        case .filtered: self = Self.leftOut(history)
        case .staged: self = Self.staged(history, ways)
        case .duplicate:
            let original = history.relatives.first { $0.relation == .original }
            let name = original.map { "photo \($0.id) (\($0.path))" } ?? "another photo"
            self.init(
                .duplicate,
                "Its bytes are those of \(name) of this event, which is delivered in its place.",
                original.map { "'tetherline why \($0.id)' tells how that one fared." })
        case .lost:
            self.init(
                .lost,
                "It went from the camera before it was whole here: \(history.reason ?? "no reason is noted").",
                "If the card still has it, or a copy does, put it back on the card: it is downloaded when the camera "
                    + "is connected again.")
        case .abandoned:
            self.init(
                .needsOperator,
                "It was given up for now: \(history.reason ?? "no reason is noted").",
                "It is tried again at the camera's next connection; switching the camera off and on makes one."
            )
        }
    }

    private init(_ standing: PhotoStory.Standing, _ sentence: String, _ cure: String? = nil) {
        self.standing = standing
        self.sentence = sentence
        self.cure = cure
    }

    private static func coming(_ history: PhotoHistory, _ present: PhotoStory.Present) -> StoryEnding {
        if let arriving = present.received(history.id) {
            return StoryEnding(.underWay, "It is being fetched: \(arriving.progress).")
        }
        let part =
            history.verified > 0
            ? "\(Human.bytes(history.verified)) of \(Human.bytes(history.size)) of it are here"
            : "Not a byte of it is known to be here yet"
        if let absence = present.absence(from: history.event) {
            return StoryEnding(
                .waiting, "\(part), and \(absence).",
                "'tetherline run' with this event and its camera goes on with it.")
        }
        let camera = history.address.flatMap { address in
            present.cameras[address].map { "; its camera: \($0)" }
        }
        return StoryEnding(.underWay, "\(part)\(camera ?? "").")
    }

    private static func leftOut(_ history: PhotoHistory) -> StoryEnding {
        let rule = history.reason.flatMap { FilterRule(rawValue: $0) }
        let reason = rule?.sentence ?? history.reason ?? "no reason is noted"
        let photo = history.relatives.first { $0.relation == .companionOf }
        let follows = photo.map { ", as is true of its photo \($0.id) (\($0.path)), which it follows" } ?? ""
        return StoryEnding(.leftOut, "It was left on the card: \(reason)\(follows).")
    }

    private static func staged(_ history: PhotoHistory, _ ways: [Way]) -> StoryEnding {
        guard !ways.isEmpty else {
            return StoryEnding(
                .kept, "It is whole in the spool, and its event has no destination.",
                "'tetherline destination add URL' names one.")
        }
        let wanted = ways.filter { !$0.isCancelled }
        let without = ways.count == wanted.count ? "" : " \(ways.count - wanted.count) cancelled."
        guard !wanted.isEmpty else {
            return StoryEnding(.kept, "It is whole in the spool, and its deliveries were cancelled.")
        }
        let done = wanted.filter { $0.standing == .delivered }.count
        let order: [PhotoStory.Standing] = [.needsOperator, .waiting, .underWay]
        guard let worst = order.first(where: { word in wanted.contains { $0.standing == word } }) else {
            let all = wanted.count == 1 ? "Its destination has" : "All \(wanted.count) destinations have"
            return StoryEnding(.delivered, "\(all) it.\(without)")
        }
        let words =
            switch worst {
            case .needsOperator: "waits for you"
            case .waiting: "waits"
            default: "is under way"
            }
        guard done > 0 else { return StoryEnding(worst, "It is whole in the spool and \(words).\(without)") }
        return StoryEnding(
            worst, "\(done) of \(wanted.count) destinations have it; the rest \(words).\(without)")
    }
}
