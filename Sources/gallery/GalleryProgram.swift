import Arguments
import Basics
import Gallery
import HTTPServer
import Posix
import Postgres
import Rendering

/// The host's program.
@main
enum GalleryProgram {
    static func main() {
        let arguments = Program.arguments
        Program.keepsToItself()
        // A child of our own that looks at one picture after the other, and may die of it.
        if arguments.first == "render" { Program.end(with: renderMain()) }
        if let code = VideoChoice.child(arguments) { Program.end(with: code) }
        Program.run(name: "gallery") { reactor, signals in
            await run(arguments, reactor, signals).rawValue
        }
    }

    static let spec: CommandSpec = {
        var spec = CommandSpec("gallery", "The server that photos go to, and that guests see them on.")
        spec.subcommands = [
            ServeCommand.spec, AccountCommands.userSpec, AccountCommands.inviteSpec,
            AccountCommands.creditsSpec, KeyCommands.spec,
            QRCommand.spec,
            CareCommands.backupSpec, CareCommands.checkSpec, MigrateCommand.spec, TopCommand.spec,
            MoveCommand.spec, ExportCommand.spec,
        ]
        spec.discussion = ["'gallery help exit-codes' says how commands end."]
        spec.environment = [
            ("STATE_DIRECTORY", "Where everything is kept, where --data does not say; systemd sets it."),
            (
                "NOTIFY_SOCKET, WATCHDOG_USEC, JOURNAL_STREAM",
                "Where systemd is told how 'serve' is, and that its journal reads what is said; systemd sets them."
            ),
            ("XDG_STATE_HOME", "It is kept in its folder tetherline-gallery otherwise. [~/.local/state]"),
            ("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "Keys for --storage s3://…"),
            (
                "PGPASSWORD, PGPASSFILE, PGSERVICEFILE and the others of libpq",
                "What --database does not say."
            ),
            (
                ImageChoice.authorization,
                "What --purge-url is sent as Authorization; --purge-command gets it, too."
            ),
            ("TMPDIR", "Where short-lived files lie. [/tmp]"),
        ]
        spec.describeItself()
        return spec
    }()

    private static func run(
        _ arguments: [String], _ reactor: Reactor, _ signals: TerminationSignals
    ) async -> ExitCode {
        do {
            switch try spec.parse(arguments) {
            case .help(let text):
                printOutput(text)
                return .success
            case .version:
                printOutput("gallery \(CommandSpec.version)")
                return .success
            case .run(let invocation):
                return try await perform(invocation, reactor, signals)
            }
        } catch {
            printError("gallery: \(error)")
            return exitCode(of: error)
        }
    }

    private static func perform(
        _ invocation: Invocation, _ reactor: Reactor, _ signals: TerminationSignals
    ) async throws -> ExitCode {
        // These end by signals in an order of their own.
        switch invocation.path.first {
        case "serve": try await ServeCommand(invocation).run(reactor, signals)
        case "export": return try await ExportCommand(invocation).run(reactor, signals)
        case "move": try await MoveCommand(invocation).run(reactor, signals)
        default:
            let undoing = SignalWatch.Undoing()
            return try await SignalWatch.race(signals, on: reactor, undoing) {
                try await perform(invocation, reactor, undoing)
            }
        }
        return .success
    }

    private static func perform(
        _ invocation: Invocation, _ reactor: Reactor, _ undoing: SignalWatch.Undoing
    ) async throws {
        switch invocation.path.first {
        case "user", "invite", "credits", "keys": try await AccountCommands(invocation).run(on: reactor)
        case "qr": try await QRCommand(invocation).run(on: reactor)
        case "backup": try CareCommands(invocation).backUp(undoing)
        case "check": try await CareCommands(invocation).check(reactor)
        case "top": try await TopCommand(invocation).run(on: reactor)
        case "migrate": try MigrateCommand.run(invocation, on: reactor)
        default: throw UsageError("Say what to do; 'gallery --help' lists it.")
        }
    }

    private static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case is UsageError: .usage
        case is ServerProblem: .unavailable
        case is StorageProblem, is EventExport.Stopped: .inputOutput
        case let refusal as ExportRefusal: refusal.isBusy ? .tryAgain : .cannotCreate
        case is Unavailable, is PostgresError: .unavailable
        case is PostgresGallery.Refusal, is StorageProof.Elsewhere: .configuration
        case is DataFolder.Busy: .tryAgain
        case let error as APIError: error.code == .notFound ? .noInput : .data
        case let error as SystemError where error.kind == .missing: .noInput
        case is SystemError: .inputOutput
        default: .failure
        }
    }
}
