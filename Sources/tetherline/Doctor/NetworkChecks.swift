import Arguments
import Basics
import Bridge
import Camera
import HTTPClient
import Link
import Network
import Posix
import Store
import Upload

/// Which networks there are, and by which of them photos leave.
struct NetworkCheck: HealthCheck {
    let name = "network"

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let reactor = subject.reactor
        let settings = try Settings.read(from: subject.home).network
        let watcher = NetworkPathMonitor(
            reactor, kernel: try RealKernel(reactor), manager: NetworkManager(reactor), settings: settings)
        let listening = Task(executorPreference: reactor) { await watcher.run() }
        defer { listening.cancel() }
        await watcher.ready()
        let up = try await watcher.interfaces().filter { $0.isUp && $0.kind != .loopback }
        var findings: [Finding] = []
        if up.isEmpty {
            findings.append(
                .failed(
                    "no network is up on this machine.",
                    cure: "Join the camera's Wi-Fi, or your own; 'tetherline network' shows what there is.",
                    .unavailable))
        }
        let ways = try Self.hosts(of: subject)
        for host in ways {
            let path = await watcher.path(to: host.host, port: host.port)
            findings.append(Self.finding("\(host)", path, settings))
        }
        if ways.isEmpty, !up.isEmpty {
            let path = await watcher.pathToAnywhere()
            let names = up.compactMap(\.interface).joined(separator: ", ")
            findings.append(
                path.isUp
                    ? .ok("up: \(names); the internet goes by \(path.interface ?? "one of them").")
                    : .notChecked(
                        "up: \(names); no way leads to the internet, which a camera and a folder do not need."
                    ))
        }
        return findings
    }

    private static func finding(_ host: String, _ path: NetworkPath, _ settings: NetworkSettings) -> Finding {
        let limit = PathUploadLimit(of: path, settings: settings)
        if !path.isUp {
            return .failed(
                "nothing reaches \(host): \(path.downBecause ?? "no way leads there").",
                cure: "Join a network that leads there; 'tetherline network' shows what there is.",
                .unavailable)
        }
        if let note = path.note {
            return .warning(
                "the name of \(host) cannot be looked up: \(note)",
                cure: "Look at the name for a typing error, and whether this network has a name server.")
        }
        if limit.slots == 0 {
            return .warning(
                "nothing is sent to \(host): \(limit.because).",
                cure: "'tetherline run --metered' sends all the same; or join another network.")
        }
        return .ok("\(host): \(limit.because).")
    }

    /// Those that destinations and log-ins name.
    private static func hosts(of subject: CheckedHome) throws -> [HostPort] {
        var urls = try CredentialsFile(folder: subject.home.path).read().entries.map(\.server)
        if let reader = try subject.reader(), let event = try reader.currentEvent() {
            urls += try reader.destinations(of: event.id)
        }
        var hosts: [HostPort] = []
        for url in urls where !url.hasPrefix("file:") && !url.hasPrefix("s3:") {
            let host = try HostPort(destination: url)
            if !hosts.contains(host) { hosts.append(host) }
        }
        return hosts
    }
}

/// Whether each gallery with a log-in answers, knows us, and has our clock.
struct GalleryCheck: HealthCheck {
    let name = "gallery"
    let limit = Duration.seconds(15)
    /// Signatures bear a quarter of an hour, and what a person sees of times less.
    private static let difference = Duration.seconds(30)

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let file = CredentialsFile(folder: subject.home.path)
        let servers = try file.read().entries.map(\.server)
        guard !servers.isEmpty else {
            return [
                .notChecked(
                    "there is no log-in at a gallery.",
                    cure: "'tetherline login SERVER' makes one, if photos are to go to one.")
            ]
        }
        // Where a bridge runs it is the one that renews the log-in.
        let lock = try Self.lock(subject.home)
        defer { withExtendedLifetime(lock) {} }
        let thread = ThreadExecutor(name: "account")
        defer { thread.shutDown() }
        return try await CommandTransport.withTransport(subject.home) { transport in
            var findings: [Finding] = []
            for server in servers {
                // The operator allowed plain http when logging in there, if it is plain.
                let address = try GalleryAddress(server, allowsPlain: true)
                let clock = GalleryClock()
                let account = GalleryAccount(
                    api: GalleryAPI(address, http: transport, wall: SystemWallTime(), clock: clock),
                    file: file,
                    time: subject.reactor, executor: thread, mayRefresh: lock != nil)
                findings += await Self.findings(server, account)
                findings += Self.findings(server, clock)
            }
            return findings
        }
    }

    private static func lock(_ home: Home) throws -> FileLock? {
        do throws(FileLock.Failure) {
            return try FileLock(path: home.lockFile)
        } catch {
            guard case .held = error else { throw error }
            return nil
        }
    }

    private static func findings(_ server: String, _ account: GalleryAccount) async -> [Finding] {
        var findings: [Finding] = []
        do throws(GalleryError) {
            let consent = try await account.perform { token throws(GalleryError) in
                try await account.api.consent(token)
            }
            findings.append(
                consent.isGiven
                    ? .ok("\(server) answers, the log-in is good, and consent is given.")
                    : .failed(
                        "\(server) takes no photo before consent is given.",
                        cure: "'tetherline consent --give' gives it.", .configuration))
        } catch {
            switch error {
            case .loggedOut:
                findings.append(
                    .failed(
                        "the log-in at \(server) is not good any more.",
                        cure: "'tetherline login \(server)' makes a new one.", .noPermission))
            case .credentials(let text):
                findings.append(.notChecked(text))
            case .refused, .unanswered, .foreign:
                findings.append(
                    .failed(
                        "\(error)",
                        cure:
                            "Look at the address for a typing error, whether a network leads there ('tetherline network'), and "
                            + "whether the gallery runs.", error.exitCode))
            }
        }
        return findings
    }

    /// By the Date header of its last answer.
    private static func findings(_ server: String, _ clock: GalleryClock) -> [Finding] {
        guard let ahead = clock.ahead, ahead > difference || ahead < .zero - difference else { return [] }
        let way = ahead > .zero ? "behind" : "ahead of"
        let span = Human.span(ahead > .zero ? ahead : .zero - ahead)
        return [
            .warning(
                "this machine's clock is \(span) \(way) that of \(server).",
                cure:
                    "Compare both with a phone, and set the one that is wrong ('timedatectl set-ntp true' here)."
            )
        ]
    }
}

/// Whether photos would arrive at each destination of the event.
struct DestinationsCheck: HealthCheck {
    let name = "destination"
    let limit = Duration.seconds(30)

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        guard let reader = try subject.reader(), let event = try reader.currentEvent() else {
            return [.notChecked("no event has a destination yet.")]
        }
        let known = try reader.knownDestinations(of: event.id).filter { $0.removedAt == nil }
        let test = DestinationTest(home: subject.home, isJSON: false)
        let places = try known.map { try DestinationTest.Subject($0, of: event) }
        return try await test.outcomes(of: places, on: subject.reactor).map { place, outcome in
            guard let problem = DestinationTest.problem(outcome) else { return .ok("\(place.url) works.") }
            return .failed(
                "\(place.url): \(problem)",
                cure:
                    "'tetherline destination test' tries it again; photos wait in the spool until it works.",
                DestinationTest.exitCode(of: outcome))
        }
    }
}

/// Whether anything listens where cameras are said to be. They are not greeted.
struct CamerasCheck: HealthCheck {
    let name = "camera"
    static let usualPort = TCPLinks.usualPort
    private static let patience = Duration.seconds(5)

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let known = try subject.reader()?.homeCameras() ?? []
        let settings = try Settings.read(from: subject.home).run.cameras
        do {
            if let live = try await Self.live(subject) { return live }
        } catch let error as SystemError {
            return [
                .notChecked(
                    "the bridge that runs here holds its cameras, and does not say how they are: \(error)")
            ]
        }
        var hosts = subject.cameras
        for case .address(let host) in settings.map({ $0.resolved(among: known.map(\.expected)) }) {
            if !hosts.contains(host) { hosts.append(host) }
        }
        var findings: [Finding] = []
        for camera in known {
            guard let place = camera.place else { continue }
            let host = try HostPort(place, defaultPort: Self.usualPort)
            if hosts.contains(host) { continue }
            if camera.isAddedByPlace {
                hosts.append(host)
            } else {
                findings.append(
                    .notChecked(
                        "\(camera.line) is not named by its address, which may be another camera's by now: not connected to.",
                        cure:
                            "'tetherline camera discover' looks for it; 'tetherline doctor --camera \(host)' tries that address."
                    ))
            }
        }
        for host in hosts { findings.append(await Self.finding(host, on: subject.reactor)) }
        guard findings.isEmpty else { return findings }
        return [
            .notChecked(
                "no camera is known in this home.",
                cure:
                    "'tetherline camera discover' looks for one; 'tetherline camera add HOST' makes it this home's."
            )
        ]
    }

    /// A bridge that runs holds their only places, and knows better.
    private static func live(_ subject: CheckedHome) async throws -> [Finding]? {
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "status")]
        guard
            let status = try await CommandRouter.ask(
                request, in: subject.home, on: subject.reactor, timeout: patience)
        else { return nil }
        return (status["cameras"]?.array ?? []).map { camera in
            let words = [camera["address"], camera["name"], camera["state"]].compactMap { $0?.string }
            let sentence = words.joined(separator: "  ")
            guard camera["loss"]?.string != nil else { return .ok(sentence) }
            return .failed(
                sentence, cure: "Do what the line says; 'tetherline status' shows when it is there again.",
                .unavailable)
        }
    }

    private static func finding(_ host: HostPort, on reactor: Reactor) async -> Finding {
        var options = TCPLink.Options()
        options.connectLimit = patience
        do throws(LinkError) {
            let link = try await TCPLink.connect(to: host, options: options, reactor: reactor)
            link.close(.orderly)
            return .notChecked(
                "\(host) lets us connect; it was not greeted, so whether it is a camera and lets us in is not known.",
                cure: "'tetherline camera info \(host)' greets it.")
        } catch {
            return .failed(
                "\(error).",
                cure:
                    "Switch the camera and its Wi-Fi on, choose its connection to a computer, and join the same network; "
                    + "'tetherline camera discover' shows which cameras announce themselves.", .unavailable)
        }
    }
}
