import Arguments
import Basics
import Gallery
import HTTPClient
import HTTPServer
import Posix
import Rendering
import Web

/// `gallery serve`: until a signal ends it.
struct ServeCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec("serve", "Answers the bridge, hosts and guests until Ctrl-C or SIGTERM.")
        spec.discussion = [
            "Everything is kept in one folder: a database, the photos, and the secret that log-ins are signed with. Hosts log in at /host; "
                + "guests find an event at /e/ADDRESS.",
            "Behind a proxy or for phones say --public-url, which is what addresses and QR codes are made of.",
        ]
        spec.options = [
            OptionSpec(
                "listen", "ADDRESS:PORT", "Where to listen; port 0 picks a free one. [127.0.0.1:8080]"),
            DataFolder.option,
            OptionSpec("public-url", "URL", "How it is reached from outside. [http://ADDRESS:PORT]"),
            OptionSpec("tls-cert", "FILE", "A certificate with its chain, in PEM: answers https itself."),
            OptionSpec("tls-key", "FILE", "The certificate's private key, in PEM."),
            StorageChoice.option,
            OptionSpec(
                "trusted-proxy", "ADDRESS", mayRepeat: true,
                "A proxy in front whose X-Forwarded-For is believed; without it all its clients share its limits."
            ),
            OptionSpec("workers", "N", "Pictures that are worked on at a time. [one for each processor]"),
            OptionSpec("upload-limit", "BYTES", "The largest original. [512MiB]"),
            OptionSpec(
                "registration", "WHO",
                "Who makes accounts over the network: open (all), invite (see 'gallery invite'), or closed. Always: "
                    + "'gallery user add', and the first one from this machine or with the code that is printed. [closed]",
                .words(registrations)),
            .flag("no-registration", "The same as --registration closed."),
            OptionSpec(
                "credits", "N", "How many photos a new account may upload, or 'unlimited'. [unlimited]"),
            OptionSpec("port-file", "PATH", "Write the port to this file when ready."),
            .flag("log-requests", "A line for each request."),
        ]
        spec.options += TermsChoice.options + MailChoice.options
        spec.examples = [
            "gallery serve", "gallery serve --listen 0.0.0.0:8080 --public-url http://192.168.1.10:8080",
        ]
        return spec
    }()

    /// Some thirty are open before the first guest comes. Swift's own threads need three of them late, and without those
    /// the process would die and not say why.
    private static let fewestFiles: UInt64 = 128

    private let invocation: Invocation
    private let data: DataFolder
    private let listen: IPEndpoint
    private let publicURL: String?
    private let tls: (certificate: String, key: String)?
    private let workers: Int?
    private let proxies: Set<String>
    private let uploadLimit: UInt64
    /// Nothing where the operator said nothing.
    private let registration: Registration?
    private let credits: Credits
    private let terms: TermsChoice
    private let mail: MailChoice?

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
        listen = try invocation.value("listen").map(Self.endpoint) ?? .loopback(port: 8080)
        publicURL = try invocation.value("public-url").map(Self.publicURL)
        switch (invocation.value("tls-cert"), invocation.value("tls-key")) {
        case (let certificate?, let key?): tls = (certificate, key)
        case (nil, nil): tls = nil
        default: throw UsageError("--tls-cert and --tls-key belong together.")
        }
        proxies = Set(invocation.all("trusted-proxy"))
        for proxy in proxies where IPEndpoint(numeric: proxy, port: 0) == nil {
            throw UsageError("--trusted-proxy needs a numeric address such as 127.0.0.1, not '\(proxy)'.")
        }
        workers = try invocation.integer("workers", in: 1...64)
        uploadLimit = try invocation.size("upload-limit", in: 1...(64 << 30)) ?? 512 << 20
        registration = try Self.registration(invocation)
        guard let credits = Credits(invocation.value("credits") ?? "unlimited") else {
            throw UsageError("--credits needs \(Credits.rule).")
        }
        self.credits = credits
        terms = try TermsChoice(invocation)
        mail = try MailChoice(invocation)
    }

    private static let registrations = ["open", "invite", "closed"]

    private static func registration(_ invocation: Invocation) throws(UsageError) -> Registration? {
        let isClosed = invocation.has("no-registration")
        guard let text = invocation.value("registration") else { return isClosed ? .closed : nil }
        guard let registration = Registration(rawValue: text) else {
            let near = Nearest.to(text, among: registrations).map { "; did you mean '\($0)'?" } ?? "."
            throw UsageError("--registration is open, invite or closed, not '\(text)'\(near)")
        }
        if isClosed, registration != .closed {
            throw UsageError("--no-registration and --registration \(text) contradict each other.")
        }
        return registration
    }

    private static func endpoint(_ text: String) throws(UsageError) -> IPEndpoint {
        do throws(HostPort.Unreadable) {
            if let endpoint = try IPEndpoint.listening(text, defaultPort: 8080) { return endpoint }
        } catch {
            throw UsageError("--listen: \(error)")
        }
        throw UsageError("--listen needs a numeric address and a port, such as 0.0.0.0:8080, not '\(text)'.")
    }

    static func publicURL(_ text: String) throws(UsageError) -> String {
        let url = text.hasSuffix("/") ? String(text.dropLast()) : text
        let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), isPlain, url.utf8.count <= 200,
            !url.contains("?"),
            !url.contains("#")
        else {
            throw UsageError(
                "--public-url needs an address such as https://photos.example.org, not '\(text)'.")
        }
        return url
    }

    func run(_ reactor: Reactor, _ signals: TerminationSignals) async throws {
        Program.givesBackLargeBuffers()
        let files = try Program.opensManyFiles()
        guard files >= Self.fewestFiles else {
            throw ServerProblem(
                description:
                    "This process may have \(files) files open, and a gallery needs at least \(Self.fewestFiles); raise the "
                    + "limit with ulimit -n, or LimitNOFILE= under systemd.")
        }
        _ = try data.make()
        let lock = try data.lock()
        defer { withExtendedLifetime(lock) {} }
        let threads = Threads()
        defer { threads.shutDown() }
        let database = try data.open(reactor)
        defer { database.shutDown() }
        let store = database.store
        // The address is needed before there is a server: the port may be one that was not chosen yet.
        let socket = listen.port == 0 ? try Socket.freeAddress(like: listen) : listen
        let url = publicURL ?? "\(tls == nil ? "http" : "https")://\(socket)"
        var settings = GallerySettings(publicURL: url)
        settings.uploadLimit = uploadLimit
        settings.consentVersion = terms.version
        let secret = try data.secret()
        let hasher = PasswordHasher(executor: threads.hashing, random: SystemRandomSource())
        var accountSettings = try accountSettings(url, socket)
        accountSettings.isSecure = settings.isSecure
        let accounts = Accounts(
            store: store, secret: secret, hasher: hasher, time: reactor, settings: accountSettings)
        let door = GuestDoor(
            secret: secret, hasher: hasher, time: reactor, wall: SystemWallTime(),
            random: SystemRandomSource(),
            isSecure: settings.isSecure)
        try await serve(socket, database, accounts, door, settings, reactor, signals)
    }

    private func accountSettings(_ url: String, _ socket: IPEndpoint) throws -> AccountSettings {
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

    private func serve(
        _ endpoint: IPEndpoint, _ database: GalleryDatabase, _ accounts: Accounts, _ door: GuestDoor,
        _ settings: GallerySettings, _ reactor: Reactor, _ signals: TerminationSignals
    ) async throws {
        let log = Self.log
        let store = database.store
        let (landed, hasLanded) = AsyncStream.makeStream(of: String.self)
        let choice = try StorageChoice(invocation.value("storage"), data, settings) { hasLanded.yield($0) }
        let pool = RenderPool(count: workers, on: reactor)
        let server = try GalleryServer(
            GalleryServer.Parts(
                database: database, accounts: accounts, door: door,
                storage: choice.storage, renderer: pool,
                settings: settings, imageSources: choice.imageSources, time: reactor, wall: SystemWallTime(),
                log: log))
        var web = ServerSettings(listen: endpoint)
        web.tls = tls
        web.trustedProxies = proxies
        let logsRequests = invocation.has("log-requests")
        let doors = try WebServer(
            web, routes: server.routes, time: reactor, wall: SystemWallTime(), random: SystemRandomSource(),
            refusal: GalleryServer.refusal
        ) { entry in
            server.metrics.note(entry)
            if logsRequests { log.access(entry) }
        }
        try await announce(doors.port, settings, accounts)
        let control = try ControlListener(path: data.socket)
        let telling = try Self.tellManager(of: settings.publicURL, store, reactor)
        let rendering = Task(executorPreference: reactor) { await pool.run() }
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
        telling?.cancel()
        control.close()
        answering.cancel()
        await doors.stop(within: .seconds(20))
        // What is under way is left for the next start.
        rendering.cancel()
        working.cancel()
        await rendering.value
        await working.value
        await answering.value
        hasLanded.finish()
        await hearing.value
        await telling?.value
    }

    /// systemd is told that guests can come, and that this loop and the thread that writes are at work.
    private static func tellManager(
        of url: String, _ store: StorePool, _ reactor: Reactor
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
            "gallery: \(settings.publicURL), for hosts \(settings.publicURL)/host, everything in \(data.path)"
        )
        if let code = try await accounts.makeFirstCode() {
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
    private static var log: GalleryLog {
        let isService = Program.environment("JOURNAL_STREAM") != nil
        return GalleryLog { level, message in
            let line = message.map { $0.isNewline ? " " : $0 }
            printError(isService ? "<\(level.rawValue)>\(String(line))" : "gallery: \(String(line))")
        }
    }
}

/// Threads that may block, one for each kind of work.
private struct Threads {
    let hashing = ThreadExecutor(name: "passwords")

    func shutDown() {
        hashing.shutDown()
    }
}
