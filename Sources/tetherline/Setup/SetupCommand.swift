import Arguments
import Basics
import Bridge
import Posix
import Store
import Upload

/// `tetherline setup`: the first hour, asked and done step by step. What is asked and what follows is
/// ``SetupConversation``; here are the terminal, and the loop between the two.
struct SetupCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "setup", "From a camera to photos that arrive: asks for everything in turn.")
        spec.discussion = [
            "Asks at a terminal, and does what the other commands do: camera add, login, consent, events, destination test, "
                + "config set. What stands already is shown, and kept or changed; any step can be left for later ('skip') and "
                + "done again. Ctrl-C or 'quit' ends it, and what is done stays done. Afterwards 'tetherline run' needs no options.",
            "Without a terminal it asks nothing: it says which commands and settings do the same.",
        ]
        spec.positionals = [
            PositionalSpec(
                "STEP", .any,
                "Only these: \(SetupStep.allCases.map(\.rawValue).joined(separator: ", ")). [all]",
                .oneOf(SetupStep.allCases.map(\.rawValue)))
        ]
        spec.options = [
            OptionSpec(
                "wait", "TIME",
                "How long to wait for a camera, a press of its shutter, and each delivery. [2min]"),
            OptionSpec(
                "interface", "NAME", mayRepeat: true,
                "Look for cameras only on this network interface. [every one that can be used]"),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = ["tetherline setup", "tetherline setup camera pair", "tetherline setup photo"]
        return spec
    }()

    private let home: Home
    private let homeOption: String
    private let steps: [SetupStep]
    private let patience: Duration
    private let interfaces: [String]

    init(_ invocation: Invocation) throws {
        home = Home(invocation.value("home"))
        homeOption = invocation.value("home").map { " --home \($0)" } ?? ""
        steps = try invocation.positionals.map { word in
            guard let step = SetupStep(rawValue: word) else {
                let near = Nearest.to(word, among: SetupStep.allCases.map(\.rawValue))
                throw UsageError(
                    "There is no step '\(word)'\(near.map { "; did you mean '\($0)'?" } ?? ".") See: tetherline setup --help"
                )
            }
            return step
        }
        patience =
            try invocation.duration("wait", in: .milliseconds(100)...(.seconds(3600))) ?? .seconds(120)
        interfaces = invocation.all("interface")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        guard Terminal.isTerminal(0) else {
            for line in SetupWithoutTerminal(home: home, option: homeOption).lines { printError(line) }
            return .usage
        }
        try refuseBesideBridge()
        var standing = try SetupStanding(of: home)
        standing.homeOption = homeOption
        let work = SetupWorker(
            home: home, patience: patience, interfaces: interfaces, reactor: reactor)
        var conversation = SetupConversation(standing, steps: steps)
        do {
            var actions = conversation.begin()
            while let happening = try await perform(actions, work, on: reactor) {
                actions = conversation.handle(happening)
            }
            return .success
        } catch  where Self.isEnd(error) {
            let step = conversation.current.map { " \($0.rawValue)" } ?? ""
            printError("\nWhat is done stays done. To go on: tetherline setup\(step)\(homeOption)")
            throw CancellationError()
        }
    }

    /// What came of the last of them; nothing at the end.
    private func perform(
        _ actions: [SetupConversation.Action], _ work: SetupWorker, on reactor: Reactor
    ) async throws -> SetupConversation.Happening? {
        for action in actions {
            switch action {
            case .tell(let line): printOutput(Visible(line).description)
            case .ask(let question):
                let prompt = Visible(question.prompt).description
                return .answered(try await SecretLine.read(prompt, isHidden: false, on: reactor))
            case .perform(let task):
                let happening = try await work.perform(task)
                // It may have come just before Ctrl-C, which counts more.
                try Task.checkCancellation()
                return happening
            case .end: return nil
            }
        }
        preconditionFailure("a conversation asks, works or ends")
    }

    /// Ctrl-C, or the end of what is typed: Ctrl-D.
    private static func isEnd(_ error: any Error) -> Bool {
        error is CancellationError || error as? SecretLine.Failure == .nothing
    }

    /// It has its camera, its event and its settings until it ends.
    private func refuseBesideBridge() throws {
        _ = try home.make()
        guard try home.lockWhereFree() == nil else { return }
        throw GalleryEventsCommand.Busy(
            description:
                "a bridge runs in \(home.path), and has its camera and its event until it ends; end it first (Ctrl-C where "
                + "it runs, or 'systemctl --user stop tetherline'), or give another --home")
    }
}
