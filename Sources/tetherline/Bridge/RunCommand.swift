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
        ]
        spec.options =
            [
                OptionSpec(
                    "camera", "HOST[:PORT]", mayRepeat: true,
                    "A camera's address; may be given several times."),
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
                        + "2026-11-21 or 2026-11-21T18:00. [session]"
                ),
                OptionSpec("take", "KINDS", "both, jpeg, raw, or jpeg-first. [both]"),
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
                    "What becomes of a photo in the spool once every destination has it: \(Retention.words). [keep]"
                ),
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
                .flag("json", "Print JSON, one value a line."),
                .flag("stats", "Print peak memory and processor time at the end."),
            ] + ConnectionOptions.clientSpecs
        spec.examples = [
            "tetherline run --camera 192.168.1.1 --event Wedding --destination file:///media/usb/wedding",
            "tetherline run --camera 192.168.1.1 --event Wedding --keep /backup --once --since all",
            "tetherline run --camera 192.168.1.1 --server https://gallery.example --event Wedding",
            "tetherline run --event Wedding --destination s3://weddings/2026 --once",
        ]
        return spec
    }()

    let home: Home
    let settings: Settings
    let cameras: [HostPort]
    /// As it is selected, when nothing is said.
    let event: String?
    let server: GalleryAddress?
    let destinations: [DestinationAddress]
    /// Nothing when the operator did not say.
    let since: Since?
    let isOnce: Bool
    let idle: Duration
    let retry: Duration
    let isJSON: Bool
    let showsStats: Bool
    let acceptsNewBodies: Bool
    let client: ConnectionOptions.Client

    init(_ invocation: Invocation) throws {
        home = Home(invocation.value("home"))
        var settings = try Self.settings(invocation, home)
        settings.tidings = try settings.tidings.checked()
        self.settings = settings
        var cameras: [HostPort] = []
        for text in invocation.all("camera") {
            let camera = try HostPort(text, defaultPort: TCPLinks.usualPort)
            guard !cameras.contains(where: { "\($0)" == "\(camera)" }) else {
                throw UsageError("--camera \(text) is given twice; a camera has one slot.")
            }
            cameras.append(camera)
        }
        isOnce = invocation.has("once")
        guard !cameras.isEmpty || isOnce else {
            throw UsageError(
                "Say which camera: --camera HOST, as its network menu shows it; or --once, to deliver what is here."
            )
        }
        self.cameras = cameras
        event = invocation.value("event")
        if let event, event.isEmpty || event.count > 200 {
            throw UsageError("Say which event the photos belong to: --event NAME, at most 200 characters.")
        }
        if event == nil, try Self.selection(in: home) == nil {
            throw UsageError(
                "Say which event the photos belong to: --event NAME, or choose one of a gallery with "
                    + "'tetherline events select NAME'.")
        }
        server = try Self.server(invocation)
        destinations = try Self.destinations(invocation, settings)
        since = try Self.since(invocation)
        if !isOnce, invocation.value("idle") != nil || invocation.value("retry") != nil {
            throw UsageError("--idle and --retry are about --once.")
        }
        idle = try invocation.duration("idle", in: .zero...(.seconds(86_400))) ?? .seconds(3)
        retry = try invocation.duration("retry", in: .seconds(1)...(.seconds(86_400))) ?? .seconds(60)
        isJSON = invocation.has("json")
        showsStats = invocation.has("stats")
        acceptsNewBodies = invocation.has("new-body")
        client = try ConnectionOptions.Client(invocation, settings)
    }

    private static func settings(_ invocation: Invocation, _ home: Home) throws -> Settings {
        var settings = try Settings.read(from: home)
        let kinds = CaptureFilter.Kinds.allCases.map(\.rawValue)
        if let take = try invocation.choice("take", of: kinds).flatMap({ CaptureFilter.Kinds(rawValue: $0) })
        {
            settings.take = take
        }
        if let formats = invocation.value("formats") {
            settings.formats = Set(formats.split(separator: ",").map { CaptureFilter.usual(String($0)) })
        }
        if invocation.has("only-protected") { settings.onlyProtected = true }
        if let rating = try invocation.integer("min-rating", in: 0...5) { settings.minimumRating = rating }
        if let size = try invocation.size("min-size", in: 0...1 << 50) { settings.minimumSize = size }
        if invocation.has("keep-duplicates") { settings.skipsDuplicates = false }
        if invocation.has("delete-from-card") { settings.deletesFromCard = true }
        if let reserve = try invocation.size("reserve", in: 0...1 << 60) { settings.reserve = reserve }
        if let text = invocation.value("retention") {
            guard let retention = Retention(text) else {
                throw UsageError("--retention is \(Retention.words), not '\(text)'.")
            }
            settings.retention = retention
        }
        for tidings in Tidings.allCases {
            guard let program = invocation.value("on-\(tidings.rawValue)") else { continue }
            settings.tidings.hooks.programs[tidings] = program
        }
        if let rate = try invocation.size("rate", in: 1...1 << 50) { settings.rate = rate }
        if invocation.has("metered") { settings.network.allowsMetered = true }
        if let keep = invocation.value("keep") { settings.keep = keep }
        if let name = invocation.value("keep-name") { settings.keepName = name }
        if settings.keep == nil, settings.keepName != nil {
            throw UsageError("--keep-name is about --keep DIR.")
        }
        return settings
    }

    /// The event that was chosen at a gallery.
    private static func selection(in home: Home) throws -> EventSelection? {
        do {
            return try home.reader().selection()
        } catch is NothingThere {
            return nil
        }
    }

    private static func server(_ invocation: Invocation) throws(UsageError) -> GalleryAddress? {
        guard let text = invocation.value("server") else { return nil }
        do throws(GalleryAddress.Invalid) {
            // The operator allowed plain http when logging in there, if it is plain.
            return try GalleryAddress(text, allowsPlain: true)
        } catch {
            throw UsageError("--server: \(error)")
        }
    }

    private static func destinations(
        _ invocation: Invocation, _ settings: Settings
    ) throws -> [DestinationAddress] {
        var urls = invocation.all("destination")
        if let keep = settings.keep {
            guard let absolute = Directory.absolute(keep) else {
                throw UsageError("--keep names a folder, not '\(keep)'.")
            }
            urls.append(FolderAddress.url(path: absolute, template: settings.keepName))
        }
        return try urls.map { url in
            do throws(AddressProblem) {
                return try DestinationAddress(url)
            } catch {
                throw UsageError("--destination: \(error)")
            }
        }
    }

    private static func since(_ invocation: Invocation) throws(UsageError) -> Since? {
        switch invocation.value("since") {
        case nil: return nil
        case "session": return .begin
        case "last-seen": return .lastSeen
        case "all": return .all
        case .some(let text):
            // 2026-11-21, 2026-11-21T18:00 and 2026-11-21T18:00:30 are what PTP writes without the dashes.
            var digits = text.filter { $0 != "-" && $0 != ":" }
            if digits.count == 8 { digits += "T000000" }
            if digits.count == 13 { digits += "00" }
            guard let date = CivilTime(ptp: digits) else {
                throw UsageError(
                    "--since is session, last-seen, all, or a date such as 2026-11-21 or 2026-11-21T18:00, not '\(text)'."
                )
            }
            return .date(date.secondsSince1970)
        }
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let thread = ThreadExecutor(name: "print")
        defer { thread.shutDown() }
        let report = RunReport(isJSON: isJSON, printer: LinePrinter(executor: thread))
        let code: ExitCode
        do {
            code = try await RunningBridge.run(self, report, on: reactor)
        } catch {
            await report.finish(of: reactor)
            throw error
        }
        await report.finish(of: reactor)
        if showsStats {
            let (memory, seconds) = ResourceUse.now
            printError("peak memory \(Human.bytes(UInt64(memory))), processor time \(seconds) s")
        }
        return code
    }
}
