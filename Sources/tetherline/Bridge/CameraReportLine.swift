import Basics
import Bridge

/// One line about a camera or its photos, for people and for programs. Each says which camera: two bodies call their photos
/// alike.
struct CameraReportLine {
    let kind: String
    var text: String
    let facts: JSONValue
    var isWarning = false
    /// Too much for people.
    var isForProgramsOnly = false

    private init(
        _ kind: String, _ place: String, _ text: String, _ facts: [(key: String, value: JSONValue)],
        isWarning: Bool = false, isForProgramsOnly: Bool = false
    ) {
        self.kind = kind
        self.text = text
        self.facts = .object([(key: "address", value: .string(place))] + facts)
        self.isWarning = isWarning
        self.isForProgramsOnly = isForProgramsOnly
    }

    private typealias Facts = [(key: String, value: JSONValue)]

    /// Nothing for what is no line.
    init?(_ news: CameraNews) {
        let place = news.place
        switch news.event {
        case .connection(let state):
            guard let line = Self.connection(place, state) else { return nil }
            self = line
        case .personNeeded(let sentence):
            self.init(
                "connection", place, "\(place): \(sentence)", [(key: "state", value: .string(sentence))],
                isWarning: true)
        case .advice(let sentence):
            self.init(
                "advice", place, "", [(key: "advice", value: .string(sentence))], isForProgramsOnly: true)
        case .state, .described, .clock: return nil
        case .met(let camera):
            self.init("camera", place, "\(place): \(camera)", [(key: "camera", value: .string("\(camera)"))])
        case .reconciled(let listed, let wanted, let passedOver):
            self = Self.reconciled(place, listed, wanted, passedOver)
        case .held(let reason, _):
            self.init(
                "held", place, "\(place): nothing is fetched: \(reason)",
                [(key: "reason", value: .string(reason))],
                isWarning: true)
        case .released: self.init("released", place, "\(place): goes on", [])
        case .remark(let sentence):
            self.init(
                "remark", place, "\(place): \(sentence)", [(key: "text", value: .string(sentence))],
                isWarning: true)
        case .passedOver, .began, .staged, .duplicate, .lost, .suspected, .givenUp, .empty, .deleted,
            .notDeleted:
            self.init(photo: news)
        }
    }

    private init?(photo news: CameraNews) {
        let place = news.place
        func facts(_ capture: CaptureID?, _ path: String, _ more: Facts = []) -> Facts {
            [
                (key: "capture", value: .optional(capture) { .integer($0.number) }),
                (key: "path", value: .string(path)),
            ] + more
        }
        func trouble(_ kind: String, _ capture: CaptureID?, _ path: String, _ reason: String)
            -> CameraReportLine
        {
            CameraReportLine(
                kind, place, "\(path): \(reason)",
                facts(capture, path, [(key: "reason", value: .string(reason))]),
                isWarning: true)
        }
        switch news.event {
        case .began(let capture, let path, let size, let from):
            self.init(
                "receiving", place, "",
                facts(
                    capture, path,
                    [(key: "size", value: .unsigned(size)), (key: "resumedAt", value: .unsigned(from))]),
                isForProgramsOnly: true)
        case .staged(let capture, let path, let photo):
            let doubts = photo.doubts.sentence
            self.init(
                "staged", place,
                "\(photo.sha256)  \(photo.size)  \(path)\(doubts.map { "  (look at it: \($0))" } ?? "")",
                facts(
                    capture, path,
                    [
                        (key: "size", value: .unsigned(photo.size)),
                        (key: "sha256", value: .string(photo.sha256)),
                        (key: "file", value: .string(photo.file)),
                        (key: "doubts", value: .array(photo.doubts.sorted().map { .string($0.rawValue) })),
                    ]))
        case .duplicate(let capture, let path, let twin):
            self.init(
                "duplicate", place, "\(path): the same content as capture \(twin); not kept twice",
                facts(capture, path, [(key: "of", value: .integer(twin.number))]))
        case .passedOver(let capture, let path, let rule):
            self.init(
                "passedOver", place, "", facts(capture, path, [(key: "rule", value: .string(rule.rawValue))]),
                isForProgramsOnly: true)
        case .empty(let capture, let path):
            self.init(
                "empty", place, "\(path): it is empty on the card; there is nothing to deliver",
                facts(capture, path),
                isWarning: true)
        case .lost(let capture, let path, let reason): self = trouble("lost", capture, path, reason)
        case .givenUp(let capture, let path, let reason): self = trouble("givenUp", capture, path, reason)
        case .suspected(let capture, let path, let reason):
            self = trouble("suspected", capture, path, "\(reason) It is tried again behind all others.")
        case .notDeleted(let capture, let path, let reason):
            self = trouble("notDeleted", capture, path, "it stays on the card: \(reason)")
        case .deleted(let capture, let path):
            self.init("deleted", place, "\(path): deleted from the card", facts(capture, path))
        case .connection, .advice, .personNeeded, .state, .met, .reconciled, .held, .released, .remark,
            .described, .clock:
            return nil
        }
    }

    private static func connection(_ place: String, _ state: ConnectionLife.State) -> CameraReportLine? {
        let text: String
        var facts: Facts = []
        switch state {
        // What a person has to do then has a line of its own.
        case .idle, .ended, .waitingForOK, .confirmingCode: return nil
        case .connecting: text = "connecting"
        case .ready: text = "connected"
        case .waiting(_, let loss):
            text = "no connection: \(loss.reason) It is tried again by itself."
            facts = [
                (key: "loss", value: .string(loss.word)), (key: "reason", value: .string(loss.reason)),
            ]
        }
        return CameraReportLine(
            "connection", place, "\(place): \(text)", [(key: "state", value: .string(text))] + facts,
            isWarning: !facts.isEmpty)
    }

    private static func reconciled(
        _ place: String, _ listed: Int, _ wanted: Int, _ passedOver: [FilterRule: Int]
    ) -> CameraReportLine {
        let rules = passedOver.sorted { $0.key.rawValue < $1.key.rawValue }
        let others = rules.map {
            $0.key == .older
                ? "\($0.value) older left on the card (see --since)" : "\($0.value) \($0.key.sentence)"
        }
        return CameraReportLine(
            "reconciled", place,
            "\(place): \(listed) photo\(listed == 1 ? "" : "s") on the card, \(wanted) to download"
                + (others.isEmpty ? "" : ", " + others.joined(separator: ", ")),
            [
                (key: "listed", value: .integer(Int64(listed))),
                (key: "wanted", value: .integer(Int64(wanted))),
                (
                    key: "passedOver",
                    value: .object(rules.map { (key: $0.key.rawValue, value: .integer(Int64($0.value))) })
                ),
            ])
    }
}
