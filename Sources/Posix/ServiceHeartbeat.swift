package import Basics
import Synchronization

/// Tells the service manager that the program works, and only while every part of it answers.
///
/// The parts are asked one after the other on the program's own loop. So a loop that stands still, or a thread that never
/// comes back, ends the messages, and the manager starts the program anew.
package struct ServiceHeartbeat: Sendable {
    package struct Part: Sendable {
        let name: String
        let answer: @Sendable () async -> Void

        /// `answer` returns when the part has got to it; how the part is does not matter here.
        package init(_ name: String, answer: @escaping @Sendable () async -> Void) {
            self.name = name
            self.answer = answer
        }
    }

    private struct Question: Sendable {
        let part: String
        let since: Duration
        var isDoubted = false
    }

    private let manager: ServiceManager
    private let parts: [Part]
    private let line: @Sendable () async -> String
    private let time: any TimeSource
    private let report: @Sendable (String) -> Void
    private let open = OpenQuestion()

    private final class OpenQuestion: Sendable {
        let value = Mutex<Question?>(nil)
    }

    /// How old the line of `systemctl status` may be.
    private static let longestPause = Duration.seconds(10)

    /// `line` says how the program is, for `systemctl status`. `report` is told of a part that gives no answer.
    package init(
        _ manager: ServiceManager, parts: [Part], time: any TimeSource,
        line: @escaping @Sendable () async -> String, report: @escaping @Sendable (String) -> Void
    ) {
        (self.manager, self.parts, self.time, self.line, self.report) = (manager, parts, time, line, report)
    }

    /// Four messages fall into the time that the manager waits for one.
    private var pause: Duration {
        min(manager.watchdog.map { $0 / 4 } ?? Self.longestPause, Self.longestPause)
    }
    private var patience: Duration { manager.watchdog.map { $0 / 2 } ?? Self.longestPause * 6 }

    /// Says first that the program is ready, and at its cancellation that it ends.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await beat() }
            // Not the one that asks: it may be waiting for an answer that never comes.
            group.addTask { await doubt() }
        }
    }

    private func beat() async {
        var notices: [ServiceManager.Notice] = [.ready]
        while !Task.isCancelled {
            for part in parts {
                open.value.withLock { $0 = Question(part: part.name, since: time.now) }
                await part.answer()
            }
            open.value.withLock { $0 = nil }
            let line = await line()
            if Task.isCancelled { return }
            manager.tell(notices + [.working, .status(line)])
            notices = []
            do {
                try await time.sleep(until: time.now + pause)
            } catch {
                return
            }
        }
    }

    /// Looked at more often than messages go: a question is asked a pause after the last message, is open for the patience, and
    /// has to be named before the manager acts.
    private func doubt() async {
        while !Task.isCancelled {
            do {
                try await time.sleep(until: time.now + pause / 4)
            } catch {
                break
            }
            if let text = doubts() {
                manager.tell([.status(text)])
                report(text)
            }
        }
        manager.tell([.stopping, .status("ending")])
    }

    /// Once for each question that stays open for too long.
    private func doubts() -> String? {
        let (now, patience) = (time.now, patience)
        let question = open.value.withLock { question -> Question? in
            guard let asked = question, !asked.isDoubted, now - asked.since >= patience else { return nil }
            question?.isDoubted = true
            return asked
        }
        guard let question else { return nil }
        let end =
            manager.watchdog.map {
                "; unless it does within \(Human.span(max($0 - (now - question.since), .zero))), the service manager starts "
                    + "this program anew"
            } ?? ""
        return "\(question.part) has not answered for \(Human.span(now - question.since))\(end)"
    }
}
