import Arguments
import Basics
import Bridge
import Camera
import Posix
import Store
import Transfer

/// `camera get`: a transfer whose shelf is a folder of the operator's and that ends when everything is there. Resuming,
/// checking again and giving up on one photo are the transfer's.
struct GetCommand {
    private let options: ConnectionOptions
    private let wanted: Set<PhotoReference>?
    private let destination: String
    private let retryLimit: Duration
    private let largest: UInt64
    private let part: UInt32?
    private let isQuiet: Bool
    private let hashes: Bool
    private let isDurable: Bool
    private let showsStats: Bool

    /// The first pause before a lost camera is tried again, doubled each time up to the last.
    private static let pauses = Backoff(first: .seconds(1), longest: .seconds(10))

    init(_ options: ConnectionOptions, _ invocation: Invocation) throws {
        self.options = options
        let named = invocation.positionals.dropFirst()
        if named.isEmpty != invocation.has("all") {
            throw UsageError("Say which files: their handles as 'tetherline camera ls' shows them, or --all.")
        }
        var references: Set<PhotoReference> = []
        for text in named { references.insert(try CameraCommands.reference(text)) }
        wanted = named.isEmpty ? nil : references
        destination = invocation.value("to") ?? "."
        retryLimit = try invocation.duration("retry", in: .zero...(.seconds(86_400))) ?? .seconds(60)
        largest = try invocation.size("limit", in: 1...1 << 50) ?? 64 << 30
        showsStats = invocation.has("stats")
        part = try invocation.size("part", in: 1...UInt64(UInt32.max) - 1).map { UInt32($0) }
        hashes = !invocation.has("no-hash")
        isQuiet = invocation.has(CommandSpec.quiet)
        isDurable = !invocation.has("no-sync")
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let report = GetReport(isJSON: options.isJSON, isQuiet: isQuiet, time: reactor)
        let workers = PhotoWorkers.start()
        let files = ThreadExecutor(name: "files")
        defer {
            workers.shutDown()
            files.shutDown()
        }
        let shelf = DownloadFolder(
            try Directory.make(path: destination), isDurable: isDurable, executor: files)
        let ledger = FetchLedger(shelf, wanted: wanted, known: options.known) { report.present($0, size: $1) }
        let transfer = transfer(to: shelf, ledger, report, workers, on: reactor)
        do {
            try await fetch(transfer, shelf, report, on: reactor)
            for reference in await ledger.unresolved.sorted() { report.notFound(reference) }
        } catch {
            report.end()
            throw error
        }
        report.end()
        if showsStats {
            let (memory, seconds) = ResourceUse.now
            printError("peak memory \(Human.bytes(UInt64(memory))), processor time \(seconds) s")
        }
        return report.failures == 0 ? .success : .failure
    }

    private func transfer(
        to shelf: DownloadFolder, _ ledger: FetchLedger, _ report: GetReport, _ workers: PhotoWorkers,
        on reactor: Reactor
    ) -> CameraTransfer {
        var settings = TransferSession.Settings()
        settings.skipsDuplicates = false
        settings.hashes = hashes
        settings.goesByTime = false
        settings.life.backoff = Self.pauses
        settings.machine.only = wanted
        settings.machine.followsCard = false
        settings.machine.timeout = options.client.timeout
        settings.onMoved = { report.moved($0) }
        let session = TransferSession(
            event: BridgeEvent(id: "", name: ""), settings: settings, ledger: ledger, wall: SystemWallTime(),
            random: SystemRandomSource(), boot: BootID.current, time: reactor, report: { report.tell($0) })
        let connector = options.connector(on: reactor) { camera in
            camera.largestObject = largest
            camera.part = part
        }
        return CameraTransfer(
            session, connector: connector, shelf: shelf, workers: workers, executor: reactor, time: reactor)
    }

    /// Runs the transfer until everything is there, or until it is of no use to go on.
    private func fetch(
        _ transfer: CameraTransfer, _ shelf: DownloadFolder, _ report: GetReport, on reactor: Reactor
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: reactor) { await transfer.run() }
            defer { group.cancelAll() }
            var mark: UInt64 = 0
            var movedAt = reactor.now
            while true {
                try Task.checkCancellation()
                if await transfer.idleSince != nil { return }
                let progress = await transfer.progress
                if progress != mark { (mark, movedAt) = (progress, reactor.now) }
                if let reason = report.hold {
                    let failure = await shelf.lastFailure
                    throw failure.flatMap { $0.description == reason ? $0 : nil } ?? DiskError(.other, reason)
                }
                if let error = await Self.reasonToEnd(
                    transfer, stuckFor: reactor.now - movedAt, retryLimit)
                {
                    throw error
                }
                await report.signal.wait(until: reactor.now + .milliseconds(100), of: reactor)
            }
        }
    }

    /// The first connection has to work: trying a wrong address again does not help. Later on, what answers wrongly may only be
    /// what is at that address while the camera is out of range.
    private static func reasonToEnd(
        _ transfer: CameraTransfer, stuckFor: Duration, _ limit: Duration
    ) async -> (any Error)? {
        let failure = await transfer.lastFailure
        if let failure {
            if await !transfer.wasConnected || failure is UnknownBody { return failure }
            if let failure = failure as? CameraFailure, failure.outcome == .notPermitted { return failure }
        }
        guard stuckFor >= limit, await transfer.lostSince != nil else { return nil }
        // A connection that was ended from here has no failure, and nothing came of it all the same.
        let loss = await transfer.lastLoss
        return failure ?? loss.map { NothingToFetch(place: transfer.place, reason: $0.reason) }
    }
}

/// The camera answers, and does not say what is on its cards.
struct NothingToFetch: Error, CustomStringConvertible {
    let place: String
    let reason: String

    var description: String { "\(place): \(reason)" }
}
