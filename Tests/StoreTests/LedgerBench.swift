import Bridge
import Database
import Glibc
import Posix
import Store
import TestSupport
import Testing

/// How long the ledger takes with a million captures and jobs in it. By hand, through tools/bench: it fills a disk with
/// a gigabyte.
@Suite(.serialized) struct LedgerBench {
    static let isWanted = getenv("TETHERLINE_BENCH").map { String(cString: $0) } == "ledger"
    static let rows = 1_000_000

    /// Median and worst of many, in milliseconds.
    static func measure(_ name: String, _ times: Int, _ body: () async throws -> Void) async throws {
        var spans: [Double] = []
        for _ in 0..<times {
            let began = MonotonicClock.now
            try await body()
            spans.append((MonotonicClock.now - began) / .milliseconds(1))
        }
        spans.sort()
        print(
            "bench: \(name): median \(spans[times / 2]) ms, 99 % \(spans[times * 99 / 100]) ms, of \(times)")
    }

    private static func fill(_ path: String, _ event: String) throws {
        let connection = try Connection(path: path, .readWrite)
        try connection.script(
            """
            PRAGMA synchronous = OFF;
            INSERT INTO cameras VALUES (1, 'k', 'Maker', 'Model', '1', 'here', 0, 0);
            INSERT INTO destinations VALUES (1, '\(event)', 'file:///there', 'file', 0);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO captures (id, event_id, camera_id, identity, connection, handle, in_memory, slot, folder, name,
                stem, kind, format, size, capture_date, taken_at, seq, state, file, staged_size, sha256,
                announced_at, staged_at)
            SELECT i, '\(event)', 1, 'Maker Model 1 1 DCIM/100 DSC' || i || ' 8388608 20261121T120000 3801', 'c', i, 0, 1,
                'DCIM/100MODEL', 'DSC' || i || '.JPG', 'DSC' || i, 'picture', 14337, 8388608, '20261121T120000',
                1795000000 + i, i, 'staged', i || '-DSC' || i || '.JPG', 8388608,
                printf('%064x', i), 0, 0 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO upload_jobs (capture_id, destination_id, kind, event_id, state, lane, key, due_at, size, receipt,
                created_at, completed_at)
            SELECT i, 1, 'file', '\(event)', CASE WHEN i % 2 THEN 'completed' ELSE 'staged' END, 0,
                printf('%036x', i), i, 8388608, CASE WHEN i % 2 THEN '{}' END, 0, CASE WHEN i % 2 THEN 0 END FROM n;
            UPDATE events SET next_seq = \(rows) + 1;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    @Test("a million rows", .enabled(if: isWanted))
    func million() async throws {
        let place = getenv("TETHERLINE_BENCH_PLACE").map { String(cString: $0) } ?? "/tmp"
        let path = "\(place)/ledger-bench.sqlite"
        for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
        defer { for ending in ["", "-wal", "-shm"] { unlink(path + ending) } }
        let thread = ThreadExecutor(name: "ledger")
        defer { thread.shutDown() }
        let event: BridgeEvent
        do {
            let ledger = try Ledger(
                path: path, executor: thread, wall: SystemWallTime(), random: SystemRandomSource())
            event = try await ledger.event("Wedding")
        }
        try Self.fill(path, event.id)
        let ledger = try Ledger(
            path: path, executor: thread, wall: SystemWallTime(), random: SystemRandomSource())
        let camera = CameraID(1)
        var number = 0
        try await Self.measure("enqueue: announce, receive, stage with its job", 500) {
            number += 1
            let identity = PhotoIdentity(
                manufacturer: "Maker", model: "Model", body: "1", slot: 1, folders: ["DCIM", "101MODEL"],
                name: "NEW\(number).JPG", size: 8_388_608, captureDate: "20261121T130000", format: 0x3801)
            let sighting = Sighting(
                offer: Offer(identity: identity, reference: PhotoReference("\(number)")), objection: nil)
            let capture = try await ledger.record([sighting], of: camera, in: event, connection: "d")[0]
            try await ledger.beginReceiving(capture.id, kept: 0, boot: "b")
            let digits = String(number, radix: 16)
            let sha256 = "f" + String(repeating: "0", count: 63 - digits.count) + digits
            _ = try await ledger.stage(
                capture.id, StagedPhoto(file: "\(capture.id)-NEW", size: 8_388_608, sha256: sha256),
                skipsDuplicates: true)
        }
        try await Self.measure("claim of one job", 500) {
            _ = try await ledger.claim(1, to: DestinationID(1))
        }
        try await Self.measure("claim of a window of 500", 20) {
            _ = try await ledger.claim(500, to: DestinationID(1))
        }
        let reader = try LedgerReader(path: path)
        try await Self.measure("counts, by a reader", 500) { _ = try reader.counts(of: event.id) }
        try await Self.measure("counts, by a reader that has to open the ledger first", 50) {
            _ = try LedgerReader(path: path).counts(of: event.id)
        }
        print("bench: peak memory \(ResourceUse.now.peakBytes >> 20) MiB")
    }
}
