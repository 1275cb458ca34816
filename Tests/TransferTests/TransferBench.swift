import Basics
import Bridge
import Camera
import Link
import PTP
import Posix
import Simulator
import Store
import TestSupport
import Transfer
import WorldSupport

/// A camera in memory, a real ledger and a real spool, and a transfer between them.
final class TransferBench: Sendable {
    let folder: TemporaryFolder
    let reactor: Reactor
    let camera: SimulatedCamera
    let stand: CameraStand
    let ledger: Ledger
    let event: BridgeEvent
    let events = Shared<[TransferEvent]>([])
    private let signal = Signal()
    private let threads: [ThreadExecutor]
    private let workers = PhotoWorkers.start()

    /// What the camera says of the time: long after its photos were taken.
    let cameraSeconds = Shared<Int64>(1_790_000_500)

    init(
        _ script: String = "", photos: Int = 3, size: UInt64 = 100_000, shots: Int = 0,
        every interval: Duration = .milliseconds(1), home: TemporaryFolder? = nil,
        plan: @escaping @Sendable (Int, Channel) -> FaultPlan = { _, _ in FaultPlan() }
    ) async throws {
        folder = try home ?? TemporaryFolder()
        reactor = try Reactor(name: "bench")
        var settings = SimulatedCamera.Settings()
        var card = VirtualCard.Settings()
        card.photoSize = size
        settings.script = try FaultScript(script)
        card.apply(settings.script)
        settings.localSeconds = { [cameraSeconds] in cameraSeconds.value }
        settings.shots = shots
        settings.interval = interval
        camera = SimulatedCamera(
            card: try VirtualCard(card, photos: photos), settings: settings, executor: reactor, time: reactor)
        stand = CameraStand(camera, at: "bench", executor: reactor, time: reactor, plan: plan)
        threads = (0..<2).map { ThreadExecutor(name: "bench-\($0)") }
        ledger = try Ledger(
            path: folder.file("tetherline.sqlite"), executor: threads[0], wall: FixedWall(),
            random: SeededSource(1))
        event = try await ledger.event("Wedding")
    }

    deinit {
        stand.close()
        workers.shutDown()
        for thread in threads { thread.shutDown() }
        reactor.shutDown()
    }

    private func transfer(_ change: (inout TransferSession.Settings) -> Void) throws -> CameraTransfer {
        var settings = TransferSession.Settings()
        settings.machine.listAgain = .milliseconds(50)
        settings.life.backoff = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
        settings.life.busyPause = .milliseconds(1)
        change(&settings)
        let session = TransferSession(
            event: event, settings: settings, ledger: ledger, wall: FixedWall(), random: SeededSource(2),
            boot: "this boot", time: reactor,
            report: { [events, signal] news in
                events.change { $0.append(news.event) }
                signal.fire()
            })
        let path = folder.path
        let spool = Spool(
            event: event.id, boot: "this boot", reserve: Spool.Reserve(bytes: 0), executor: threads[1],
            openRoot: { () throws(DiskError) in try RealFolder.make(path: "\(path)/spool") })
        return CameraTransfer(
            session, connector: try stand.connector(), shelf: spool, workers: workers, executor: reactor,
            time: reactor)
    }

    /// Transfers until what has happened satisfies `isDone`. Gives the bytes that came over the link.
    @discardableResult
    func run(
        _ change: (inout TransferSession.Settings) -> Void = { _ in },
        until isDone: @Sendable ([TransferEvent]) -> Bool
    ) async throws -> UInt64 {
        let transfer = try transfer(change)
        let running = Task(executorPreference: reactor) { await transfer.run() }
        while !isDone(events.value), !Task.isCancelled { await signal.waitUnlessCancelled() }
        running.cancel()
        await running.value
        return transfer.moved.value
    }

    /// Lets the camera take another photo.
    func shoot() async { await camera.shoot() }

    var stagedPaths: [String] {
        events.value.compactMap { event in
            guard case .staged(_, let path, _) = event else { return nil }
            return path
        }
    }

    /// The whole files in the spool, by their names.
    func spooled() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let prefix = "spool/\(event.id)/"
        for path in folder.contents() where path.hasPrefix(prefix) {
            files[String(path.dropFirst(prefix.count))] = try readFile(folder.file(path))
        }
        return files
    }

    func partials() -> [String] { folder.contents().filter { $0.hasPrefix("spool/incoming/") } }

    func counts() async throws -> LedgerReader.Counts { try await ledger.counts(of: event) }
}

extension [TransferEvent] {
    func isStaged(_ count: Int) -> Bool {
        self.count { if case .staged = $0 { true } else { false } } >= count
    }
}

/// Noon of a day long after the photos on the card.
struct FixedWall: WallTime {
    var wallNow: Timestamp { Timestamp(milliseconds: 1_790_000_400_000) }
    func localOffset(at moment: Timestamp) -> Int64 { 0 }
}
