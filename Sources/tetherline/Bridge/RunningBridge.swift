import Arguments
import Basics
import Bridge
import Console
import HTTPClient
import Posix
import Store
import Transfer
import Upload

/// A bridge at work: builds the parts, runs them, and stops them in reverse order.
struct RunningBridge: Sendable {
    let command: RunCommand
    let report: RunReport
    let event: BridgeEvent
    /// How its window was found; nothing where no camera is tethered.
    let beginning: WindowBeginning?
    let ledger: Ledger
    let cameras: TetheredCameras
    /// Nothing where every camera was named by its address.
    let search: CameraSearch?
    let deliveries: Deliveries
    let captions: CaptionDesk?
    let uplink: Uplink
    let board: StatusBoard
    /// One for all commands, so that no two bring the same photo.
    let repair: SpoolRepair
    let alertWays: AlertWays
    let images: GalleryImages
    let copies: CopyKeeper
    let services: BackgroundServices
    private let control: ControlListener
    /// Nothing where no service manager has started this.
    private let heartbeat: ServiceHeartbeat?
    let threads: Threads
    private let reactor: Reactor
    /// Nothing where lines are printed.
    let screen: TerminalHUD?

    static func run(_ command: RunCommand, _ report: RunReport, on reactor: Reactor) async throws -> ExitCode
    {
        let home = command.home
        let manager = try ServiceManager(environment: { Program.environment($0) })
        manager?.tell([.status("looking at what the last run has left")])
        // Before anything is looked at: a process that holds it may be writing.
        let lock = try home.lock()
        let threads = Threads()
        defer { threads.shutDown() }
        try home.makeDatabaseFile()
        let ledger = try Ledger(
            path: home.database, executor: threads.make("ledger"), wall: SystemWallTime(),
            random: SystemRandomSource())
        let uplink = try Uplink(command.settings, on: try threads.makeReactor("network"))
        let code: ExitCode
        do {
            code = try await run(
                try await command.resolved(by: ledger), report, ledger, uplink, threads, manager,
                on: reactor)
        } catch {
            await uplink.shutDown()
            throw error
        }
        await uplink.shutDown()
        try await ledger.end()
        withExtendedLifetime(lock) {}
        return code
    }

    private static func run(
        _ command: RunCommand, _ report: RunReport, _ ledger: Ledger, _ uplink: Uplink, _ threads: Threads,
        _ manager: ServiceManager?, on reactor: Reactor
    ) async throws -> ExitCode {
        let (home, run) = (command.home, command.settings.run)
        let services = try BackgroundServices(command.settings, home, ledger, uplink, report, threads)
        await ledger.use(
            command.settings.jobs, listeners: command.settings.notifications.listeners,
            onSettled: { services.hooks.post(.completed, of: $0) })
        let event = try await event(for: command, report, ledger, uplink, threads, on: reactor)
        try await ledger.noteRun(of: event)
        let beginning =
            run.cameras.isEmpty
            ? nil
            : try await ledger.begin(
                event, since: run.since, longestAbsence: command.settings.longestAbsence)
        if !run.cameras.isEmpty {
            try await ledger.note(cameraPlaces: run.addresses.map { "\($0)" }, of: event)
        }
        let (copy, told) = makeCopy(home, threads, report)
        let builder = try DestinationBuilder(
            event, home, ledger, uplink, time: reactor, threads, captions: command.settings.captions,
            GalleryCaptions(copy, database: home.database) { report.note($0) })
        let captions = builder.captions
        try await builder.build()
        let images = try GalleryImages(
            of: builder, event, home, command.settings.reserve, uplink, threads, time: reactor, told: told)
        report.tell(
            try await Recovery(
                ledger, skipsDuplicates: command.settings.transfer.skipsDuplicates, openRoot: home.openSpool
            ).run())
        let heard = CameraSearchLine()
        let sending = SendingSource()
        let board = makeBoard(for: event, command, builder.destinations, sending, threads)
        let session = TransferSession(
            event: event, settings: CameraMaker.settings(of: command), ledger: ledger, wall: SystemWallTime(),
            random: SystemRandomSource(), boot: BootID.current, time: reactor,
            report: { news in
                board.tell(.camera(news))
                heard.tell(news)
                if case .staged(let capture, _, _) = news.event { services.hooks.post(.staged, of: capture) }
            })
        let cameras = TetheredCameras()
        let maker = CameraMaker(
            command: command, session: session, services: services, images: images, threads: threads,
            cameras: cameras)
        for host in run.addresses { cameras.begin(try maker.make(host)) }
        let search = try search(
            for: command,
            CameraSearch.Bridge(
                ledger: ledger, cameras: cameras,
                makeCamera: { try maker.make($0, known: $1, expecting: $2) },
                tell: { board.tell(.search($0)) }, note: { report.note($0) }), threads)
        heard.leads(to: search)
        let copies = try copies(of: builder, event, home, uplink, time: reactor, copy)
        let deliveries = Deliveries(
            builder, ledger, uplink, settings: command.settings.deliveries,
            executor: threads.make("deliveries"), report: CaptionDesk.noting(captions, for: board))
        sending.leads(to: deliveries, cameras, copies)
        let bridge = RunningBridge(
            command: command, report: report, event: event, beginning: beginning, ledger: ledger,
            cameras: cameras, search: search, deliveries: deliveries, captions: captions, uplink: uplink,
            board: board, repair: images.repair(home, command.settings.reserve, on: threads.make("mend")),
            alertWays: try alertWays(of: command, event, ledger, uplink, report, threads), images: images,
            copies: copies, services: services, control: try ControlListener(path: home.controlSocket),
            heartbeat: heartbeat(of: manager, ledger, board, uplink, report, time: reactor), threads: threads,
            reactor: reactor, screen: try screen(for: command, threads))
        defer { bridge.control.close() }
        return try await bridge.withReaders { try await bridge.work() }
    }

    private func work() async throws -> ExitCode {
        if let beginning { tell(beginning) }
        try await noteClosedGates()
        if let problem = command.settings.captions.problem(at: deliveries.destinations) {
            report.note(problem)
        }
        if try await ledger.isPaused() {
            deliveries.pause(true)
            board.tell(.paused(true))
            report.note("deliveries are paused since the last run: 'tetherline resume' goes on")
        }
        var code = try await runUntilDone()
        await endCopies()
        try await ledger.noteAlive(event)
        await noteMemoryAtEnd()
        if let left = try leftAtFirstRun(), code == .success {
            report.note(left)
            code = .failure
        }
        report.sum(try await ledger.counts(of: event), event, notDescribed: await board.notDescribed)
        await noteEnd(code)
        return code
    }

    /// What happens is folded and shown until `body` has ended, and all of it is.
    private func withReaders(_ body: () async throws -> ExitCode) async throws -> ExitCode {
        let reader = await board.subscribe()
        report.attach(to: board)
        // Not children of this task: what happens when it is cancelled is shown as well.
        let journal = RunJournal(ledger: ledger, wall: SystemWallTime(), news: await board.subscribe())
        let noting = Task(executorPreference: board.executor) { await journal.run() }
        let folding = Task(executorPreference: board.executor) { [board] in await board.run() }
        let showing = Task(executorPreference: board.executor) { [report] in await report.follow(reader) }
        let result: Result<ExitCode, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await images.end()
        await board.finish()
        await folding.value
        await showing.value
        await noting.value
        return try result.get()
    }

    // MARK: Building

    /// The event, with every destination that was named for it.
    private static func event(
        for command: RunCommand, _ report: RunReport, _ ledger: Ledger, _ uplink: Uplink, _ threads: Threads,
        on reactor: Reactor
    ) async throws -> BridgeEvent {
        let choice = EventChoice(ledger: ledger, report: report)
        var server = command.settings.run.server
        let event: BridgeEvent
        if let server {
            let account = GalleryAccount(
                api: GalleryAPI(server, http: uplink.client, wall: SystemWallTime()),
                file: CredentialsFile(folder: command.home.path), time: reactor,
                executor: threads.make("account"), mayRefresh: true)
            event = try await choice.atGallery(command.settings.run.event, account, time: reactor)
        } else {
            let local = try await choice.local(command.settings.run.event)
            event = local.event
            server = try local.server.map { try GalleryAddress($0, allowsPlain: true) }
        }
        let named = DestinationReconciler(
            known: try command.home.reader().knownDestinations(of: event.id), event: event)
        if let server {
            let place = GalleryPlace(server, event: event.id, ledgerEvent: event.id)
            if named.mayUse(place.url, report.note) {
                _ = try await ledger.destination(place.url, kind: .gallery, of: event)
            }
        }
        for destination in command.destinations where named.isNew(destination, report.note) {
            if let note = try DestinationChange.missingDisk(for: destination) { report.note(note) }
            try DestinationChange.makeFolder(destination)
            _ = try await ledger.destination(destination.url, kind: .direct, of: event)
        }
        return event
    }

    /// Nothing where every camera is named by its address, and none looks for us.
    private static func search(
        for command: RunCommand, _ bridge: CameraSearch.Bridge, _ threads: Threads
    ) throws -> CameraSearch? {
        let (run, camera) = (command.settings.run, command.settings.camera)
        guard run.searches || camera.answersUPnP && !run.cameras.isEmpty else { return nil }
        return CameraSearch(
            run, interface: camera.interface, host: camera.answersUPnP ? command.client.description : nil,
            bridge, on: try threads.makeReactor("search"))
    }

    // MARK: Running

    private func runUntilDone() async throws -> ExitCode {
        return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
            await show(in: &group)
            group.addTask {
                await cameras.run { place in search?.hear(.ended(place: place)) }
                return nil
            }
            if let search {
                group.addTask {
                    await search.run()
                    return nil
                }
            }
            group.addTask {
                await deliveries.run()
                return nil
            }
            group.addTask {
                while !Task.isCancelled {
                    await ledger.jobsSignal.waitUnlessCancelled()
                    deliveries.lookAgain()
                }
                return nil
            }
            group.addTask {
                await runServices()
                return nil
            }
            group.addTask {
                await attend(by: reactor)
                return nil
            }
            group.addTask {
                async let alerts: Void = watchAlerts(alertWays, of: reactor)
                _ = await (heartbeat?.run(), alerts)
                return nil
            }
            group.addTask {
                await uplink.follow(deliveries) { board.tell(.upload($0)) }
                return nil
            }
            group.addTask {
                await control.serve(on: reactor) { line, reply in await answer(line, reply) }
                return nil
            }
            if command.settings.run.isOnce {
                group.addTask {
                    do {
                        let code = try await OnceWatch(self.watched).end()
                        try await services.finish()
                        try await sendLastEdits()
                        return code
                    } catch is CancellationError {
                        return nil
                    }
                }
            }
            while let code = try await group.next() {
                guard let code else { continue }
                group.cancelAll()
                try await group.waitForAll()
                return code
            }
            // Only a signal ends all of them.
            return command.endedBySignal
        }
    }

    private var watched: OnceWatch.Watched {
        OnceWatch.Watched(
            cameras: cameras, ledger: ledger, event: event, board: board, time: reactor,
            deliveries: deliveries, isSearching: command.settings.run.searches,
            idle: command.settings.run.idle, retry: command.settings.run.retry)
    }
}
