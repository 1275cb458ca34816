import Arguments
import Basics
import Bridge
import Upload

/// How the operator is called: `alerts`, beside what for.
struct AlertWaySettings {
    var bell = true
    var desktop = true
    var journal = true
    var webhooks: [Entry] = []

    struct Entry {
        let place: AlertAddress
        /// Nothing where messages are not signed.
        let secret: [UInt8]?

        var recipient: WebhookSender.Recipient {
            WebhookSender.Recipient(place.address, secret: secret, target: place.target)
        }
    }

    private static let most = 20
    private static let longestBody = 10_000

    /// One object of `alerts.webhooks`.
    private struct Said {
        var url: String?
        var shape = "json"
        var body: String?
        var secret: String?
        var secretFile: String?
    }

    private static var table: [Setting<Said>] {
        [
            Setting("url", \.url) { try $0.text() },
            Setting("as", \.shape) { try $0.choice(of: AlertShape.names) },
            Setting("body", \.body) { try $0.text() },
            Setting("secret", isSecret: true, \.secret) { try $0.text() },
            Setting("secretFile", \.secretFile) { try $0.text() },
        ]
    }

    mutating func addWebhook(_ object: SettingsObject) throws {
        guard webhooks.count < Self.most else {
            throw object.unusable("url", "is one too many; there are at most \(Self.most) for alerts")
        }
        var said = Said()
        try object.read(Self.table, into: &said)
        guard let url = said.url else { throw object.unusable("url", "is missing") }
        let address: WebhookAddress
        do throws(WebhookAddress.Invalid) {
            address = try WebhookAddress(url)
        } catch {
            throw object.unusable("url", "cannot be used: \(error)")
        }
        guard let place = AlertAddress(address, try Self.shape(said, object)) else {
            throw object.unusable(
                "url", "ends in the topic, as in https://ntfy.sh/my-topic, of letters, digits, - and _")
        }
        guard !webhooks.contains(where: { $0.place.address == address }) else {
            throw object.unusable("url", "is the same as that of another one for alerts")
        }
        let isSigned = said.secret != nil || said.secretFile != nil
        let secret =
            isSigned ? try NotificationSettings.secret(said.secret, in: said.secretFile, object) : nil
        webhooks.append(Entry(place: place, secret: secret))
    }

    private static func shape(_ said: Said, _ object: SettingsObject) throws -> AlertShape {
        guard let body = said.body else { return AlertShape(named: said.shape) ?? .json }
        guard body.utf8.count <= longestBody else {
            throw object.unusable("body", "holds at most \(longestBody) characters")
        }
        let shape = AlertShape.template(body)
        if let problem = shape.problem { throw object.unusable("body", problem) }
        return shape
    }
}

extension Settings {
    /// What the operator is called for, and how.
    static var alerting: [Setting<Settings>] {
        [
            .section(
                "cameraLost",
                [
                    on(\.alerts.cameraLost.isOn), after("after", \.alerts.cameraLost.after),
                    after("asleep", \.alerts.cameraAsleep),
                ]),
            .section(
                "failedJobs",
                [
                    on(\.alerts.failedJobs.isOn),
                    Setting("from", \.alerts.failedJobs.photos) { try $0.number(in: 1...1_000_000) },
                ]),
            .section(
                "diskLow",
                [
                    on(\.alerts.diskLow.isOn),
                    Setting("photos", \.alerts.diskLow.photos) { try $0.number(in: 1...1_000_000) },
                ]),
            .section(
                "queueOld", [on(\.alerts.queueOld.isOn), after("after", \.alerts.queueOld.after)]),
            .section(
                "clockWrong", [on(\.alerts.clockWrong.isOn), after("by", \.alerts.clockWrong.after)]),
            .section(
                "nothingShot", [on(\.alerts.nothingShot.isOn), after("after", \.alerts.nothingShot.after)]),
            Setting("grace", \.alerts.grace) { try $0.time(in: .zero...hour) },
            Setting("repeat", \.alerts.repeats) { try $0.time(in: .seconds(60)...day) },
            Setting("bell", \.alertWays.bell) { try $0.flag() },
            Setting("desktop", \.alertWays.desktop) { try $0.flag() },
            Setting("journal", \.alertWays.journal) { try $0.flag() },
            .objects("webhooks", shown: NotificationSettings.shown) { settings, object in
                try settings.alertWays.addWebhook(object)
            },
        ]
    }

    private static func on(_ path: WritableKeyPath<Settings, Bool>) -> Setting<Settings> {
        Setting("on", path) { try $0.flag() }
    }

    private static func after(
        _ key: String, _ path: WritableKeyPath<Settings, Duration>
    ) -> Setting<Settings> {
        Setting(key, path) { try $0.time(in: .seconds(1)...day) }
    }

    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)
}
