import Arguments
import Basics
import Gallery
import Posix
import Synchronization

/// `gallery export`: an event as a folder that needs no server.
struct ExportCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "export", "Writes an event as a folder of pages and pictures that need no server.")
        spec.discussion = [
            "Open index.html in the folder by a double click, or put the folder on any web server. It holds what guests see, "
                + "sections included, with originals where the event gives them; hidden and deleted photos are never in it, "
                + "and nor are PINs, keys and addresses of accounts. Who has the folder needs no PIN.",
            "It may be interrupted at any moment, and works while the server runs. The same command once more brings what is new or "
                + "missing, and takes away what was hidden since. 'sha256sum -c SHA256SUMS' in the folder says whether every file is "
                + "whole.",
            "It ends with 1 where photos are missing or damaged in the storage; the others are exported.",
        ]
        spec.options = [
            OptionSpec("to", "DIR", "The folder: empty or not there yet, or an export of the same event."),
            .flag("originals", "With originals, also where the event does not give them to its guests."),
            .flag("no-originals", "Without originals, also where the event gives them."),
            OptionSpec(
                "language", "CODE",
                "What the pages speak: \(Language.allCases.map(\.code).joined(separator: ", ")). Default: en."
            ),
            DataFolder.option, DatabaseChoice.option, StorageChoice.option,
        ]
        spec.positionals = [PositionalSpec("EVENT", .one, "Its name, id, or the address of its page.")]
        spec.exclusive = [["originals", "no-originals"]]
        spec.examples = [
            "gallery export Wedding --to /media/usb/wedding",
            "gallery export Hochzeit --to hochzeit --language de",
            "gallery export Wedding --to wedding --originals --storage s3://photos/gallery",
        ]
        return spec
    }()

    private let invocation: Invocation
    private let data: DataFolder
    private let folder: String
    private let language: Language

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
        guard let folder = invocation.value("to").flatMap(Directory.absolute) else {
            throw UsageError("Say --to DIR, the folder to export to.")
        }
        self.folder = folder
        let code = invocation.value("language") ?? Language.english.code
        // "pt-BR" is what the pages call it.
        let first = code.split(separator: "-", omittingEmptySubsequences: false)[0].lowercased()
        guard let language = Language(rawValue: first) else {
            throw UsageError(
                "--language '\(code)' is none of \(Language.allCases.map(\.code).joined(separator: ", ")).")
        }
        self.language = language
    }

    /// For the photo that it is at.
    private static let grace = Duration.seconds(20)

    func run(_ reactor: Reactor, _ signals: TerminationSignals) async throws -> ExitCode {
        let exporting = Task(executorPreference: reactor) { try await export(reactor) }
        let watch = try SignalWatch(signals, grace: Self.grace) { exporting.cancel() }
        let result = await exporting.result
        await watch.end()
        do {
            try result.get()
            return .success
        } catch is CancellationError {
            printError("gallery: interrupted; the same command goes on from here")
            return .interrupted
        }
    }

    private func export(_ reactor: Reactor) async throws {
        let rows = try DatabaseChoice(invocation, data)
        let database = try rows.openForReading(reactor)
        defer { database.shutDown() }
        let event = try await QRCommand.event(invocation.positionals[0], database.reader)
        let told = ProgressLine(reactor)
        let export = EventExport(
            database, from: try StorageChoice.exported(invocation.value("storage"), data),
            originals: invocation.has("originals")
                ? .always : invocation.has("no-originals") ? .never : .asGuests,
            language: language, time: reactor, onStep: { try Task.checkCancellation() },
            onProgress: { told.say($0) })
        let report: EventExport.Report
        do {
            report = try await export.run(event.id, to: folder)
        } catch {
            told.end()
            throw error
        }
        told.end()
        for problem in report.problems { printError("gallery: \(problem)") }
        printOutput(
            "gallery: \(report.photos) photos on \(report.pages) pages are in \(folder): \(report.copied) files copied "
                + "(\(Human.bytes(report.bytes))), \(report.kept) there already, \(report.removed) removed")
        guard report.failed == 0 else {
            throw AccountCommands.Failed(
                description: "\(report.failed) files could not be exported; the same command tries them again"
            )
        }
    }
}

/// How far it is: on a terminal a line that changes, elsewhere a line now and then.
private final class ProgressLine: Sendable {
    private let isTerminal = Terminal.isTerminal(2)
    private let time: any TimeSource
    private let next: Mutex<(moment: Duration, isShown: Bool)>

    private static let onTerminal = Duration.milliseconds(200)
    private static let elsewhere = Duration.seconds(10)

    init(_ time: any TimeSource) {
        self.time = time
        next = Mutex((time.now + (isTerminal ? .zero : Self.elsewhere), false))
    }

    func say(_ progress: EventExport.Progress) {
        let now = time.now
        let isDue = next.withLock { next in
            guard now >= next.moment else { return false }
            next = (now + (isTerminal ? Self.onTerminal : Self.elsewhere), true)
            return true
        }
        guard isDue else { return }
        let line =
            "\(progress.photos) of \(progress.of) photos, \(progress.copied) files copied "
            + "(\(Human.bytes(progress.bytes))), \(progress.kept) there already"
        if isTerminal {
            writeAll("\r\u{1B}[K\(line.prefix(Terminal.columns(2) - 1))", to: 2)
        } else {
            printError("gallery: \(line)")
        }
    }

    /// What is said next begins a line.
    func end() {
        if isTerminal, next.withLock(\.isShown) { writeAll("\r\u{1B}[K", to: 2) }
    }
}
