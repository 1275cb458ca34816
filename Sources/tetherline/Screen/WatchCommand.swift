import Arguments
import Basics
import Bridge
import Console
import Posix
import Store

/// `tetherline watch`: how the bridge is, live, on a terminal; lines where there is none.
struct WatchCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "watch",
            "The bridge, live: counts, cameras, photos under way, what failed and what helps.")
        spec.discussion = [
            "Beside a bridge that runs, in another terminal or another log-in; its end leaves the bridge as it is. Where none "
                + "runs it shows what the ledger says, and connects by itself when one begins.",
            "Keys: p pauses and resumes, r begins failed deliveries again, e changes the event of the next run while no "
                + "bridge runs, w shows the address of the bridge's page as a code for a phone, q ends, the question mark shows "
                + "them.",
            "Where standard output is no terminal, or TERM is 'dumb', it prints a line when something has changed.",
        ]
        spec.options = [
            OptionSpec(
                "event", "EVENT",
                "Which event, while no bridge runs. [the one photos are taken into, or the latest]"),
            .flag("plain", "Print lines on a terminal, too."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline watch", "tetherline watch --plain"]
        return spec
    }()

    private let requests: ScreenRequests
    private let isPlain: Bool
    /// Between two looks, where lines are printed.
    private static let interval = Duration.seconds(1)

    init(_ invocation: Invocation) {
        requests = ScreenRequests(home: Home(invocation.value("home")), event: invocation.value("event"))
        isPlain = invocation.has("plain")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        guard !isPlain, let terminal = TerminalHUD.terminal() else {
            return try await printLines(on: reactor)
        }
        let hud = TerminalHUD(terminal, requests, .watch, on: reactor)
        switch await hud.run() {
        case .operatorLeft, .cancelled: return .success
        case .terminalLost: return .inputOutput
        }
    }

    /// Until the output is not read any more, or a signal comes.
    private func printLines(on reactor: Reactor) async throws -> ExitCode {
        var last: String?
        while !Task.isCancelled {
            let line: String
            switch await requests.status(on: reactor) {
            case .status(let status):
                line = StatusText.summary(status) { SystemWallTime().localOffset(at: $0) }
            case .unknown(let reason): line = "\(Visible(reason))"
            case .key, .told, .done, .choices, .serves, .page: preconditionFailure("a status is asked for")
            }
            if line != last {
                let now = SystemWallTime().wallNow.onTheWallToSeconds
                guard printOutput("\(now)  \(line)") else { return .success }
            }
            last = line
            do {
                try await reactor.sleep(until: reactor.now + Self.interval)
            } catch {
                break
            }
        }
        return .success
    }
}
