import Arguments
import Basics
import Bridge
import HTTPClient
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
        let places = try Self.places(of: subject)
        let strange = places.filter { !servers.contains("\($0.address)") }.map { place in
            Finding.failed(
                "photos are to go to \(place.address), and there is no log-in there.",
                cure: "'\(place.address.loginCommand)' makes one.", .noPermission)
        }
        guard !servers.isEmpty || !strange.isEmpty else {
            return [
                .notChecked(
                    "there is no log-in at a gallery.",
                    cure: "'tetherline login SERVER' makes one, if photos are to go to one.")
            ]
        }
        // Where a bridge runs it is the one that renews the log-in.
        let lock = try subject.home.lockWhereFree()
        defer { withExtendedLifetime(lock) {} }
        let thread = ThreadExecutor(name: "account")
        defer { thread.shutDown() }
        return try await CommandTransport.withTransport(subject.home) { transport in
            var findings = strange
            for server in servers {
                // The operator allowed plain http when logging in there, if it is plain.
                let address = try GalleryAddress(server, allowsPlain: true)
                let clock = GalleryClock()
                let account = GalleryAccount(
                    api: GalleryAPI(address, http: transport, wall: SystemWallTime(), clock: clock),
                    file: file,
                    time: subject.reactor, executor: thread, mayRefresh: lock != nil)
                let wanted = places.filter { $0.address == address }
                findings += await Self.findings(address, account, wanted)
                findings += Self.findings(server, clock)
            }
            return findings
        }
    }

    /// Where photos of the event are to go.
    private static func places(of subject: CheckedHome) throws -> [GalleryPlace] {
        guard let reader = try subject.reader(), let event = try reader.currentEvent() else { return [] }
        return try reader.knownDestinations(of: event.id)
            .filter { $0.removedAt == nil && $0.kind == .gallery }
            .map { try GalleryPlace(url: $0.url, ledgerEvent: event.id) }
    }

    private static func findings(
        _ address: GalleryAddress, _ account: GalleryAccount, _ places: [GalleryPlace]
    ) async -> [Finding] {
        let server = "\(address)"
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
            for place in places {
                guard let problem = try await DestinationTest.problem(of: place, account) else { continue }
                findings.append(
                    .failed(
                        "\(problem).", cure: "'tetherline events select NAME' chooses one of them.",
                        .configuration))
            }
        } catch {
            switch error {
            case .loggedOut:
                findings.append(
                    .failed(
                        "the log-in at \(server) is not good any more.",
                        cure: "'\(address.loginCommand)' makes a new one.", .noPermission))
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

/// Whether photos would arrive at each place of the event that takes files. Of galleries ``GalleryCheck`` knows.
struct DestinationsCheck: HealthCheck {
    let name = "destination"
    let limit = Duration.seconds(30)

    func findings(of subject: CheckedHome) async throws -> [Finding] {
        let places = try NextEvent(of: subject)?.directPlaces(try subject.reader()) ?? []
        let coming = try places.filter { try $0.isStillToBeMade }.map { place in
            Finding.notChecked(
                "\(place.subject.url) is not there; a run makes it.",
                cure: "If it lies on a disk of its own, see that the disk is mounted first.")
        }
        guard !places.isEmpty else {
            return [
                .notChecked(
                    "no folder, bucket or server is a destination.",
                    cure: "'tetherline setup destination' asks where photos go, if not to a gallery.")
            ]
        }
        let test = DestinationTest(home: subject.home, isJSON: false)
        let there = try places.filter { try !$0.isStillToBeMade }.map(\.subject)
        return try await test.outcomes(of: there, on: subject.reactor).map { place, outcome in
            guard let problem = DestinationTest.problem(outcome) else { return .ok("\(place.name) works.") }
            return .failed(
                "\(place.name): \(problem)",
                cure:
                    "'tetherline destination test' tries it again; photos wait in the spool until it works.",
                DestinationTest.exitCode(of: outcome))
        } + coming
    }
}
