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
            StorageChoice.option, StorageChoice.lossOption,
            OptionSpec(
                "trusted-proxy", "ADDRESS", mayRepeat: true,
                "A proxy in front whose X-Forwarded-For is believed; without it all its clients share its limits."
            ),
            MetricsReaders.option,
            OptionSpec("workers", "N", "Pictures that are worked on at a time. [one for each processor]"),
            OptionSpec(
                "most-streams", "N",
                "Pages that are told of new photos as they come; those beyond ask every 15 seconds. [20000, or as many as "
                    + "the limit of open files has room for]"),
            OptionSpec("upload-limit", "BYTES", "The largest original of a photo. [512MiB]"),
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
        spec.options +=
            VideoChoice.options + DatabaseChoice.serveOptions + ImageChoice.options + TermsChoice.options
            + MailChoice.options + ReminderChoice.options
        spec.examples = [
            "gallery serve", "gallery serve --listen 0.0.0.0:8080 --public-url http://192.168.1.10:8080",
        ]
        return spec
    }()

    /// Some thirty are open before the first guest comes. Swift's own threads need three of them late, and without those
    /// the process would die and not say why.
    private static let fewestFiles: UInt64 = 128

    let invocation: Invocation
    let data: DataFolder
    let rows: DatabaseChoice
    /// How long a balancer has for sending clients elsewhere.
    let drain: Duration
    /// Nothing where the operator said nothing.
    let node: String?
    let listen: IPEndpoint
    let publicURL: String?
    let tls: (certificate: String, key: String)?
    let workers: Int?
    let proxies: Set<String>
    let metricsFrom: [AddressNetwork]
    let uploadLimit: UInt64
    let mostStreams: Int?
    /// Nothing where the operator said nothing.
    let registration: Registration?
    let credits: Credits
    let terms: TermsChoice
    let mail: MailChoice?
    let images: ImageChoice
    let videos: VideoChoice
    let reminders: ReminderChoice

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        data = try DataFolder(invocation.value("data"))
        rows = try DatabaseChoice(invocation, data)
        if rows.isShared, invocation.value("storage").map({ $0 == "dir" }) ?? true {
            throw UsageError(
                "Nodes that share a database share the place of their photos: say --storage s3://bucket/prefix."
            )
        }
        drain = .seconds(try invocation.integer("drain", in: 0...600) ?? (rows.isShared ? 5 : 0))
        node = invocation.value("node")
        if let node, !NodeName.isName(node) {
            throw UsageError("--node needs \(NodeName.rule), not '\(node)'.")
        }
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
        metricsFrom = try MetricsReaders.of(invocation)
        workers = try invocation.integer("workers", in: 1...64)
        mostStreams = try invocation.integer("most-streams", in: 1...1_000_000)
        uploadLimit = try invocation.size("upload-limit", in: 1...(64 << 30)) ?? 512 << 20
        registration = try Self.registration(invocation)
        guard let credits = Credits(invocation.value("credits") ?? "unlimited") else {
            throw UsageError("--credits needs \(Credits.rule).")
        }
        self.credits = credits
        terms = try TermsChoice(invocation)
        mail = try MailChoice(invocation)
        images = try ImageChoice(invocation)
        videos = try VideoChoice(invocation)
        reminders = try ReminderChoice(invocation)
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
        // Until there is something that has to come to its end: a database may not answer when it is looked for.
        let starting = try SignalWatch(signals, grace: .zero)
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
        // The address is needed before there is a server: the port may be one that was not chosen yet.
        let socket = listen.port == 0 ? try Socket.freeAddress(like: listen) : listen
        let node =
            node ?? (rows.isShared ? NodeName.of(machine: Program.hostName, port: socket.port) : nil)
        let log = Self.log(node)
        // Before the database is opened, which takes some room.
        let reserve = rows.isShared ? nil : try DiskReserve(in: data.make(), log: log)
        let database = try rows.open(reactor, node: node ?? "", migrates: true) { log.warning($0) }
        defer { database.shutDown() }
        let store = database.store
        let url = publicURL ?? "\(tls == nil ? "http" : "https")://\(socket)"
        var settings = GallerySettings(publicURL: url)
        settings.uploadLimit = uploadLimit
        settings.videoLimit = videos.limit
        settings.guestVideoLimit = videos.guestLimit
        settings.mostStreams = try StreamLimit.of(mostStreams, files: files)
        settings.node = node
        settings.metricsFrom = metricsFrom
        settings.consentVersion = terms.version
        settings.images = images.delivery
        let keys = try await rows.keys(database, reactor)
        let hasher = PasswordHasher(executor: threads.hashing, random: SystemRandomSource())
        var accountSettings = try accountSettings(url, socket)
        accountSettings.isSecure = settings.isSecure
        let activity = ActivityLog(log, time: reactor)
        let accounts = Accounts(
            store: store, keys: keys, hasher: hasher, time: reactor, settings: accountSettings,
            activity: activity)
        let door = GuestDoor(
            keys: keys, hasher: hasher, time: reactor, wall: SystemWallTime(),
            random: SystemRandomSource(),
            isSecure: settings.isSecure, shared: accounts.sharedLimits, activity: activity)
        try await serve(socket, database, accounts, door, settings, reserve, activity, reactor, starting)
    }
}
