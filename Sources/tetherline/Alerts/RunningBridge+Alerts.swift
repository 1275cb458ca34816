import Basics
import Bridge
import Console
import HTTPClient
import Posix
import Store
import Upload

extension RunningBridge {
    static func alertWays(
        of command: RunCommand, _ event: BridgeEvent, _ ledger: Ledger, _ uplink: Uplink, _ report: RunReport,
        _ threads: Threads
    ) throws -> AlertWays {
        AlertWays(
            settings: command.settings.alertWays, event: event.name, http: uplink.client,
            reactor: try threads.makeReactor("alerts"), wall: SystemWallTime(), ring: report.bell,
            enter: { try await ledger.journal($0) }, report: { report.note($0) })
    }

    private static let betweenLooks = Duration.seconds(5)

    /// Looks at the status now and then, and calls the operator where the settings say so. Until the task is cancelled.
    func watchAlerts(_ ways: AlertWays, of time: any TimeSource) async {
        guard AlertRule.allCases.contains(where: command.settings.alerts.isOn) else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await ways.run() }
            // A desktop that does not answer holds up no other alert for longer than it may take.
            let (news, post) = AsyncStream.makeStream(
                of: AlertNews.self, bufferingPolicy: .bufferingNewest(AlertMail.most))
            group.addTask { for await one in news { await ways.send(one) } }
            var machine = AlertMachine(settings: command.settings.alerts)
            var problem: String?
            while !Task.isCancelled {
                do {
                    let status = try await board.status()
                    let (ahead, reference) = clock
                    let found = machine.look(
                        at: status, clockAhead: ahead.map { .zero - $0 }, of: reference, now: time.now)
                    await board.note(machine.ongoing)
                    for one in found {
                        tell(one)
                        post.yield(one)
                    }
                    problem = nil
                    try await time.sleep(until: time.now + Self.betweenLooks)
                } catch is CancellationError {
                    break
                } catch {
                    if problem != "\(error)" { report.note("alerts cannot be looked for: \(error)") }
                    problem = "\(error)"
                    do { try await time.sleep(until: time.now + Self.betweenLooks) } catch { break }
                }
            }
            post.finish()
            group.cancelAll()
        }
        ways.tellUnsent()
    }

    /// How far the gallery's clock is ahead of this machine's; where the event has none, or it has not answered, a store's.
    private var clock: (ahead: Duration?, whose: String) {
        if let ahead = uplink.galleryClock.ahead { return (ahead, "the gallery's") }
        return (uplink.storeClock.ahead, "the store's")
    }

    private func tell(_ news: AlertNews) {
        report.tell(
            "alert", news.state == .over ? "alert over: \(news.text)" : "ALERT: \(news.text)", news.json,
            isWarning: news.state != .over)
    }

    /// 'tetherline alerts test'.
    func testAlerts() async -> JSONValue {
        ["trials": .array(await alertWays.test().map(\.json))]
    }
}
