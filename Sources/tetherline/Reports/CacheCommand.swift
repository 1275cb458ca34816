import Arguments
import Basics
import ImageCache
import Posix
import Store

/// `tetherline cache …`: images of the gallery that are kept here.
struct CacheCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("cache", "Images of the gallery that are kept on this machine.")
        let home = OptionSpec(
            "home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]")
        var show = CommandSpec("show", "How many images are kept, of which kinds, and how much they take.")
        show.discussion = ["Works while a bridge runs and when none does."]
        show.options = [.flag("json", "Print JSON."), home]
        show.examples = ["tetherline cache show"]
        var clear = CommandSpec("clear", "Removes them all; they are fetched again when they are looked at.")
        clear.discussion = ["Takes no photo from the spool. Not while a bridge runs, which uses them."]
        clear.options = [home]
        clear.examples = ["tetherline cache clear"]
        spec.subcommands = [show, clear]
        return spec
    }()

    private let home: Home
    private let clears: Bool
    private let isJSON: Bool
    private let isQuiet: Bool

    init(_ invocation: Invocation) {
        home = Home(invocation.value("home"))
        clears = invocation.path.last == "clear"
        isJSON = invocation.has("json")
        isQuiet = invocation.has(CommandSpec.quiet)
    }

    func run() throws -> ExitCode {
        if clears {
            try clear()
        } else {
            let report = try ImageCacheReport(folder: home.imageCache)
            if isJSON { printOutput(json(report).compact) } else { say(report) }
        }
        return .success
    }

    private func clear() throws {
        let lock = try home.lock()
        let (images, bytes) = try ImageCacheReport.clear(folder: home.imageCache)
        if !isQuiet { printOutput("\(Self.count(images)) removed, \(Human.bytes(bytes))") }
        withExtendedLifetime(lock) {}
    }

    private func say(_ report: ImageCacheReport) {
        guard report.images > 0 else {
            printOutput("no images are kept in \(home.imageCache)")
            return
        }
        printOutput("\(Self.count(report.images)), \(Human.bytes(report.bytes)), in \(home.imageCache)")
        let rows = report.kinds.map { ["", "\(Visible($0.name))", "\($0.images)", Human.bytes($0.bytes)] }
        for line in Human.table(rows) { printOutput(line) }
        if let last = report.lastUse, let first = report.longestUnused {
            let times = [last, first].map { CivilTime.rfc3339(milliseconds: $0.milliseconds) }
            printOutput("last asked for \(times[0]); the first to go was asked for \(times[1])")
        }
    }

    private static func count(_ images: Int) -> String { images == 1 ? "1 image" : "\(images) images" }

    private func json(_ report: ImageCacheReport) -> JSONValue {
        func time(_ moment: Timestamp?) -> JSONValue {
            .optional(moment) { .string(CivilTime.rfc3339(milliseconds: $0.milliseconds)) }
        }
        return [
            "folder": .string(home.imageCache), "images": .integer(Int64(report.images)),
            "bytes": .unsigned(report.bytes),
            "kinds": .array(
                report.kinds.map {
                    [
                        "kind": .string($0.name), "images": .integer(Int64($0.images)),
                        "bytes": .unsigned($0.bytes),
                    ]
                }),
            "lastUse": time(report.lastUse), "longestUnused": time(report.longestUnused),
        ]
    }
}
