import Basics
import Bridge
import Camera
import PTP
import Posix
import Simulator
import Store
import TestSupport
import Transfer
import WorldSupport

/// Cameras of one model and serial number in memory, at places that a test chooses, with one real ledger and spool.
final class TwinBench: Sendable {
    /// A simulated body, and where it is.
    struct Twin {
        let place: String
        let camera: SimulatedCamera
        let stand: CameraStand
        var expected = ExpectedBody.asKnownThere
    }

    /// What one card holds: other seeds have other contents, other times other photos.
    struct Card {
        var seed: UInt64 = 1
        var startsAt: Int64 = 1_790_000_000
        var photos = 4
    }

    let folder: TemporaryFolder
    let reactor: Reactor
    let ledger: Ledger
    let event: BridgeEvent
    let news = Shared<[CameraNews]>([])
    private let signal = Signal()
    private let threads: [ThreadExecutor]
    private let workers = PhotoWorkers.start()

    static let base = CameraIdentity(manufacturer: "Tetherline", model: "Generic", body: "2002")

    init() async throws {
        folder = try TemporaryFolder()
        reactor = try Reactor(name: "twins")
        threads = (0..<2).map { ThreadExecutor(name: "twins-\($0)") }
        ledger = try Ledger(
            path: folder.file("tetherline.sqlite"), executor: threads[0], wall: FixedWall(),
            random: SeededSource(1))
        event = try await ledger.event("Wedding")
    }

    deinit {
        workers.shutDown()
        for thread in threads { thread.shutDown() }
        reactor.shutDown()
    }

    /// `cuts` counts connections that it cuts, and answers that it stops in.
    func twin(
        _ guid: String, _ card: Card = Card(), at place: String, _ script: String = "",
        cuts: Shared<Int> = Shared(0)
    ) throws -> Twin {
        var settings = SimulatedCamera.Settings()
        if let guid = GUID(text: String(repeating: "0", count: 32 - guid.utf8.count) + guid) {
            settings.guid = guid
        }
        settings.script = try FaultScript(script)
        settings.localSeconds = { 1_790_000_500 }
        settings.onLog = { [signal] line in
            guard line.contains("cutting") || line.contains("stalling") else { return }
            cuts.change { $0 += 1 }
            signal.fire()
        }
        var onCard = VirtualCard.Settings()
        (onCard.serial, onCard.seed, onCard.startsAt) = ("2002", card.seed, card.startsAt)
        onCard.photoSize = 20_000
        onCard.apply(settings.script)
        let camera = SimulatedCamera(
            card: try VirtualCard(onCard, photos: card.photos), settings: settings, executor: reactor,
            time: reactor)
        return Twin(
            place: place, camera: camera,
            stand: CameraStand(camera, at: place, executor: reactor, time: reactor))
    }

    /// One run of a bridge: the first of the twins is connected when the second is tried. Gives what happened in it.
    @discardableResult
    func run(
        _ twins: Twin..., until isDone: @Sendable ([CameraNews]) -> Bool
    ) async throws -> [CameraNews] {
        defer { for twin in twins { twin.stand.close() } }
        news.change { $0 = [] }
        var settings = TransferSession.Settings()
        settings.machine.listAgain = .milliseconds(50)
        settings.life.backoff = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
        settings.life.afterProgress = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
        settings.life.personPause = .milliseconds(20)
        let session = TransferSession(
            event: event, settings: settings, ledger: ledger, wall: FixedWall(), random: SeededSource(2),
            boot: "this boot", time: reactor,
            report: { [news, signal] told in
                news.change { $0.append(told) }
                signal.fire()
            })
        var running: [Task<Void, Never>] = []
        for twin in twins {
            let transfer = try transfer(session, twin)
            running.append(Task(executorPreference: reactor) { await transfer.run() })
            await wait { $0.isMet(twin.place) || isDone($0) }
        }
        await wait(isDone)
        for task in running { task.cancel() }
        for task in running { await task.value }
        return news.value
    }

    private func wait(_ isSo: ([CameraNews]) -> Bool) async {
        while !isSo(news.value), !Task.isCancelled { await signal.waitUnlessCancelled() }
    }

    private func transfer(_ session: TransferSession, _ twin: Twin) throws -> CameraTransfer {
        let path = folder.path
        let spool = Spool(
            event: event.id, boot: "this boot", reserve: Spool.Reserve(bytes: 0), executor: threads[1],
            openRoot: { () throws(DiskError) in try RealFolder.make(path: "\(path)/spool") })
        return CameraTransfer(
            session, connector: try twin.stand.connector(), shelf: spool, workers: workers, executor: reactor,
            time: reactor, expecting: twin.expected)
    }

    /// The names of all bodies that were met.
    func bodies() async throws -> [CameraIdentity] {
        let body = KnownBody(identity: Self.base, driver: "generic", serial: "2002")
        return try await ledger.bodies(like: body, at: "").map(\.identity).sorted { $0.body < $1.body }
    }

    func counts() async throws -> [CaptureState: Int] { try await ledger.counts(of: event).captures }
}

extension [CameraNews] {
    func isMet(_ place: String) -> Bool {
        contains { told in
            if case .met = told.event { told.place == place } else { false }
        }
    }

    /// How often its card has been held against the ledger.
    func surveys(_ place: String) -> Int {
        count { told in
            if case .reconciled = told.event { told.place == place } else { false }
        }
    }

    func fetched(_ place: String) -> Int {
        count { told in
            if case .began = told.event { told.place == place } else { false }
        }
    }

    var staged: Int { count { if case .staged = $0.event { true } else { false } } }
}
