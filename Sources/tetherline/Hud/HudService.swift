import Basics
import Bridge
import Console
import HTTPServer
import Hud
import Posix
import Rendering
import Store

/// The bridge's page while a bridge runs. It has threads of its own, and the bridge goes on without it.
struct HudService: Sendable {
    private let server: HudServer
    private let pictures: LocalPictures
    private let gallery: GalleryPictures?
    private let news: NewsSubscription
    private let board: StatusBoard
    private let file: String
    private let report: RunReport

    /// Renditions that are being made lie there for a moment.
    private static let folder = "renditions"
    private static let attempts = 3
    private static let mostLeftovers = 10_000
    /// An address that leads out of every network (RFC 5737): the way there shows by which of our own we are seen.
    private static let outside: [UInt8] = [192, 0, 2, 1]

    /// Nothing where none is wanted, or where it cannot be served: photos come first, and the operator is told.
    static func begin(_ bridge: RunningBridge) async -> HudService? {
        let wishes = bridge.command.settings.hud
        guard let listen = wishes.inherited?.endpoint ?? wishes.listen else { return nil }
        if let other = wishes.listen, other != listen {
            bridge.report.note(
                "the page is at \(listen), where the service manager listens, and not at \(other)")
        }
        var problem: (any Error)?
        // A port that was free may be another program's a moment later.
        for _ in 0..<(listen.port == 0 ? attempts : 1) {
            do {
                return try await HudService(bridge, try wishes.settings(listen))
            } catch {
                problem = error
            }
        }
        // Only the server's own trouble is one of ports.
        let hint =
            problem is ServerProblem && wishes.inherited == nil
            ? "; --hud ADDRESS:PORT takes another port, and 0 any that is free" : ""
        bridge.report.note("the bridge goes on without its page: \(problem.map { "\($0)" } ?? "")\(hint)")
        return nil
    }

    private init(_ bridge: RunningBridge, _ settings: HudSettings) async throws {
        let (home, threads, board) = (bridge.command.home, bridge.threads, bridge.board)
        let reactor = try threads.makeReactor("hud")
        let looking = threads.make("hud-desk")
        let desk = HudDesk(
            event: bridge.event, folder: "\(Directory.absolute(home.spool) ?? home.spool)/\(bridge.event.id)",
            gallery: bridge.images.place?.url, executor: looking,
            openReader: { try LedgerReader(path: home.database) },
            openMarks: { [place = bridge.images.place?.gallery] in
                try place.flatMap { try CopyTileMarks(home, $0) }
            })
        pictures = LocalPictures(
            pool: RenderPool(count: 1, on: reactor), folder: try Self.emptyFolder(in: home), time: reactor,
            executor: threads.make("hud-pictures"))
        gallery = bridge.images.pictures
        server = try HudServer(
            settings, desk: desk,
            bridge: BridgeControls(bridge: bridge, marks: PhotoMarks(home: home, executor: looking)),
            pictures: PictureSources(local: pictures, gallery: gallery), time: reactor,
            wall: SystemWallTime(), random: SystemRandomSource())
        report = bridge.report
        file = bridge.command.settings.hud.file(in: home.path)
        self.board = board
        try await Self.announce(server, settings, file, report, on: reactor)
        // Nothing fails from here on: news that are not read would be kept for nothing.
        news = await board.subscribe()
    }

    /// What a crash has left there is of no use.
    private static func emptyFolder(in home: Home) throws(SystemError) -> String {
        let path = "\(home.path)/\(folder)"
        let directory = try Directory.make(path: Directory.absolute(path) ?? path, mode: 0o700)
        for name in try directory.names(limit: mostLeftovers) { try directory.remove(name) }
        return directory.path
    }

    // MARK: Where it is

    private static func announce(
        _ server: HudServer, _ settings: HudSettings, _ file: String, _ report: RunReport, on reactor: Reactor
    ) async throws {
        let host = try await host(settings, on: reactor)
        let (address, entry) = (server.address(host: host), server.entry(host: host))
        try write(entry, to: file)
        report.tell(
            "hud", "the bridge's page: \(address); the address with its token is in \(file)",
            ["url": .string(address), "file": .string(file)])
        if settings.isPlainInNetwork {
            report.note(
                "over plain http others in the network can read along"
                    + (settings.allowsControl
                        ? ", and act as you do, since --hud-control allows it"
                        : ", so the page only shows; hud.certificate and hud.key make it https, and --hud-control allows changes "
                            + "all the same"))
        }
        report.show(entry, asCode: !settings.isLoopback)
    }

    /// As a phone reaches it: where all addresses are listened at, the one towards the other networks.
    private static func host(_ settings: HudSettings, on reactor: Reactor) async throws(SystemError) -> String
    {
        let address = settings.listen.address
        guard address.allSatisfy({ $0 == 0 }) else { return text(address) }
        let source = try await RouteNetlink(reactor).route(to: outside)?.source
        return text(source ?? [127, 0, 0, 1])
    }

    private static func text(_ address: [UInt8]) -> String { IPEndpoint(address: address, port: 0).host }

    private static func write(_ entry: String, to file: String) throws {
        guard let (folder, name) = Directory.place(of: file) else {
            throw ServerProblem(description: "--hud-file names a file, not '\(file)'")
        }
        try writeAtomically(Array("\(entry)\n".utf8), to: name, in: try Directory(path: folder), mode: 0o600)
    }

    // MARK: Running

    /// Until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await pictures.run() }
            group.addTask { await gallery?.run() }
            group.addTask { await server.run(news) }
        }
        await board.unsubscribe(news)
        removeFile()
    }

    /// The token opens nothing any more.
    private func removeFile() {
        guard let (folder, name) = Directory.place(of: file) else { return }
        do throws(SystemError) {
            try Directory(path: folder).remove(name)
        } catch {
            if error.kind != .missing { report.note("\(file) cannot be removed: \(error)") }
        }
    }
}
