package import Basics
import Synchronization

/// Prints lines on a thread of its own, so that a terminal that was stopped, or a pipe that is not read, holds up
/// only its reader.
package final class LinePrinter: Sendable {
    private struct State {
        var lines: [(text: String, descriptor: Int32)] = []
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

    package func output(_ line: String) { post(line, to: 1) }
    package func error(_ line: String) { post(line, to: 2) }

    private func post(_ line: String, to descriptor: Int32) {
        let begins = state.withLock { state in
            guard state.lines.count < Self.most else {
                state.left += 1
                return false
            }
            state.lines.append((line, descriptor))
            defer { state.isPrinting = true }
            return !state.isPrinting
        }
        if begins { Task(executorPreference: executor) { self.printAll() } }
    }

    private func printAll() {
        while let lines = next() {
            for line in lines { writeAll(line.text + "\n", to: line.descriptor) }
        }
        empty.fire()
    }

    private func next() -> [(text: String, descriptor: Int32)]? {
        state.withLock { state in
            var lines = state.lines
            if state.left > 0 {
                lines.append(("\(state.left) lines were left out: the output was not read in time.", 2))
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
