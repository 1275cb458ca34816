import Basics
import Bridge
import Console
import HTTPServer
import Hud
import Posix
import Store
import Synchronization
import TestSupport

/// A page of a bridge that is none, over a real ledger, asked by curl.
final class HudGround: Sendable {
    /// What a bridge would have done.
    final class Bridge: HudBridge {
        let deeds = Mutex<[String]>([])

        private func note(_ deed: String) { deeds.withLock { $0.append(deed) } }

        func status() async throws -> BridgeStatus {
            var status = BridgeStatus()
            status.event = BridgeStatus.Event(id: "e", name: "</script><b>Wedding")
            return status
        }

        func metrics() async throws -> String { "up 1\n" }

        func retry(_ jobs: [JobID]) async throws -> [JobID] {
            note("retry \(jobs.map(\.number))")
            return jobs
        }

        func cancel(_ jobs: [JobID]) async throws -> [JobID] {
            note("cancel \(jobs.map(\.number))")
            return jobs
        }

        func pause(_ isPaused: Bool) async throws { note("pause \(isPaused)") }

        func marks(of photo: CaptureID) async throws -> JSONValue { ["galleries": .array([])] }

        func mark(_ photo: CaptureID, _ mark: HudMark) async throws {
            if mark.edit.caption == "nowhere" { throw HudMarkRefused(description: "it goes to no gallery") }
            let album = mark.album.map { " \($0.membership) \($0.name)" } ?? ""
            note("mark \(photo) \(mark.edit.json.compact)\(album)")
        }

        func settle(_ edit: Int64, again: Bool) async throws -> Bool {
            note("settle \(edit) \(again)")
            return edit == 17
        }
    }

    struct NoPictures: PictureSource {
        func picture(of photo: PicturedPhoto, _ size: PictureSize) async -> PictureAnswer { .none }
    }

    struct Answer: Equatable {
        let status: Int
        let text: String
    }

    let folder: TemporaryFolder
    let bridge = Bridge()
    let server: HudServer
    let port: UInt16
    let token: String
    private let reactor: Reactor
    private let thread: ThreadExecutor
    private let news: NewsSubscription
    private let running: Task<Void, Never>

    init(_ change: (inout HudSettings) -> Void = { _ in }) async throws {
        folder = try TemporaryFolder()
        thread = ThreadExecutor(name: "test-hud")
        reactor = try Reactor(name: "test-hud")
        let path = folder.file(Ledger.fileName)
        let ledger = try Ledger(
            path: path, executor: thread, wall: SystemWallTime(), random: SystemRandomSource())
        let event = try await ledger.event("Wedding")
        var settings = HudSettings(listen: .loopback(port: try FreePort.next()))
        change(&settings)
        let desk = HudDesk(
            event: event, folder: folder.path, executor: thread, openReader: { try LedgerReader(path: path) })
        server = try HudServer(
            settings, desk: desk, bridge: bridge, pictures: NoPictures(), time: reactor,
            wall: SystemWallTime(),
            random: SystemRandomSource())
        port = settings.listen.port
        token = String(server.entry(host: "x").split(separator: "=").last ?? "")
        let board = StatusBoard(
            event: event, cameras: [], destinations: [], executor: thread,
            openReader: { try LedgerReader(path: path) }, space: { BridgeStatus.Disk(free: 1, total: 1) },
            sending: { [:] }, wall: SystemWallTime())
        let news = await board.subscribe()
        self.news = news
        running = Task { [server] in await server.run(news) }
    }

    func end() async {
        running.cancel()
        await running.value
        reactor.shutDown()
        thread.shutDown()
    }

    var deeds: [String] { bridge.deeds.withLock { $0 } }
    var origin: String { "Origin: http://127.0.0.1:\(port)" }
    var bearer: String { "Authorization: Bearer \(token)" }

    /// As curl asks it. Headers replace its own; one that ends with a colon is left out.
    func ask(_ path: String, _ headers: [String], body: String? = nil) async throws -> Answer {
        let words =
            ["-s", "-w", "\n%{http_code}", "--max-time", "20"] + headers.flatMap { ["-H", $0] }
            + (body.map { ["-d", $0] } ?? []) + ["http://127.0.0.1:\(port)\(path)"]
        return try await aside {
            guard let output = try Tool("curl")?.run(words) else {
                throw FileProblem(path: "curl", number: 2)
            }
            let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
            return Answer(
                status: Int(lines.last ?? "") ?? 0, text: lines.dropLast().joined(separator: "\n"))
        }
    }
}
