package import Basics

/// That guests can look at an event for a few days only, or cannot any more, as its host is told.
package struct Reminder: Equatable, Sendable {
    /// When it is told. The names stand in rows and are told.
    package enum Stage: String, CaseIterable, Sendable {
        case twoWeeks = "14-days"
        case threeDays = "3-days"
        case ended

        /// How long before the end.
        package var ahead: Duration {
            switch self {
            case .twoWeeks: .seconds(14 * 86_400)
            case .threeDays: .seconds(3 * 86_400)
            case .ended: .zero
            }
        }
    }

    let event: String
    let name: String
    let slug: String
    let email: String
    let hostName: String
    let endsAt: Timestamp
    /// Where the event is; nothing while it is unknown.
    let zone: ZoneName?
    let stage: Stage
    /// How often it was tried before.
    let tries: Int

    /// What the operator's program is told.
    package func json(publicURL: String) -> JSONValue {
        [
            "reminder": .string(stage.rawValue),
            "event": [
                "id": .string(event), "name": .string(name), "guestUrl": .string("\(publicURL)/e/\(slug)"),
            ],
            "host": ["email": .string(email), "name": .string(hostName)], "endsAt": endsAt.json,
            "link": .string("\(publicURL)/host#event/\(event)"),
        ]
    }
}

/// How reminders reach hosts, which is the operator's to say.
package protocol ReminderWay: Sendable {
    /// Returns when it is on its way.
    func tell(_ reminder: Reminder, publicURL: String) async throws(OperatorProblem)
}

/// The operator's program, with the reminder as its one argument.
package struct ReminderCommand: ReminderWay {
    private let command: OperatorCommand

    package init(_ command: OperatorCommand) {
        self.command = command
    }

    package func tell(_ reminder: Reminder, publicURL: String) async throws(OperatorProblem) {
        try await command.run([reminder.json(publicURL: publicURL).compact])
    }
}

package struct ReminderWebhook: ReminderWay {
    private let webhook: OperatorWebhook

    package init(_ webhook: OperatorWebhook) {
        self.webhook = webhook
    }

    package func tell(_ reminder: Reminder, publicURL: String) async throws(OperatorProblem) {
        try await webhook.post(reminder.json(publicURL: publicURL))
    }
}
