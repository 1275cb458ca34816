import Arguments
import Basics
import Gallery
import Posix

/// `gallery backup` and `gallery check`.
struct CareCommands {
    static let backupSpec: CommandSpec = {
        var spec = CommandSpec("backup", "Copies the database as it is now, also while the server runs.")
        spec.discussion = [
            "Originals are files that never change: copy the folder 'objects' after this, with any tool, and both fit together."
        ]
        spec.options = [DataFolder.option, DatabaseChoice.option]
        spec.positionals = [PositionalSpec("FILE", .one, "A file that does not exist yet.")]
        spec.examples = ["gallery backup /media/usb/gallery.sqlite"]
        return spec
    }()

    static let checkSpec: CommandSpec = {
        var spec = CommandSpec(
            "check", "Holds the database against the objects, both ways, and changes nothing.")
        spec.options = [DataFolder.option, DatabaseChoice.option, StorageChoice.option]
        spec.examples = ["gallery check"]
        return spec
    }()

    private let invocation: Invocation
    private let data: DataFolder
    private let rows: DatabaseChoice

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
        rows = try DatabaseChoice(invocation, data)
    }

    func backUp(_ undoing: SignalWatch.Undoing) throws {
        guard !rows.isShared else {
            throw UsageError(
                "PostgreSQL has better: pg_dump for one moment, or pg_basebackup with an archive of its log for any (see its "
                    + "manual, chapters 26.1 and 26.3). Objects never change: copy the bucket afterwards.")
        }
        let path = invocation.positionals[0]
        guard Directory.absolute(path) != nil else { throw UsageError("FILE needs a path.") }
        try GalleryCare.backUp(data.database, to: path) { undoing.set($0) }
        printOutput("gallery: \(data.database) as it is now is in \(path)")
    }

    func check(_ reactor: Reactor) async throws {
        let database = try rows.openForReading(reactor)
        defer { database.shutDown() }
        let report = try await GalleryCare.check(
            database, try StorageChoice.objects(invocation.value("storage"), data))
        for problem in report.problems { printOutput(problem) }
        if report.moreProblems > 0 {
            printOutput("and \(report.moreProblems) more, which are told when these are put right")
        }
        printOutput(
            "gallery: \(report.photos) photos, \(report.objects) objects, \(report.strays) of them not referred to (yet), "
                + "\(report.problems.count + report.moreProblems) problems")
        if report.objects == 0, report.photos > 0 {
            printOutput(
                "gallery: nothing lies there at all; say the --storage that 'gallery serve' was started with")
        }
        if !report.problems.isEmpty {
            throw AccountCommands.Failed(description: "not everything is as it should be")
        }
    }
}
