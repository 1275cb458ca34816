package import Basics
import Synchronization

/// Prints lines on a thread of its own, so that a terminal that was stopped, or a pipe that is not read, holds up
/// only its reader.
package final class LinePrinter: Sendable {
    private enum Line: Sendable {
        case text(String, to: Int32)
        case bell
        case entry(SystemJournalEntry, in: SystemJournal)
    }

    private struct State {
        var lines: [Line] = []
        var left = 0
        var isPrinting = false
    }

    /// Kept for a reader who is slow; more than these are left out, and that is said.
    private static let most = 10_000

    private let state = Mutex(State())
    private let executor: any TaskExecutor
    /// Rung when everything has been printed.
    private let empty = Signal()

    package init(executor: any TaskExecutor) {
        self.executor = executor
    }

    package func output(_ line: String) { post(.text(line, to: 1)) }
    package func error(_ line: String) { post(.text(line, to: 2)) }
    /// Where errors go.
    package func ring() { post(.bell) }
    package func enter(_ entry: SystemJournalEntry, in journal: SystemJournal) {
        post(.entry(entry, in: journal))
    }

    private func post(_ line: Line) {
        let begins = state.withLock { state in
            guard state.lines.count < Self.most else {
                state.left += 1
                return false
            }
            state.lines.append(line)
            defer { state.isPrinting = true }
            return !state.isPrinting
        }
        if begins { Task(executorPreference: executor) { self.printAll() } }
    }

    private func printAll() {
        while let lines = next() {
            for line in lines { Self.print(line) }
        }
        empty.fire()
    }

    private static func print(_ line: Line) {
        switch line {
        case .bell: writeAll(Terminal.bell, to: 2)
        case .text(let text, let descriptor): writeAll(text + "\n", to: descriptor)
        case .entry(let entry, let journal):
            // The journal reads standard error as well, line by line and without fields.
            if !journal.enter(entry) { writeAll("<\(entry.priority.rawValue)>\(entry.message)\n", to: 2) }
        }
    }

    private func next() -> [Line]? {
        state.withLock { state in
            var lines = state.lines
            if state.left > 0 {
                lines.append(
                    .text("\(state.left) lines were left out: the output was not read in time.", to: 2))
            }
            (state.lines, state.left) = ([], 0)
            state.isPrinting = !lines.isEmpty
            return lines.isEmpty ? nil : lines
        }
    }

    /// Returns when everything has been printed, or when it has not been read for so long.
    package func finish(within limit: Duration, of time: any TimeSource) async {
        let deadline = time.now + limit
        while state.withLock({ $0.isPrinting }), time.now < deadline, !Task.isCancelled {
            await empty.wait(until: deadline, of: time)
        }
    }
}
