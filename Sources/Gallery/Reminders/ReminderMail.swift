package import Basics
import Synchronization

/// A mail to the host, by the server that mails links for forgotten passwords.
package final class ReminderMail: ReminderWay {
    private let door: MailDoor
    private let random: any RandomSource
    private let time: any TimeSource
    private let wall: any WallTime
    private let zones: TimeZones
    private let limits = Mutex(SlidingWindowLimiter<String>(mostOfAddress))

    /// An address that a stranger has registered with gets no more than that; a studio with as many events a day gets the rest
    /// later.
    static let mostOfAddress = WindowRule(100, in: .seconds(86_400))

    package init(
        _ door: MailDoor, random: any RandomSource, time: any TimeSource, wall: any WallTime,
        zones: TimeZones = .system
    ) {
        self.door = door
        self.random = random
        self.time = time
        self.wall = wall
        self.zones = zones
    }

    package func tell(_ reminder: Reminder, publicURL: String) async throws(OperatorProblem) {
        let address = reminder.email.lowercased()
        guard limits.withLock({ $0.wait(for: address, at: time.now) }) == nil else {
            throw OperatorProblem(
                description: "the host of event \(reminder.event) has had enough mails for today")
        }
        let mail = Mail(
            from: door.from, to: reminder.email, subject: subject(reminder), text: text(reminder, publicURL),
            at: wall.wallNow, id: Randomness.uuid(from: random))
        do {
            try await door.carry(mail)
        } catch {
            throw OperatorProblem(
                description: "the mail about event \(reminder.event) was not taken: \(error)",
                isRefusal: (error as? any MailRefusal)?.isRefusal ?? false)
        }
        // What was not taken is no mail.
        limits.withLock { $0.note(address, at: time.now) }
    }

    /// No name of an event is in it: a subject is ASCII.
    private func subject(_ reminder: Reminder) -> String {
        switch reminder.stage {
        case .twoWeeks, .threeDays: "Guests see your event until \(Words.of(.english).date(end(reminder)))"
        case .ended: "Your event has ended"
        }
    }

    private func text(_ reminder: Reminder, _ publicURL: String) -> String {
        let end = "\(Words.of(.english).moment(end(reminder))) (\(zone(reminder)?.name.text ?? "UTC"))"
        let said =
            switch reminder.stage {
            case .twoWeeks, .threeDays:
                """
                guests can look at \(reminder.name) until
                \(end):
                \(publicURL)/e/\(reminder.slug)

                Its photos stay when it has ended. You see them then, too, and can
                give the event more time before or after that:
                """
            case .ended:
                """
                guests can look at \(reminder.name) no more: it has ended on
                \(end).

                Its photos are still there. You see them, and can give the event
                more time:
                """
            }
        return """
            Hello \(reminder.hostName),

            \(said)
            \(publicURL)/host#event/\(reminder.event)
            """
    }

    /// The event's own, where it is known and this machine knows it.
    private func zone(_ reminder: Reminder) -> (name: ZoneName, rules: TimeZone)? {
        reminder.zone.flatMap { name in zones.known(name).map { (name, $0) } }
    }

    private func end(_ reminder: Reminder) -> CivilTime {
        let shown = (zone(reminder)?.rules ?? .utc).clock(at: reminder.endsAt)
        return CivilTime(secondsSince1970: shown.seconds)
    }
}
