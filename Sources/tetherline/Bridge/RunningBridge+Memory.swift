import Arguments
import Basics
import Bridge
import Console
import Posix
import Store
import Synchronization
import Transfer
import Upload

extension RunningBridge {
    static func makeBoard(
        for event: BridgeEvent, _ command: RunCommand, _ destinations: [any Destination],
        _ sending: SendingSource, _ threads: Threads
    ) -> StatusBoard {
        let (home, reserve) = (command.home, command.settings.reserve)
        return StatusBoard(
            event: event, cameras: command.settings.run.addresses.map { "\($0)" },
            destinations: destinations.map { BridgeStatus.Destination(url: $0.url, kind: $0.kind) },
            executor: threads.make("status"), openReader: { try LedgerReader(path: home.database) },
            space: {
                BridgeStatus.Disk(try home.openSpool().space(), reserve: reserve)
            },
            sending: { sending.now }, underWay: { sending.underWay }, edits: { sending.edits },
            wall: SystemWallTime())
    }

    /// What is noted and looked at beside the work, until the task is cancelled.
    func attend(by time: any TimeSource) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await noteAlive(every: .seconds(60), of: time) }
            group.addTask { await noteMemory(every: .seconds(2), of: time) }
            group.addTask { await probeDestinations(of: time) }
            group.addTask { await noteMissingConsent() }
            group.addTask { await noteNamesake(by: time) }
        }
    }

    /// All that was to be done is done by then: a note that cannot be written changes nothing about it.
    func noteMemoryAtEnd() async {
        do {
            try await ledger.remember(StatusMemory.key(of: event.id), await board.memory.noted)
        } catch {
            report.note("the ledger cannot note why something waited: \(error)")
        }
    }

    /// The next run tells a crash from an end in order by this.
    func noteEnd(_ code: ExitCode) async {
        let words =
            switch code {
            case .success: "as it was asked to"
            case .interrupted: "it was interrupted"
            default: "with exit code \(code.rawValue)"
            }
        do {
            try await ledger.noteEnd(of: event, words)
        } catch {
            report.note("the ledger cannot note the end of this run: \(error)")
        }
    }

    /// So that the reasons why something stood still outlive this run, whatever ends it. Looked at now and then and not with
    /// each failure: a flapping network would cost a commit each time.
    func noteMemory(every interval: Duration, of time: any TimeSource) async {
        var noted: StatusMemory?
        var hasFailed = false
        while !Task.isCancelled {
            do {
                try await time.sleep(until: time.now + interval)
                let memory = await board.memory
                guard memory != noted else { continue }
                try await ledger.remember(StatusMemory.key(of: event.id), memory.noted)
                (noted, hasFailed) = (memory, false)
            } catch is CancellationError {
                return
            } catch {
                if !hasFailed { report.note("the ledger cannot note why something waits: \(error)") }
                hasFailed = true
            }
        }
    }
}

extension BridgeStatus.Disk {
    /// The spool's disk, with what is kept free of it.
    init(_ space: DiskSpace, reserve: Spool.Reserve) {
        self.init(free: space.free, total: space.total, reserve: reserve.size(on: space))
    }
}

/// Who says which photos are being sent and fetched, for a status board that is made before the deliveries are.
final class SendingSource: Sendable {
    private struct Sources {
        let deliveries: Deliveries
        let cameras: TetheredCameras
        let copies: CopyKeeper
    }
    private let sources = Mutex<Sources?>(nil)

    func leads(to deliveries: Deliveries, _ cameras: TetheredCameras, _ copies: CopyKeeper) {
        sources.withLock { $0 = Sources(deliveries: deliveries, cameras: cameras, copies: copies) }
    }

    /// By the destination's address.
    var edits: [String: BridgeStatus.Destination.Edits] { sources.withLock { $0?.copies }?.edits ?? [:] }

    /// By the destination's address.
    var now: [String: Int] { sources.withLock { $0?.deliveries }?.sending ?? [:] }

    /// Those that come first, then those that leave.
    var underWay: BridgeStatus.UnderWay {
        guard let sources = sources.withLock({ $0 }) else { return BridgeStatus.UnderWay() }
        let (deliveries, cameras) = (sources.deliveries, sources.cameras)
        let urls = deliveries.destinations.reduce(into: [:]) { $0[$1.id] = $1.url }
        let coming = cameras.all.compactMap { camera in camera.receiving.map { ($0, camera.place) } }
        return BridgeStatus.UnderWay(
            photos: coming.map { photo, place in
                BridgeStatus.Moving(
                    .from(place), capture: photo.capture, name: photo.name, size: photo.size, done: photo.done
                )
            }
                + deliveries.underWay.all.compactMap { delivery in
                    guard let url = urls[delivery.job.destination] else { return nil }
                    return BridgeStatus.Moving(
                        .to(url), capture: delivery.job.capture, name: delivery.job.facts.name,
                        size: delivery.job.photo.size, done: delivery.sent)
                }, sent: deliveries.underWay.total)
    }
}
