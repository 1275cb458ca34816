import Arguments
import Basics
import Bridge
import Network
import Posix
import Store

/// `tetherline network`: what is thought of each interface and of the way to each destination, and why.
struct NetworkCommand {
    static let spec: CommandSpec = {
        var spec = CommandSpec(
            "network", "Which network leads to a destination, what it is, and how many uploads it bears.")
        spec.discussion = [
            "The kernel is asked which interface leads there; the default route may be the camera's, which has "
                + "no internet. NetworkManager says what is metered, where it runs. The settings have the last word: "
                + "network: { limits: { wifi: 3 }, allowMetered: false, interfaces: { usb0: { metered: true } }, "
                + "ssids: { \"Phone\": { kind: \"cellular\" } } }."
        ]
        spec.options = [
            OptionSpec(
                "destination", "URL", mayRepeat: true,
                "Where uploads would go: a URL, or HOST[:PORT]. [the internet at large]"),
            .flag("follow", "Go on, and say it again whenever it has changed."),
            .flag("json", "Print JSON, one value a line."),
            OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
        ]
        spec.examples = [
            "tetherline network", "tetherline network --destination https://gallery.example.com --follow",
        ]
        return spec
    }()

    private let destinations: [HostPort]
    private let follows: Bool
    private let isJSON: Bool
    private let home: Home

    init(_ invocation: Invocation) throws {
        destinations = try invocation.all("destination").map { try HostPort(destination: $0) }
        follows = invocation.has("follow")
        isJSON = invocation.has("json")
        home = Home(invocation.value("home"))
    }

    func run(on reactor: Reactor) async throws -> ExitCode {
        let settings = try Settings.read(from: home).network
        let watcher = NetworkPathMonitor(
            reactor, kernel: try RealKernel(reactor), manager: NetworkManager(reactor), settings: settings)
        let listening = Task(executorPreference: reactor) { await watcher.run() }
        defer { listening.cancel() }
        await watcher.ready()
        // Before it is looked at for the first time, so that nothing falls in between.
        let changes = watcher.changes()
        var said = try await look(with: watcher, settings)
        say(said)
        guard follows else { return .success }
        for await _ in changes {
            let now = try await look(with: watcher, settings)
            if now != said { say(now) }
            said = now
        }
        return .interrupted
    }

    /// What there is to say: rows for people, one value for programs.
    private struct View: Equatable {
        var interfaces: [NetworkPath] = []
        var ways: [Way] = []
    }

    private struct Way: Equatable {
        let host: HostPort?
        let path: NetworkPath
    }

    private func look(with watcher: NetworkPathMonitor, _ settings: NetworkSettings) async throws -> Round {
        var view = View(interfaces: try await watcher.interfaces())
        for host in destinations {
            view.ways.append(Way(host: host, path: await watcher.path(to: host.host, port: host.port)))
        }
        if destinations.isEmpty { view.ways.append(Way(host: nil, path: await watcher.pathToAnywhere())) }
        return isJSON ? .json(json(view, settings)) : .text(text(view, settings))
    }

    private enum Round: Equatable {
        case json(JSONValue)
        case text([String])
    }

    private func say(_ round: Round) {
        switch round {
        case .json(let value): printOutput(value.compact)
        case .text(let lines): for line in lines { printOutput(line) }
        }
    }

    // MARK: For programs

    private func json(_ view: View, _ settings: NetworkSettings) -> JSONValue {
        [
            "interfaces": .array(view.interfaces.map { .object(members(of: $0, settings)) }),
            "destinations": .array(
                view.ways.map { way in
                    .object(
                        [
                            (key: "host", value: .optional(way.host) { .string($0.host) }),
                            (key: "port", value: .optional(way.host) { .integer(Int64($0.port)) }),
                        ] + members(of: way.path, settings))
                }),
        ]
    }

    private func members(
        of path: NetworkPath, _ settings: NetworkSettings
    ) -> [(key: String, value: JSONValue)] {
        let ceiling = PathUploadLimit(of: path, settings: settings)
        return (path.json.members ?? []) + [
            (key: "limit", value: .integer(Int64(ceiling.slots))),
            (key: "limitBecause", value: .string(ceiling.because)),
        ]
    }

    // MARK: For people

    private func text(_ view: View, _ settings: NetworkSettings) -> [String] {
        let rows = view.interfaces.map { path in
            let network = path.ssid.map { "'\($0)'" } ?? ""
            let metered = path.metered.map { $0.isMetered ? "metered" : "not metered" } ?? ""
            return [
                path.interface ?? "", path.kind == .loopback ? "loopback" : path.kind.spoken,
                path.isUp ? "up" : "down", metered, network, path.downBecause ?? path.kindBecause,
            ].map { Visible($0).description }
        }
        let ways = view.ways.flatMap { way in
            let name = way.host.map { "\($0)" } ?? "The internet at large"
            let by = way.path.interface.map { "goes by \($0)" } ?? "cannot be reached"
            let note = way.path.note.map { ["    \($0)"] } ?? []
            return (["\(name) \(by). \(PathUploadLimit(of: way.path, settings: settings).because)"] + note)
                .map { Visible($0).description }
        }
        return Human.table(rows) + ways
    }
}

extension HostPort {
    /// Of a URL, whatever its scheme, or as it is typed for a camera. Nothing else of it is kept: a URL may hold a
    /// password.
    init(destination text: String) throws {
        guard let start = text.firstRange(of: "://") else {
            self = try HostPort(text, defaultPort: 443)
            return
        }
        let scheme = text[..<start.lowerBound].lowercased()
        if scheme == "file" { throw UsageError("A folder needs no network: '\(text)' goes by none.") }
        let authority = text[start.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        self = try HostPort(String(host), defaultPort: Self.ports[scheme] ?? 443)
    }

    private static let ports: [String: UInt16] = [
        "http": 80, "dav": 80, "webdav": 80, "ftp": 21, "ftps": 990, "sftp": 22,
    ]
}
