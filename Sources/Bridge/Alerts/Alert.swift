public import Basics

extension BridgeStatus {
    /// Something that the operator has been called for and that goes on.
    public struct Alert: Equatable, Sendable {
        public var rule: AlertRule
        /// Which camera or destination it is about, where it is one's.
        public var subject: String?
        public var since: Timestamp
        public var text: String
        public var advice: String

        public init(
            rule: AlertRule, subject: String? = nil, since: Timestamp, text: String, advice: String
        ) {
            self.rule = rule
            self.subject = subject
            self.since = since
            self.text = text
            self.advice = advice
        }

        public var json: JSONValue {
            [
                "alert": .string(rule.rawValue), "subject": .optional(subject, JSONValue.string),
                "since": BridgeStatus.time(since), "text": .string(text), "advice": .string(advice),
            ]
        }
    }
}

/// What is sent of an alert.
public struct AlertNews: Equatable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        case began
        /// It is said again.
        case goesOn
        case over
        /// The operator tries whether alerts arrive.
        case test
    }

    public var state: State
    public var alert: BridgeStatus.Alert

    public init(_ state: State, _ alert: BridgeStatus.Alert) {
        self.state = state
        self.alert = alert
    }

    /// One line, for a head.
    public var title: String {
        switch state {
        case .began: alert.rule.title
        case .goesOn: "Still: \(alert.rule.title)"
        case .over: "Over: \(alert.rule.title)"
        case .test: "Test: this is what an alert looks like"
        }
    }

    /// What is the matter, and what can be done.
    public var text: String {
        guard !alert.advice.isEmpty else { return alert.text }
        return "\(alert.text)\(alert.text.hasSuffix(".") ? "" : ".") To do: \(alert.advice)"
    }

    public var json: JSONValue {
        .object([(key: "state", value: .string(state.rawValue))] + (alert.json.members ?? []))
    }

    /// What is sent to try the ways.
    public static func test(at now: Timestamp) -> AlertNews {
        AlertNews(
            .test,
            BridgeStatus.Alert(
                rule: .cameraLost, since: now,
                text: "'tetherline alerts test' has sent this; nothing is wrong",
                advice: ""))
    }
}

extension AlertRule {
    public var title: String {
        switch self {
        case .cameraLost: "A camera is away"
        case .failedJobs: "Deliveries have failed"
        case .diskLow: "The disk is nearly full"
        case .queueOld: "Photos wait too long"
        case .clockWrong: "A clock is wrong"
        case .nothingShot: "No photos come"
        }
    }
}
