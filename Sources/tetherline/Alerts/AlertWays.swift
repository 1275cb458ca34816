import Basics
import Bridge
import Network
import Posix
import Upload

/// How the operator is called: the terminal's bell, the desktop, webhooks and the journal. Nothing that is delivered or
/// fetched waits for any of them.
struct AlertWays: Sendable {
    /// What came of one way when it was tried.
    struct Trial: Sendable {
        let way: String
        /// Nothing where it worked.
        let problem: String?
        /// How it went, where it worked.
        let said: String
        /// Nothing has failed where a way is on by default and there is no such thing here.
        private(set) var isHere = true

        var json: JSONValue {
            [
                "way": .string(way), "works": .bool(problem == nil), "here": .bool(isHere),
                "problem": .optional(problem, JSONValue.string), "said": .string(said),
            ]
        }

        init(_ way: String, said: String) { (self.way, self.said, problem) = (way, said, nil) }
        init(_ way: String, problem: String) { (self.way, self.problem, said) = (way, problem, "") }
        init(_ way: String, absent problem: String) {
            (self.way, self.problem, said) = (way, problem, "")
            isHere = false
        }

        init?(_ value: JSONValue) {
            guard let way = value["way"]?.string else { return nil }
            self.way = way
            problem = value["problem"]?.string
            said = value["said"]?.string ?? ""
            isHere = value["here"]?.bool ?? true
        }
    }

    let settings: AlertWaySettings
    let event: String
    let http: any HTTPTransport
    let reactor: Reactor
    let wall: any WallTime
    /// Onto the terminal that this process writes to; nothing where it writes to none.
    let ring: (@Sendable () -> Void)?
    let enter: @Sendable (JournalEntry) async throws -> Void
    let report: @Sendable (String) -> Void
    let mail = AlertMail(random: SystemRandomSource())

    /// Alerts on their way to webhooks, until the task is cancelled.
    func run() async {
        let sender = WebhookSender(
            ledger: mail, news: mail.news, recipients: settings.webhooks.map(\.recipient), http: http,
            executor: reactor, time: reactor, wall: wall, random: SystemRandomSource(),
            report: { event in
                switch event {
                case .held(let name, let reason):
                    report("\(name) cannot be told of alerts now; it is tried again by itself: \(reason)")
                case .released(let name): report("\(name) is told of alerts again")
                case .givenUp(let name, _, let problem):
                    report("\(name) was not told of an alert: \(problem)")
                case .ledgerFailed: break
                }
            })
        await sender.run()
    }

    /// At the end of a run: what is still on its way goes no further.
    func tellUnsent() {
        for webhook in settings.webhooks {
            let number = mail.waiting(to: webhook.place.address.url)
            guard number > 0 else { continue }
            report(
                "\(webhook.place.address.name) was not told of \(number == 1 ? "1 alert" : "\(number) alerts"): "
                    + "the run ended before it took them")
        }
    }

    // MARK: One alert

    func send(_ news: AlertNews) async {
        if settings.bell, news.state != .over { ring?() }
        for webhook in settings.webhooks {
            mail.post(body(of: news, for: webhook), to: webhook.place.address.url, at: wall.wallNow)
        }
        if settings.journal {
            do {
                try await enter(Self.entry(of: news))
            } catch {
                report("the journal does not take an alert: \(error)")
            }
        }
        guard settings.desktop, let desktop = DesktopNotifier(reactor) else { return }
        do throws(SystemError) {
            try await desktop.show(Self.note(of: news))
        } catch {
            // Where there is none, that is known since 'alerts test'.
            if error.kind != .missing { report("the desktop shows no alert: \(error)") }
        }
    }

    private func body(of news: AlertNews, for webhook: AlertWaySettings.Entry) -> String {
        webhook.place.shape.body(of: news, event: event, topic: webhook.place.topic)
    }

    private static func entry(of news: AlertNews) -> JournalEntry {
        JournalEntry(
            news.state == .over || news.state == .test ? .info : .warning, "\(news.title): \(news.text)")
    }

    private static func note(of news: AlertNews) -> DesktopNotifier.Note {
        DesktopNotifier.Note(
            title: news.title, text: news.text, isUrgent: news.state == .began || news.state == .goesOn)
    }

    // MARK: A trial

    /// Sends one through each way that the settings name, and waits for what comes of it.
    func test() async -> [Trial] {
        let news = AlertNews.test(at: wall.wallNow)
        var trials = [testBell(), await testDesktop(news), await testJournal(news)]
        for webhook in settings.webhooks { trials.append(await test(webhook, news)) }
        return trials.compactMap { $0 }
    }

    private func testBell() -> Trial? {
        guard settings.bell else { return nil }
        guard let ring else { return Trial("bell", absent: "it writes to no terminal") }
        ring()
        return Trial("bell", said: "the terminal was told to ring")
    }

    private func testDesktop(_ news: AlertNews) async -> Trial? {
        guard settings.desktop else { return nil }
        guard let desktop = DesktopNotifier(reactor) else {
            return Trial(
                "desktop", absent: "no session of a desktop is here (DBUS_SESSION_BUS_ADDRESS is not set)")
        }
        do throws(SystemError) {
            let number = try await desktop.show(Self.note(of: news))
            return Trial("desktop", said: "note \(number) is shown")
        } catch {
            return error.kind == .missing
                ? Trial("desktop", absent: "\(error)") : Trial("desktop", problem: "\(error)")
        }
    }

    private func testJournal(_ news: AlertNews) async -> Trial? {
        guard settings.journal else { return nil }
        do {
            try await enter(Self.entry(of: news))
            return Trial("journal", said: "a line was written")
        } catch {
            return Trial("journal", problem: "\(error)")
        }
    }

    private func test(_ webhook: AlertWaySettings.Entry, _ news: AlertNews) async -> Trial {
        let name = webhook.place.address.name
        let message = AlertMail.message(
            body(of: news, for: webhook), to: webhook.place.address.url,
            key: Randomness.uuid(from: SystemRandomSource()), at: wall.wallNow)
        switch await WebhookSender.send(message, to: webhook.recipient, by: http, wall) {
        case .told: return Trial(name, said: "it took the message")
        case .notNow(let problem, _), .refused(let problem, _): return Trial(name, problem: problem)
        case .cancelled: return Trial(name, problem: "it was interrupted")
        }
    }
}
