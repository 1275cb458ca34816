import Basics
import Bridge
import Posix
import Store
import TestSupport
import Testing
import WorldSupport

/// A ledger, a spool on the model of a disk, and a keeper under a clock that the test moves.
struct KeeperGround: Sendable {
    let ledger: LedgerGround
    let disk: ForgetfulDisk
    let clock = ManualClock()
    let events = Shared<[SpoolRetention.Event]>([])
    let inUse = Shared<Set<CaptureID>>([])
    let destinations: [DestinationID]

    static let executor = ThreadExecutor(name: "test keeper")

    init(_ options: ForgetfulDisk.Options = ForgetfulDisk.Options(), destinations: Int = 1) async throws {
        ledger = try await LedgerGround()
        disk = ForgetfulDisk(options)
        var ids: [DestinationID] = []
        for number in 0..<destinations {
            ids.append(
                try await ledger.ledger.destination("file:///\(number)", kind: .direct, of: ledger.event))
        }
        self.destinations = ids
    }

    var spool: SpoolGround { SpoolGround(disk) }

    func keeper(
        _ retention: Retention, reserve: UInt64 = 0, on other: ForgetfulDisk? = nil,
        ledger otherLedger: Ledger? = nil
    ) -> SpoolRetention {
        let disk = other ?? disk
        return SpoolRetention(
            ledger: otherLedger ?? ledger.ledger, retention: retention,
            reserve: Spool.Reserve(bytes: reserve),
            executor: Self.executor, time: clock, wall: ledger.wall,
            openRoot: { () throws(DiskError) in disk.root() }, isInUse: { inUse.value.contains($0) },
            report: { event in events.change { $0.append(event) } })
    }

    /// Staged, with its file.
    func stage(_ number: Int, _ count: Int = 300) async throws -> CaptureID {
        let bytes = jpeg(UInt64(number), count)
        let (id, _) = try await ledger.staged(offer("\(number).JPG", handle: UInt32(number)), bytes)
        try spool.put(bytes, ledger.event.id, "\(id)-\(number).JPG")
        return id
    }

    /// Everything that waits is delivered.
    func deliver() async throws {
        for destination in destinations {
            for job in try await ledger.ledger.claim(1000, to: destination) { try await ledger.complete(job) }
        }
    }

    /// Staged and delivered, one after another, a second apart.
    func delivered(_ numbers: ClosedRange<Int>, _ count: Int = 300) async throws -> [CaptureID] {
        var ids: [CaptureID] = []
        for number in numbers {
            ids.append(try await stage(number, count))
            try await deliver()
            ledger.wall.go(.seconds(1))
        }
        return ids
    }

    /// Photos whose file is there.
    func files() throws -> [Int64] {
        try spool.contents().keys.compactMap { path in
            path.split(separator: "/").last?.split(separator: "-").first.flatMap { Int64($0) }
        }.sorted()
    }

    func removed() throws -> Int {
        try ledger.number("SELECT count(*) FROM captures WHERE removed_at IS NOT NULL")
    }
}
