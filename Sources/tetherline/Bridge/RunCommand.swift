import Arguments
import Basics
import Bridge
import Camera
import Posix
import Store
import Transfer
import Upload

/// `tetherline run`: the command line of a bridge, checked before anything is opened.
struct RunCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "run", "Tethers cameras: every photo onto the disk, into the event, to its destinations.")
        spec.discussion = [
            "Runs until Ctrl-C, reconnects by itself, and goes on after a crash where it was. Each photo is in the spool "
                + "under its name only when it is whole and on the disk, and its deliveries are written down in the same instant.",
            "Taken is what is shot from the event's first run on, until 'tetherline events close' or the run of another event: "
                + "however often the bridge is started anew, wherever a camera is. --since takes older photos as well.",
            "On a terminal it shows what 'tetherline watch' shows, and the same keys; q stops the bridge, after a question.",
            "What stands in the home's config.json5 needs no option: 'tetherline run' alone does what that file says. An "
                + "option counts more than the file, and a list of the command line replaces that of the file.",
        ]
        spec.options =
            [
                OptionSpec(
                    "camera", "CAMERA", mayRepeat: true,
                    "HOST or HOST:PORT; auto: every camera of this home that announces itself; or a name, model or serial number "
                        + "such as 'Z 8', for those of that name. May be given several times."),
                OptionSpec(
                    "event", "EVENT", "The event's id or name; an unknown name makes a new event here."),
                OptionSpec(
                    "destination", "URL", mayRepeat: true,
                    "Where photos go: file:///folder, with ?name=TEMPLATE or &link=hard. The event keeps its destinations."
                ),
                OptionSpec(
                    "server", "URL",
                    "Upload to the event of this gallery; 'tetherline login URL' comes first. [where the selected event is]"
                ),
                OptionSpec(
                    "rate", "BYTES", "Leave others something: send no faster than so many bytes a second."),
                .flag("metered", "Upload also where bytes cost."),
                OptionSpec("keep", "DIR", "A second copy into this folder."),
                OptionSpec(
                    "keep-name", "TEMPLATE",
                    "How copies are named, of {event} {date} {time} {camera} {serial} {seq} {name} {stem} {ext}. [{name}]"
                ),
                OptionSpec(
                    "since", "WHEN",
                    "Download what was shot since: session (the event's first run), last-seen, all, or a date such as "
                        + "2026-11-21 or 2026-11-21T18:00. [session]",
                    .words(["session", "last-seen", "all"])),
                OptionSpec(
                    "take", "KINDS", "both, jpeg, raw, or jpeg-first. [both]",
                    .oneOf(CaptureFilter.Kinds.allCases.map(\.rawValue))),
                OptionSpec("formats", "LIST", "Only these extensions, such as JPG,NEF."),
                .flag("only-protected", "Only photos that are protected on the camera."),
                OptionSpec(
                    "min-rating", "STARS", "Only photos rated so high or higher on the camera, 0 to 5."),
                OptionSpec("min-size", "BYTES", "Only photos of this size or larger."),
                .flag("keep-duplicates", "Keep a photo whose bytes are in the event already."),
                .flag(
                    "new-body",
                    "Take whatever camera answers, also one that was never met where another one was known."),
                .flag("delete-from-card", "Delete a photo from the card once every destination has it."),
                OptionSpec(
                    "reserve", "BYTES",
                    "Space that stays free on the spool's disk. [2GiB, or 5 % where that is less]"),
                OptionSpec(
                    "retention", "WISH",
                    "What becomes of a photo in the spool once every destination has it: \(Retention.words). [keep]",
                    .words(["delete", "keep-until-full", "keep"])),
                OptionSpec(
                    "on-staged", "PROGRAM",
                    "Run when a photo is whole and on the disk, with facts in its environment (TETHERLINE_FILE …)."
                ),
                OptionSpec("on-completed", "PROGRAM", "The same when every destination has it."),
                .flag(
                    "once",
                    "End when everything of the event that the cameras hold is delivered. Without a camera: when what is "
                        + "here is delivered."),
                OptionSpec("idle", "TIME", "With --once: how long nothing new may come before the end. [3s]"),
                OptionSpec(
                    "retry", "TIME", "With --once: give up when nothing has moved for so long. [60s]"),
                OptionSpec(
                    "hud", "ADDRESS:PORT",
                    "Show this bridge in a browser: 127.0.0.1:8420 for this machine, 0.0.0.0:8420 for phones too; port 0 picks one."
                ),
                OptionSpec(
                    "hud-file", "PATH",
                    "Where the page's address is written, with the token of this run. [hud.url in the home]"),
                .flag(
                    "hud-control",
                    "Allow changes over plain http in a network, where others can read along."),
                .flag("json", "Print JSON, one value a line."),
                .flag(
                    "plain",
                    "Print lines on a terminal, too, instead of the screen that 'tetherline watch' shows."),
                .flag("stats", "Print peak memory and processor time at the end."),
            ] + ConnectionOptions.clientSpecs
        spec.examples = [
            "tetherline run --camera 192.168.1.1 --event Wedding --destination file:///media/usb/wedding",
            "tetherline run --camera auto --event Wedding --destination file:///media/usb/wedding",
            "tetherline run --camera 192.168.1.1 --event Wedding --keep /backup --once --since all",
            "tetherline run --camera 192.168.1.1 --server https://gallery.example --event Wedding",
            "tetherline run --event Wedding --destination s3://weddings/2026 --once",
            "tetherline run --hud 0.0.0.0:8420",
        ]
        return spec
    }()

    let home: Home
    private(set) var settings: Settings
    /// With the folder of the second copy.
    let destinations: [DestinationAddress]
    let client: ConnectionOptions.Client

    init(_ invocation: Invocation) throws {
        home = Home(invocation.value("home"))
        try home.requireOwn()
        self.settings = try Self.settings(invocation, home)
        guard !settings.run.cameras.isEmpty || settings.run.isOnce else {
            throw UsageError(
                "Say which camera: --camera HOST or --camera auto; 'tetherline setup camera' finds one and writes it into "
                    + "\(home.settings). Or --once, to deliver what is here.")
        }
        if settings.run.event == nil, try Self.selection(in: home) == nil {
            throw UsageError(
                "Say which event the photos belong to: --event NAME, or 'tetherline events select NAME' for one of a gallery; "
                    + "'tetherline setup destination' asks for it and writes it into \(home.settings).")
        }
        destinations = try settings.run.destinations + Self.secondCopy(settings.copy)
        if !settings.run.isOnce, invocation.value("idle") != nil || invocation.value("retry") != nil {
            throw UsageError("--idle and --retry are about --once.")
        }
        client = try ConnectionOptions.Client(settings, home)
    }

    /// What the file says, and what the command line says instead; what a run cannot do without is there.
    private static func settings(_ invocation: Invocation, _ home: Home) throws -> Settings {
        var settings = try Settings.read(from: home)
        try settings.apply(invocation, Settings.table)
        let given = Set(PhotoEvent.allCases.filter { invocation.value($0.hookOption) != nil })
        settings.notifications = try settings.notifications.checked(given: given)
        try settings.hud.takeSocket()
        try settings.hud.check()
        let problems = settings.problemsOfRun(besides: given)
        if !problems.isEmpty, let file = try SettingsFile(of: home) { throw file.unusable(problems) }
        return settings
    }

    /// With what the home's cameras are called.
    func resolved(by ledger: Ledger) async throws -> RunCommand {
        var resolved = self
        resolved.settings.run = try await settings.run.resolved(by: ledger)
        return resolved
    }

    /// The event that was chosen at a gallery.
    private static func selection(in home: Home) throws -> SelectedEvent? {
        do {
            return try home.reader().selection()
        } catch is NothingThere {
            return nil
        }
    }

    private static func secondCopy(_ copy: Settings.SecondCopy) throws -> [DestinationAddress] {
        guard let folder = copy.folder else {
            guard copy.name == nil else { throw UsageError("--keep-name is about --keep DIR.") }
            return []
        }
        guard let absolute = Directory.absolute(folder) else {
            throw UsageError("--keep names a folder, not '\(folder)'.")
        }
        do throws(AddressProblem) {
            return [try DestinationAddress(FolderAddress.url(path: absolute, template: copy.name))]
        } catch {
            throw UsageError("--keep: \(error)")
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        if settings.run.isQuiet { try Program.discardsOutput() }
        let thread = ThreadExecutor(name: "print")
        defer { thread.shutDown() }
        let report = RunReport(
            isJSON: settings.run.isJSON, printer: LinePrinter(executor: thread),
            journal: try SystemJournal("tetherline", environment: { Program.environment($0) }))
        let code: ExitCode
        do {
            code = try await RunningBridge.run(self, report, on: reactor)
        } catch {
            await report.finish(of: reactor)
            throw error
        }
        await report.finish(of: reactor)
        if settings.run.showsStats {
            let (memory, seconds) = ResourceUse.now
            printError("peak memory \(Human.bytes(UInt64(memory))), processor time \(seconds) s")
        }
        return code
    }
}
