import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

/// `tetherline alerts`: whether the operator would be reached.
struct AlertCommands {
    static let spec: CommandSpec = {
        var test = CommandSpec(
            "test", "Sends one alert through each way of the settings, and says what came of it.")
        test.discussion = [
            "While a bridge runs it is the one that sends: what it can reach counts. Its settings are those that it began with.",
            "Ends with 1 when one of the ways did not work; a terminal or a desktop that is not there is none. A webhook is named by its host: the rest may be a secret.",
        ]
        test.options = [
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        test.examples = ["tetherline alerts test"]
        var spec = CommandSpec("alerts", "How the operator is called when something is wrong.")
        spec.subcommands = [test]
        spec.examples = test.examples
        return spec
    }()

    /// What a running bridge is asked.
    static let command = "testAlerts"

    private let home: Home
    private let isJSON: Bool

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        isJSON = invocation.has("json")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let settings = try Settings.read(from: home)
        let answer = try await CommandRouter.perform(
            [(key: "command", value: .string(Self.command))], in: home, makesHome: true, on: reactor
        ) { ledger in try await alone(ledger, settings, on: reactor) }
        let trials = (answer["trials"]?.array ?? []).compactMap { AlertWays.Trial($0) }
        for trial in trials { show(trial) }
        if trials.isEmpty {
            printError("tetherline: no way is on: 'tetherline config show alerts' says which there are.")
        }
        let isReached = trials.contains { $0.problem == nil }
        return isReached && !trials.contains { $0.isHere && $0.problem != nil } ? .success : .failure
    }

    /// Where no bridge runs this process calls.
    private func alone(
        _ ledger: Ledger, _ settings: Settings, on reactor: Reactor
    ) async throws -> JSONValue {
        let uplink = try Uplink(settings, on: reactor)
        var ring: (@Sendable () -> Void)?
        if Terminal.isTerminal(2) { ring = { writeAll(Terminal.bell, to: 2) } }
        let ways = AlertWays(
            settings: settings.alertWays, event: try home.reader().currentEvent()?.name ?? "",
            http: uplink.client, reactor: reactor, wall: SystemWallTime(), ring: ring,
            enter: { try await ledger.journal($0) }, report: { _ in })
        let trials = await ways.test()
        await uplink.shutDown()
        return ["trials": .array(trials.map(\.json))]
    }

    private func show(_ trial: AlertWays.Trial) {
        if isJSON {
            printOutput(trial.json.compact)
        } else if let problem = trial.problem {
            printError("tetherline: \(Visible("\(trial.way): \(problem)"))")
        } else {
            printOutput("\(Visible("\(trial.way): \(trial.said)"))")
        }
    }
}
