import Arguments
import Console
import Posix

/// The screen of a bridge that runs on a terminal.
extension RunningBridge {
    /// Nothing where lines are printed.
    static func screen(for command: RunCommand, _ threads: Threads) throws -> TerminalHUD? {
        let run = command.settings.run
        guard !run.isPlain, !run.isJSON, let terminal = TerminalHUD.terminal() else { return nil }
        let requests = ScreenRequests(home: command.home, event: nil)
        return TerminalHUD(terminal, requests, .run, on: try threads.makeReactor("screen"))
    }

    /// On this terminal, and as a page in a browser.
    func show(in group: inout ThrowingTaskGroup<ExitCode?, any Error>) async {
        // It shows what is told while the page begins.
        if let screen { report.show(on: screen) }
        let hud = await HudService.begin(self)
        group.addTask {
            await hud?.run()
            return nil
        }
        if let screen {
            group.addTask { await show(on: screen) ? command.endedBySignal : nil }
        }
    }

    /// True when the operator wants the bridge to end. A terminal that goes away ends nothing: lines are printed again.
    private func show(on screen: TerminalHUD) async -> Bool {
        report.show(on: screen)
        let end = await screen.run()
        report.show(on: nil)
        switch end {
        case .operatorLeft: return true
        case .terminalLost:
            report.note("the terminal is gone; the bridge goes on")
            return false
        case .cancelled: return false
        }
    }
}

extension RunCommand {
    /// How it ends when the operator ends it.
    var endedBySignal: ExitCode { settings.run.isOnce ? .interrupted : .success }
}
