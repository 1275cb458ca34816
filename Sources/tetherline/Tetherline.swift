import Arguments
import Basics
import Bridge
import Camera
import Database
import GalleryCopy
import Link
import PacketCapture
import PhotoMetadata
import Posix
import Rendering
import Store
import Transfer
import Upload

/// The operator's program.
@main
enum Tetherline {
    static func main() {
        let arguments = Program.arguments
        // A child of our own that makes pictures smaller for the page. Photos come first, so it gives way to all else.
        if arguments == RenderPool.arguments {
            Program.givesWay()
            Program.end(with: renderMain())
        }
        // Another one, which writes what is said about photos into copies of them.
        if arguments == MetadataPool.arguments { Program.end(with: metadataMain()) }
        Program.run(name: "tetherline") { reactor, signals in
            await run(arguments, reactor, signals).rawValue
        }
    }

    static let spec: CommandSpec = {
        var spec = CommandSpec("tetherline", "Every frame off every Wi-Fi camera.")
        spec.subcommands =
            [
                SetupCommand.spec, RunCommand.spec, WatchCommand.spec, StatusCommand.spec, JobsCommand.spec,
                CapturesCommand.spec, WhyCommand.spec, JournalCommand.spec, MetricsCommand.spec,
                VerifyCommand.spec, RedeliverCommand.spec, StoreCommand.spec, CacheCommand.spec,
                DoctorCommand.spec, NetworkCommand.spec, DestinationCommands.spec, CameraCommands.spec,
                ConfigCommands.spec, AlertCommands.spec, CaptionCommands.spec, PhotoCommands.spec,
                SyncCommand.spec,
            ] + OperatorCommands.specs + GalleryCommands.specs
        spec.options = []
        spec.discussion = ["'tetherline help exit-codes' says how commands end."]
        spec.environment = [
            ("TETHERLINE_HOME", "The home, where --home does not name one."),
            ("STATE_DIRECTORY", "The home, where neither does; systemd sets it."),
            (
                "NOTIFY_SOCKET, WATCHDOG_USEC, JOURNAL_STREAM",
                "Where systemd is told how 'run' is, and that its journal reads what is said; systemd sets them."
            ),
            ("XDG_STATE_HOME", "The home is in its folder tetherline otherwise. [~/.local/state]"),
            (
                "XDG_RUNTIME_DIR",
                "Where the bridge is spoken to, when the home's path is too long for a socket."
            ),
            ("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "Keys for destinations of S3."),
            ("AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE", "Where those keys stand otherwise."),
            ("SSL_CERT_FILE, SSL_CERT_DIR", "Whose certificates are trusted. [those of the system]"),
            ("NO_COLOR", "Nothing is coloured where it is set to something."),
            ("TERM", "Lines instead of a screen where it is 'dumb' or nothing."),
            ("LC_ALL, LC_CTYPE, LANG", "A screen keeps to ASCII where the first that is set names no UTF-8."),
            ("TMPDIR", "Where short-lived files lie. [/tmp]"),
        ]
        spec.offerQuiet()
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
                printOutput("tetherline \(CommandSpec.version)")
                return .success
            case .run(let invocation):
                return try await untilSignal(signals, reactor) {
                    try await perform(invocation, reactor)
                }
            }
        } catch  where isInterruption(error) {
            printError("tetherline: interrupted")
            return .interrupted
        } catch {
            printError("tetherline: \(Visible("\(error)"))")
            return exitCode(of: error)
        }
    }

    private static func perform(_ invocation: Invocation, _ reactor: Reactor) async throws -> ExitCode {
        if invocation.has(CommandSpec.quiet) { try Program.discardsOutput() }
        switch invocation.path.first {
        case "setup": return try await SetupCommand(invocation).run(on: reactor)
        case "run": return try await RunCommand(invocation).run(on: reactor)
        case "watch": return try await WatchCommand(invocation).run(on: reactor)
        case "status": return try await StatusCommand(invocation).run(on: reactor)
        case "jobs": return try await JobsCommand(invocation).run(on: reactor)
        case "retry", "cancel", "pause", "resume":
            return try await OperatorCommands.run(invocation, on: reactor)
        case "captures": return try CapturesCommand(invocation).run()
        case "why": return try await WhyCommand(invocation).run(on: reactor)
        case "journal": return try JournalCommand(invocation).run()
        case "alerts": return try await AlertCommands(invocation).run(on: reactor)
        case "captions": return try CaptionCommands(invocation).run()
        case "metrics": return try await MetricsCommand(invocation).run(on: reactor)
        case "verify": return try await VerifyCommand(invocation).run(on: reactor)
        case "redeliver": return try await RedeliverCommand(invocation).run(on: reactor)
        case "destination": return try await DestinationCommands(invocation).run(on: reactor)
        case "config": return try ConfigCommands(invocation).run()
        case PhotoCommands.name: return try await PhotoCommands.run(invocation, on: reactor)
        case SyncCommand.name: return try await SyncCommand(invocation).run(on: reactor)
        case "cache": return try CacheCommand(invocation).run()
        case "store": return try await StoreCommand.run(invocation, on: reactor)
        case .some(let name) where GalleryCommands.names.contains(name):
            return try await GalleryCommands.run(invocation, on: reactor)
        case "doctor": return try await DoctorCommand(invocation).run(on: reactor)
        case "network": return try await NetworkCommand(invocation).run(on: reactor)
        default: return try await CameraCommands.run(invocation, reactor)
        }
    }

    /// Runs a command; a signal cancels it, and it ends in order.
    private static func untilSignal(
        _ signals: TerminationSignals, _ reactor: Reactor,
        _ command: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        let task = Task(executorPreference: reactor) { try await command() }
        let watch = Task(executorPreference: reactor) {
            guard await signals.next(on: reactor) != nil else { return }
            task.cancel()
        }
        defer { watch.cancel() }
        return try await task.value
    }

    /// The operator's own doing needs no other word, whatever was under way.
    private static func isInterruption(_ error: any Error) -> Bool {
        error is CancellationError || (error as? CameraFailure)?.trouble == .cancelled
    }

    private static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case is UsageError, is HostPort.Unreadable: return .usage
        case let failure as CameraFailure: return failure.exitCode
        case let error as SystemError: return error.exitCode
        case let error as DatabaseError: return error.exitCode
        case is Home.Unsafe: return .noPermission
        case is Refusal: return .data
        case is Settings.Unusable: return .configuration
        case FileLock.Failure.held: return .tryAgain
        case FileLock.Failure.system(let error): return error.exitCode
        case is TetheredElsewhere.SlotTaken: return .tryAgain
        case is CommandRouter.Refused, is CopyObjection: return .failure
        case is EventChoice.Unknown: return .noInput
        case is EventChoice.NotLoggedIn: return .noPermission
        case is NothingThere: return .noInput
        case is Manifest.Untrue: return .data
        case let error as GalleryError: return error.exitCode
        case let error as CredentialsFile.Problem: return error.isBusy ? .tryAgain : .data
        case is GalleryEventsCommand.Busy, is BridgeEnded: return .tryAgain
        case let error as DiskError: return error.meaning == .notWritable ? .noPermission : .inputOutput
        case is LinkError, is UnknownBody: return .unavailable
        case is NothingToFetch: return .notVerifiable
        case is PcapFile.Unreadable: return .data
        case is Recorder.CannotRecord, is MetricsCommand.CannotWrite: return .cannotCreate
        default: return .failure
        }
    }
}

extension CameraFailure {
    var exitCode: ExitCode {
        switch outcome {
        case .unavailable: .unavailable
        case .tryAgain: .tryAgain
        case .notPermitted: .noPermission
        case .nonsense: .data
        case .failed: .failure
        case .inputOutput: (takerFailure as? SystemError)?.exitCode ?? .inputOutput
        case .interrupted: .interrupted
        }
    }
}

extension DatabaseError {
    var exitCode: ExitCode {
        switch code {
        case .readOnly, .cannotOpen: .noPermission
        case .corrupt, .notADatabase, .shortRead: .data
        case .busy: .tryAgain
        default: .inputOutput
        }
    }
}

extension SystemError {
    var exitCode: ExitCode {
        switch kind {
        case .noRoom, .tooLarge, .failing: .inputOutput
        case .notAllowed: .noPermission
        case .missing: .noInput
        case .tooManyOpen, .other: .system
        }
    }
}
