import Basics
import HTTPClient
import Posix
import Store
import Upload

/// What follows from photos: the spool is tidied up, and programs are told.
struct BackgroundServices: Sendable {
    let retention: SpoolRetention
    let hooks: HookRunner
    private let webhooks: WebhookSender
    private let ledger: Ledger
    private let report: RunReport
    /// How long an end in order waits for programs and listeners.
    private static let timeout = Duration.seconds(10)

    init(
        _ settings: Settings, _ home: Home, _ ledger: Ledger, _ uplink: Uplink, _ report: RunReport,
        _ threads: Threads
    ) throws {
        self.ledger = ledger
        self.report = report
        let reactor = try threads.makeReactor("follow")
        let signal = Signal()
        let hooks = HookRunner(
            settings: settings.notifications.hooks, reactor: reactor,
            spool: Directory.absolute(home.spool) ?? home.spool,
            inherited: HookFacts.inherited.reduce(into: [:]) { $0[$1] = Program.environment($1) },
            facts: { try await ledger.facts(of: $0) }, onEnd: { signal.fire() },
            report: { report.tell($0) })
        self.hooks = hooks
        retention = SpoolRetention(
            ledger: ledger, retention: settings.retention, reserve: settings.reserve,
            executor: threads.make("keeper"), time: reactor, wall: SystemWallTime(), openRoot: home.openSpool,
            isInUse: { hooks.needs($0) }, report: { report.tell($0) })
        webhooks = WebhookSender(
            ledger: ledger, news: ledger.webhookSignal,
            recipients: settings.notifications.webhooks.map(\.recipient),
            http: uplink.client, executor: reactor, time: reactor, wall: SystemWallTime(),
            random: SystemRandomSource(),
            report: { report.tell($0) })
        hasListeners = !settings.notifications.webhooks.isEmpty
        self.signal = signal
        self.time = reactor
    }

    private let hasListeners: Bool
    private let signal: Signal
    private let time: any TimeSource

    /// Until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await retention.run() }
            group.addTask { await hooks.run() }
            group.addTask { await webhooks.run() }
            group.addTask {
                while !Task.isCancelled {
                    await signal.waitUnlessCancelled()
                    retention.lookAgain()
                }
            }
        }
    }

    /// Webhooks that have left the settings get nothing more, so their messages are not waited for.
    private func openMessages() async throws -> Int { hasListeners ? try await ledger.openMessages() : 0 }

    /// Sends messages about the last photos, where that is possible, before an end in order.
    func finish() async throws {
        let deadline = time.now + Self.timeout
        while time.now < deadline {
            if hooks.isIdle, try await openMessages() == 0 { return }
            try await time.sleep(until: time.now + .milliseconds(50))
        }
        let open = try await openMessages()
        if open > 0 { report.note("\(open) messages to listeners wait for the next run") }
    }
}
