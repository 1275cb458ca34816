import Basics
import Bridge
import Console
import Posix
import Store
import Synchronization
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
            sending: { sending.now }, wall: SystemWallTime())
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

/// Who says how many photos are being sent, for a status board that is made before the deliveries are.
final class SendingSource: Sendable {
    private let deliveries = Mutex<Deliveries?>(nil)

    func leads(to deliveries: Deliveries) {
        self.deliveries.withLock { $0 = deliveries }
    }

    /// By the destination's address.
    var now: [String: Int] { deliveries.withLock { $0 }?.sending ?? [:] }
}
