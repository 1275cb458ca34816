import Arguments
import Basics
import Gallery
import HTTPClient
import HTTPServer
import Posix
import Rendering
import Web

/// What `gallery serve` does once it knows what it was told.
extension ServeCommand {
    func accountSettings(_ url: String, _ socket: IPEndpoint) throws -> AccountSettings {
        var settings = AccountSettings()
        (settings.publicURL, settings.mail) = (url, try mail?.door())
        settings.registration = registration ?? .closed
        settings.initialCredits = credits
        (settings.terms, settings.consentVersion) = (terms.terms, terms.version)
        // Known by an address that leads elsewhere, it stands behind a proxy, whatever it listens at. One that was not named
        // asks for all the world, and from this machine.
        settings.trustsThisMachine =
            !proxies.isEmpty
            || PublicAddress(url).map {
                $0.leads(to: socket, isTLS: tls != nil) { address in
                    do throws(SystemError) {
                        _ = try Socket.freeAddress(like: IPEndpoint(address: address, port: 0))
                        return true
                    } catch {
                        return false
                    }
                }
            } ?? false
        return settings
    }

    func serve(
        _ endpoint: IPEndpoint, _ database: GalleryDatabase, _ accounts: Accounts, _ door: GuestDoor,
        _ settings: GallerySettings, _ reserve: DiskReserve?, _ activity: ActivityLog, _ reactor: Reactor,
        _ signals: SignalWatch
    ) async throws {
        let log = Self.log(settings.node)
        let store = database.store
        let (landed, hasLanded) = AsyncStream.makeStream(of: String.self)
        let choice = try await storage(
            of: database, accounts.keys, settings, reactor, log, onLanded: { hasLanded.yield($0) })
        let pool = RenderPool(count: workers, on: reactor)
        let filming = videos.pool(on: reactor)
        let server = try GalleryServer(
            GalleryServer.Parts(
                database: database, accounts: accounts, door: door,
                storage: choice.storage, renderer: pool, videos: videos.studio(filming, on: reactor),
                settings: settings, imageSources: choice.imageSources + images.imageSources,
                caches: try images.caches(on: reactor),
                reminders: try reminders.reminders(by: mail, on: reactor), reserve: reserve, time: reactor,
                wall: SystemWallTime(), log: log, activity: activity))
        var web = ServerSettings(listen: endpoint)
        web.tls = tls
        web.trustedProxies = proxies
        web.mostStreams = settings.mostStreams
        let logsRequests = invocation.has("log-requests")
        let doors = try WebServer(
            web, routes: server.routes, time: reactor, wall: SystemWallTime(), random: SystemRandomSource(),
            refusal: GalleryServer.refusal, elsewhere: GalleryServer.elsewhere, finish: server.finish
        ) { entry in
            server.metrics.note(entry)
            if logsRequests { log.access(entry) }
        }
        await signals.end()
        try await announce(doors.port, settings, accounts)
        let control = try ControlListener(path: data.socket)
        let telling = try Self.tellManager(of: settings.publicURL, store, reactor, log)
        let rendering = Task(executorPreference: reactor) { await pool.run() }
        let preparing = Task(executorPreference: reactor) { await filming.run() }
        let working = Task(executorPreference: reactor) { await server.run(workers: pool.count) }
        let hearing = Task(executorPreference: reactor) { await Self.pass(landed, to: server) }
        let answering = Task(executorPreference: reactor) {
            await control.serve(on: reactor) { line, reply in
                await AccountCommands.answer(
                    line, accounts, { event in try await store { try $0.renewKey(of: event) } }, reply, log)
            }
        }
        if let number = await signals.next(on: reactor) {
            printOutput("gallery: ending after signal \(number); what is being served is finished first")
        }
        if drain > .zero {
            server.beginDraining()
            try await reactor.sleep(until: reactor.now + drain)
        }
        if rows.isShared { endAnyway(reactor, log) }
        telling?.cancel()
        control.close()
        answering.cancel()
        await doors.stop(within: .seconds(20))
        // What is under way is left for the next start.
        rendering.cancel()
        preparing.cancel()
        working.cancel()
        await rendering.value
        await preparing.value
        await working.value
        await answering.value
        hasLanded.finish()
        await hearing.value
        await telling?.value
    }

    /// Where photos lie; throws where those of the database do not.
    private func storage(
        of database: GalleryDatabase, _ keys: KeyRing, _ settings: GallerySettings, _ reactor: Reactor,
        _ log: GalleryLog, onLanded: @escaping @Sendable (_ key: String) -> Void
    ) async throws -> StorageChoice {
        let choice = try StorageChoice(
            invocation.value("storage"), data, keys, settings, cacheSize: images.cacheSize,
            warn: { log.warning($0) }, onLanded: onLanded)
        let proof = StorageProof(choice.storage, database.reader, time: reactor)
        let adopts = invocation.has("objects-are-lost")
        if !adopts { try await proof.require(named: choice.name) }
        if rows.isShared, let bucket = choice.bucket {
            let mark = StorageMark(bucket, proof, database.store, time: reactor) { log.warning($0) }
            try await mark.require(named: choice.name, adopts: adopts)
        }
        return choice
    }

    /// A database that hangs does not keep a node from its end, which a service manager would make by force. What was under
    /// way there is another node's when the lease on it is over.
    private func endAnyway(_ reactor: Reactor, _ log: GalleryLog) {
        Task(executorPreference: reactor) {
            do {
                try await reactor.sleep(until: reactor.now + Self.longestEnd)
            } catch {
                return
            }
            log.warning(
                "this node has not come to its end within \(Self.longestEnd), most likely because the database does not "
                    + "answer, and ends now; what it was at, another node takes over")
            Program.end(with: 0)
        }
    }

    private static let longestEnd = Duration.seconds(30)

    /// systemd is told that guests can come, and that this loop and the thread that writes are at work.
    private static func tellManager(
        of url: String, _ store: StorePool, _ reactor: Reactor, _ log: GalleryLog
    ) throws -> Task<Void, Never>? {
        guard let manager = try ServiceManager(environment: { Program.environment($0) }) else { return nil }
        let heartbeat = ServiceHeartbeat(
            manager, parts: [ServiceHeartbeat.Part("the database") { await store.answer() }], time: reactor,
            line: { "serving \(url)" }, report: { log.warning($0) })
        return Task(executorPreference: reactor) { await heartbeat.run() }
    }

    /// Tells the server of bytes that have come, until no more will.
    private static func pass(_ landed: AsyncStream<String>, to server: GalleryServer) async {
        await withDiscardingTaskGroup { group in
            for await key in landed { group.addTask { await server.landed(key) } }
        }
    }

    private func announce(_ port: UInt16, _ settings: GallerySettings, _ accounts: Accounts) async throws {
        printOutput(
            "gallery: \(settings.publicURL), for hosts \(settings.publicURL)/host, everything in \(rows.name)"
        )
        if rows.isShared {
            // A code of one node would be good at none of the others.
            if try await accounts.isUnused() {
                printOutput(
                    "gallery: there is no account yet. Make one with 'gallery user add you@example.org --database URL'"
                )
            }
        } else if let code = try await accounts.makeFirstCode() {
            let here = accounts.settings.trustsThisMachine ? "from this machine, " : ""
            printOutput(
                "gallery: there is no account yet. Make one with 'gallery user add you@example.org --data \(data.path)', "
                    + "\(here)or from anywhere with the code \(code.text)")
        } else if registration == nil {
            printOutput(
                "gallery: registration is closed: accounts are made by 'gallery user add'; "
                    + "--registration invite admits people with a code of 'gallery invite', --registration open all"
            )
        }
        guard let path = invocation.value("port-file") else { return }
        guard let absolute = Directory.absolute(path), let end = absolute.lastIndex(of: "/"),
            end < absolute.index(before: absolute.endIndex)
        else { throw UsageError("--port-file names a file, not '\(path)'.") }
        let folder = try Directory(path: end == absolute.startIndex ? "/" : String(absolute[..<end]))
        _ = try writeAtomically(
            Array("\(port)\n".utf8), to: String(absolute[absolute.index(after: end)...]), in: folder,
            mode: 0o644)
    }

    /// Under systemd a line's first characters say how bad it is.
    static func log(_ node: String?) -> GalleryLog {
        let isService = Program.environment("JOURNAL_STREAM") != nil
        return GalleryLog { level, message in
            printError(
                GalleryLog.line(
                    level, message, node: node, isService: isService, at: SystemWallTime().wallNow))
        }
    }
}

/// Threads that may block, one for each kind of work.
struct Threads {
    let hashing = ThreadExecutor(name: "passwords")

    func shutDown() {
        hashing.shutDown()
    }
}
