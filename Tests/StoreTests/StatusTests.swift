import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// What the ledger says of how a bridge is, held against counting every row.
@Suite struct StatusTests {
    let ground: LedgerGround
    let first: DestinationID
    let second: DestinationID

    init() async throws {
        ground = try await LedgerGround()
        first = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        second = try await ground.ledger.destination("file:///b", kind: .direct, of: ground.event)
        for number in UInt32(1)...6 {
            try await ground.staged(offer("P\(number).JPG", handle: number), jpeg(UInt64(number)))
            ground.wall.go(.seconds(10))
        }
    }

    private func reader() throws -> LedgerReader { try LedgerReader(path: ground.path) }

    /// By counting all of them.
    private func completed(_ destination: DestinationID) throws -> Int {
        try ground.number(
            "SELECT count(*) FROM upload_jobs WHERE state = 'completed' AND destination_id = \(destination.number)"
        )
    }

    private func agrees(_ status: BridgeStatus, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (index, id) in [first, second].enumerated() {
            #expect(
                try status.destinations[index].jobs[.completed, default: 0] == completed(id),
                sourceLocation: sourceLocation)
        }
    }

    @Test(
        "each destination has what was completed there, whatever is cancelled, repeated and staged meanwhile")
    func completedThere() async throws {
        let kept = try reader()
        try agrees(kept.status(of: ground.event))
        let jobs = try await ground.ledger.claim(4, to: first, newestFirst: false)
        for job in jobs { try await ground.complete(job) }
        try agrees(kept.status(of: ground.event))
        #expect(try kept.status(of: ground.event).destinations[0].jobs[.completed] == 4)
        _ = try await ground.ledger.cancelUnclaimed(
            try await ground.ledger.claim(1, to: second, newestFirst: false).map(\.id))
        try agrees(kept.status(of: ground.event))
        #expect(try await ground.ledger.redeliver([(jobs[0].id, "it was gone")]).count == 1)
        try agrees(kept.status(of: ground.event))
        #expect(try kept.status(of: ground.event).destinations[0].jobs[.completed] == 3)
        for number in UInt32(7)...9 {
            try await ground.staged(offer("P\(number).JPG", handle: number), jpeg(UInt64(number)))
        }
        try agrees(kept.status(of: ground.event))
        // A reader that looks for the first time agrees with one that has looked before.
        let (one, other) = (try kept.status(of: ground.event), try reader().status(of: ground.event))
        #expect(one.destinations == other.destinations && one.jobs == other.jobs)
    }

    @Test(
        "the photo that waits longest is named with its moment, claimed or not, and is another when it is there"
    )
    func oldest() async throws {
        func oldest(_ index: Int) throws -> String? {
            try reader().status(of: ground.event).destinations[index].oldest?.name
        }
        let status = try reader().status(of: ground.event)
        #expect(status.oldest?.name == "P1.JPG" && status.oldest?.since == FixedWall.start)
        let jobs = try await ground.ledger.claim(2, to: first, newestFirst: false)
        #expect(try oldest(0) == "P1.JPG", "it is claimed")
        for job in jobs { try await ground.complete(job) }
        #expect(try oldest(0) == "P3.JPG" && oldest(1) == "P1.JPG")
        for job in try await ground.ledger.claim(100, to: first, newestFirst: false) {
            try await ground.complete(job)
        }
        #expect(try oldest(0) == nil)
    }

    @Test("where no bridge answers nothing is uploading, and what its last run noted is told")
    func atRest() async throws {
        let job = try #require(try await ground.ledger.claim(1, to: first, newestFirst: false).first)
        #expect(
            try await ground.ledger.save([
                JobChange(job.id, from: job.state, to: .uploading, attempts: 0, due: job.due)
            ]).isEmpty)
        #expect(try reader().status(of: ground.event).jobs[.uploading] == 1)
        var memory = StatusMemory()
        memory.destinations["file:///b"] = .init(
            hold: .init(cause: .settings, reason: "the folder is gone", since: FixedWall.start))
        try await ground.ledger.remember(StatusMemory.key(of: ground.event.id), memory.noted)
        let status = try reader().statusAtRest(of: ground.event, at: ground.wall.wallNow)
        #expect(status.jobs[.uploading] == 0 && status.jobs[.queued] == 12 && !status.isRunning)
        #expect(status.destinations[0].jobs[.queued] == 6)
        #expect(status.destinations.map(\.hold?.reason) == [nil, "the folder is gone"])
        #expect(try reader().holds(of: nil) == [second: status.destinations[1].hold])
    }

    @Test(
        "how long photos took is read back for each destination, from the moment at which they were first seen"
    )
    func times() async throws {
        ground.wall.go(.seconds(100))
        for job in try await ground.ledger.claim(3, to: first, newestFirst: false) {
            try await ground.complete(job)
        }
        // Seen at 0, 10 and 20 seconds, there at 160: 140, 150 and 160 seconds.
        let status = try reader().statusAtRest(of: ground.event, at: ground.wall.wallNow)
        #expect(
            status.destinations[0].confirmation == .init(photos: 3, median: .seconds(150), p95: .seconds(160))
        )
        #expect(status.destinations[1].confirmation == nil)
    }
}
