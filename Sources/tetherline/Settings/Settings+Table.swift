import Arguments
import Basics
import Bridge
import Camera
import HTTPClient
import Store
import Transfer
import Upload

/// Every word of `config.json5`: its limits, where it goes, and which option of `tetherline run` says the same.
extension Settings {
    static var table: [Setting<Settings>] {
        [
            .section("run", running), .section("transfer", taking), .section("spool", spool),
            .section("hooks", hooks),
            .objects("webhooks", shown: NotificationSettings.shown) { settings, object in
                try settings.notifications.addWebhook(object)
            },
            .section("alerts", alerting),
            .section("deliver", delivering),
            .section(
                "keep",
                [
                    Setting("folder", option: "keep", \.copy.folder) { try $0.text() },
                    Setting("name", option: "keep-name", \.copy.name) { try $0.text() },
                ]),
            .section("camera", reaching),
            .objects("cameras") { settings, object in
                settings.camera.bodies.append(try BodySettings(object))
            },
            .section("network", networks), .section("hud", HudWishes.table),
            .section("captions", CaptionSettings.table),
        ]
    }

    /// What only one run is about; what it does otherwise is in the sections behind this one.
    private static var running: [Setting<Settings>] {
        [
            Setting("cameras", option: "camera", \.run.cameras) { try RunSettings.cameras($0) },
            Setting("event", option: "event", \.run.event) { try RunSettings.event($0) },
            Setting("server", option: "server", \.run.server) { try RunSettings.server($0) },
            Setting("destinations", option: "destination", isSecret: true, \.run.destinations) {
                try RunSettings.destinations($0)
            },
            Setting("since", option: "since", \.run.since) { try RunSettings.since($0) },
            Setting("newBody", option: "new-body", \.transfer.acceptsNewBodies) { try $0.flag() },
            Setting("once", option: "once", \.run.isOnce) { try $0.flag() },
            Setting("idle", option: "idle", \.run.idle) { try $0.time(in: .zero...day) },
            Setting("retry", option: "retry", \.run.retry) { try $0.time(in: second...day) },
            Setting("json", option: "json", \.run.isJSON) { try $0.flag() },
            Setting("plain", option: "plain", \.run.isPlain) { try $0.flag() },
            Setting("stats", option: "stats", \.run.showsStats) { try $0.flag() },
            Setting("quiet", option: "quiet", \.run.isQuiet) { try $0.flag() },
        ]
    }

    private static var taking: [Setting<Settings>] {
        [
            Setting("take", option: "take", \.take) { try $0.word() },
            Setting("formats", option: "formats", \.transfer.filter.formats) { source in
                Set(
                    try source.texts().flatMap { $0.split(separator: ",") }.map {
                        CaptureFilter.usual(String($0))
                    })
            },
            Setting("onlyProtected", option: "only-protected", \.transfer.filter.onlyProtected) {
                try $0.flag()
            },
            Setting("minimumRating", option: "min-rating", \.transfer.filter.minimumRating) {
                try $0.number(in: 0...5)
            },
            Setting("minimumSize", option: "min-size", \.transfer.filter.minimumSize) {
                try $0.size(in: 0...mostBytes)
            },
            Setting(
                "duplicates", option: .flag("keep-duplicates", for: "keep"), \.transfer.skipsDuplicates,
                shown: { $0 ? "skip" : "keep" }, { try $0.choice(of: ["skip", "keep"]) == "skip" }),
            Setting(
                "doubtful", \.jobs.holdsBackDoubtful, shown: { $0 ? "hold" : "deliver" },
                { try $0.choice(of: ["deliver", "hold"]) == "hold" }),
            Setting("deleteFromCard", option: "delete-from-card", \.transfer.machine.deletesFromCard) {
                try $0.flag()
            },
            Setting("listAgain", \.transfer.machine.listAgain) { try $0.time(in: second...hour) },
            Setting("longestAbsence", \.longestAbsence) {
                try $0.time(in: .seconds(60) ... .seconds(366 * 86_400))
            },
        ]
    }

    private static var spool: [Setting<Settings>] {
        [
            Setting("reserve", option: "reserve", \.reserve.bytes) { try $0.size(in: 0...1 << 60) },
            Setting(
                "keep", option: "retention", \.retention, shown: { _ in "keep" },
                { source in
                    guard let retention = Retention(try source.text()) else {
                        throw source.wrong(Retention.words)
                    }
                    return retention
                }),
        ]
    }

    private static var hooks: [Setting<Settings>] {
        [
            Setting("onStaged", option: "on-staged", \.notifications.hooks.programs[.staged]) {
                try $0.text()
            },
            Setting("onCompleted", option: "on-completed", \.notifications.hooks.programs[.completed]) {
                try $0.text()
            },
            Setting("atMost", \.notifications.hooks.atMost) { try $0.number(in: 1...64) },
            Setting("within", \.notifications.hooks.within) { try $0.time(in: second...hour) },
        ]
    }

    private static var delivering: [Setting<Settings>] {
        [
            Setting("attempts", \.deliveries.attempts) { try $0.number(in: 0...1000) },
            Setting(
                "order", \.deliveries.newestFirst, shown: { $0 ? "newest" : "oldest" },
                { try $0.choice(of: ["oldest", "newest"]) == "newest" }),
            Setting("small", \.jobs.small) { try $0.size(in: 0...mostBytes) },
            Setting("rate", option: "rate", \.rate) { try $0.size(in: 1...mostBytes) },
            Setting("privateCA", \.http.privateCA) { try $0.text() },
            .section(
                "within",
                [
                    Setting("first", \.jobs.within[.first]) { try $0.time(in: second...day) },
                    Setting("later", \.jobs.within[.later]) { try $0.time(in: second...day) },
                ]),
        ]
    }

    /// For every command that connects to a camera.
    static var reaching: [Setting<Settings>] {
        [
            Setting("name", option: "name", \.camera.name) { try $0.text() },
            Setting("wait", option: "wait", \.camera.wait) { try $0.time(in: second...day) },
            Setting("patience", \.transfer.machine.timeout) { try $0.time(in: second...hour) },
            Setting("guid", option: "guid", \.camera.guid) { source in
                let text = try source.text()
                guard ClientIdentity(id: text, name: "") != nil else {
                    throw source.wrong("32 hexadecimal digits")
                }
                return text
            },
            Setting("interface", option: "interface", \.camera.interface) { try $0.text() },
            Setting("upnp", \.camera.answersUPnP) { try $0.flag() },
            Setting("driver", option: "driver", \.camera.driver) {
                DriverChoice(try $0.choice(of: DriverChoice.words))
            },
        ]
    }

    private static var networks: [Setting<Settings>] {
        [
            .section(
                "limits",
                [
                    Setting("wifi", \.network.wifi) { try $0.uploads() },
                    Setting("cellular", \.network.cellular) { try $0.uploads() },
                    Setting("wired", \.network.wired) { try $0.uploads() },
                    Setting("loopback", \.network.loopback) { try $0.uploads() },
                ]),
            Setting("allowMetered", option: "metered", \.network.allowsMetered) { try $0.flag() },
            .named("interfaces") { settings, name, object in
                settings.network.interfaces[name] = try NetworkSettings.Word(object)
            },
            .named("ssids") { settings, name, object in
                settings.network.ssids[name] = try NetworkSettings.Word(object)
            },
        ]
    }

    private static let second = Duration.seconds(1)
    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)
    /// More than any file or second has.
    private static let mostBytes: UInt64 = 1 << 50
}

extension SettingSource {
    fileprivate func uploads() throws -> Int { try number(in: 0...Int64(NetworkSettings.mostSlots)) }
}

extension NetworkSettings.Word {
    fileprivate init(_ object: SettingsObject) throws {
        self.init()
        try object.read(
            [
                Setting("kind", \.kind) { try $0.word(of: PathKind.allCases.filter { $0 != .tunnel }) },
                Setting("metered", \.isMetered) { try $0.flag() },
                Setting("limit", \.limit) { try $0.uploads() },
            ], into: &self)
    }
}

extension Retention {
    /// As `spool.keep` and `--retention` say it.
    static let words = "delete, keep-until-full, keep, or keep with a time such as \"keep 7d\""
}
