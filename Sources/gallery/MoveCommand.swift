import Arguments
import Basics
import Gallery
import Posix
import Postgres

/// `gallery move`: from one machine to a server of PostgreSQL and a bucket.
struct MoveCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("move", "Takes a gallery in a folder over to PostgreSQL and a bucket.")
        spec.discussion = [
            "Everything stays valid: log-ins, QR codes, addresses, uploads under way. It may be interrupted at any moment; the same "
                + "command goes on. While 'gallery serve' runs on the folder it takes over what is there, and says when to stop that; the next "
                + "run takes over what is left, compares both sides, and closes the folder, so that nothing is written to it any more.",
            "The database is empty, or holds what a run before has brought there.",
        ]
        spec.options = [
            OptionSpec("from", "DIR", "The gallery's folder, as 'serve' has it by --data."),
            OptionSpec("to", "URL", "The database: postgres://user@host/name."),
            OptionSpec("storage", "WHERE", "The bucket: s3://bucket/prefix."),
            OptionSpec(
                "from-storage", "WHERE", "Where photos lie until now, as 'serve' has it by --storage. [dir]"),
            .flag("reopen", "Make a folder that was closed a gallery again. What came since is not in it."),
        ]
        spec.examples = [
            "gallery move --from /var/lib/gallery --to postgres://gallery@db.example.org/gallery --storage s3://photos/gallery",
            "gallery move --from /var/lib/gallery --reopen",
        ]
        return spec
    }()

    private let invocation: Invocation
    private let data: DataFolder

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        guard let from = invocation.value("from") else {
            throw UsageError("Say --from DIR, the gallery's folder.")
        }
        data = try DataFolder(from)
    }

    /// For the page of rows, or the object, that it is at.
    private static let grace = Duration.seconds(20)

    func run(_ reactor: Reactor, _ signals: TerminationSignals) async throws {
        do throws(SystemError) {
            _ = try ReadableFile.size(of: data.database)
        } catch {
            guard error.kind == .missing else { throw error }
            throw UsageError("There is no gallery in \(data.path).")
        }
        if invocation.has("reopen") { return try reopen() }
        let moving = Task(executorPreference: reactor) { try await move(reactor) }
        let watch = try SignalWatch(signals, grace: Self.grace) { moving.cancel() }
        let result = await moving.result
        await watch.end()
        do {
            try result.get()
        } catch is CancellationError {
            throw DataFolder.Busy(description: "interrupted; the same command goes on from here")
        }
    }

    private func reopen() throws {
        let lock = try data.lock()
        defer { withExtendedLifetime(lock) {} }
        guard try GalleryMover.reopen(data.database) else {
            printOutput("gallery: \(data.path) is not closed")
            return
        }
        printOutput(
            "gallery: \(data.path) is open again. What came to the other gallery since it was moved is not in it, and what comes "
                + "to this one is not in the other")
    }

    private func move(_ reactor: Reactor) async throws {
        let (server, target) = try target(reactor)
        let alone = try lockOfMove()
        defer { withExtendedLifetime(alone) {} }
        let lock = try lockUnlessServed()
        defer { withExtendedLifetime(lock) {} }
        for warning in try server.facts().warnings { printError("gallery: \(warning)") }
        for step in try server.migrate() { printOutput("gallery: \(server.address.name): \(step)") }
        let thread = ThreadExecutor(name: "moving")
        defer { thread.shutDown() }
        let rows = MovingRows(
            from: data.database, to: server, executor: thread, wall: SystemWallTime(),
            onBatch: { try Task.checkCancellation() })
        let mover = GalleryMover(
            rows, from: try source(), to: target, secret: try await data.keys().load(), place: data.path,
            targetName: server.address.name, time: reactor, wall: SystemWallTime()
        ) { printOutput("gallery: \($0)") }
        switch try await mover.run(isLocked: lock != nil, random: SystemRandomSource()) {
        case .moved:
            printOutput(
                "gallery: \(data.path) is moved and closed. Serve it with: gallery serve --database URL --storage WHERE"
            )
        case .wasMoved: printOutput("gallery: \(data.path) is moved already, and closed")
        case .isServed(let rest):
            throw DataFolder.Busy(
                description:
                    "stop 'gallery serve' on \(data.path), then run the same command again: what is left takes about "
                    + "\(max(1, rest.wholeMilliseconds / 1000)) s")
        }
    }

    private func target(_ reactor: Reactor) throws -> (PostgresGallery, BucketObjects) {
        guard let address = try DatabaseChoice.address(invocation, "to") else {
            throw UsageError("Say --to postgres://…, the database.")
        }
        guard let storage = invocation.value("storage"), storage != "dir" else {
            throw UsageError("Say --storage s3://bucket/prefix: nodes share the place of their photos.")
        }
        let server = PostgresGallery(
            address, servers: KnownServers(), time: reactor, random: SystemRandomSource())
        return (server, try StorageChoice.bucket(storage))
    }

    /// Not the storage that serves: that one clears its workshop when it begins.
    private func source() throws -> any ObjectSource {
        switch invocation.value("from-storage") {
        case nil, "dir":
            do throws(SystemError) {
                _ = try Directory(path: data.objects)
            } catch {
                guard error.kind == .missing else { throw error }
                throw UsageError(
                    "\(data.objects) is not there; where photos lie in a bucket, say --from-storage s3://bucket/prefix."
                )
            }
            return FolderObjects(path: data.objects)
        case let text?:
            return try S3Storage(
                try StorageChoice.bucket(text), workshop: "\(data.path)/moving", wall: SystemWallTime(),
                random: SystemRandomSource())
        }
    }

    /// Two at once would do everything twice.
    private func lockOfMove() throws -> FileLock {
        do throws(FileLock.Failure) {
            return try FileLock(path: "\(data.path)/move.lock")
        } catch {
            guard case .held = error else { throw error }
            throw DataFolder.Busy(description: "another 'gallery move' works on \(data.path)")
        }
    }

    /// Nothing where a server runs.
    private func lockUnlessServed() throws -> FileLock? {
        do {
            return try data.lock()
        } catch is DataFolder.Busy {
            return nil
        }
    }
}
