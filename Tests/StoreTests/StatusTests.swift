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

    @Test("a destination that took another's place has its own deliveries, for a reader that looked before")
    func replaced() async throws {
        let kept = try reader()
        _ = try kept.status(of: ground.event)
        for job in try await ground.ledger.claim(2, to: first, newestFirst: false) {
            try await ground.complete(job)
        }
        _ = try kept.status(of: ground.event)
        #expect(try await ground.ledger.replace(first, by: "file:///c", kind: .direct).moved == 4)
        let third = try #require(try await ground.ledger.destinations(of: ground.event).last)
        for job in try await ground.ledger.claim(3, to: third.id, newestFirst: false) {
            try await ground.complete(job)
        }
        let status = try kept.status(of: ground.event)
        #expect(status.destinations.map(\.url) == ["file:///b", "file:///c"])
        #expect(try status.destinations[1].jobs[.completed] == completed(third.id))
        #expect(status.destinations[1].jobs[.completed] == 3 && status.destinations[1].jobs[.queued] == 1)
    }

    @Test("what is sent again waits since then, and says nothing of how long photos take")
    func again() async throws {
        ground.wall.go(.seconds(100))
        let jobs = try await ground.ledger.claim(6, to: first, newestFirst: false)
        for job in jobs { try await ground.complete(job) }
        for job in try await ground.ledger.claim(6, to: second, newestFirst: false) {
            try await ground.complete(job)
        }
        ground.wall.go(.seconds(3600))
        let fresh = ground.wall.wallNow
        try await ground.staged(offer("P7.JPG", handle: 7), jpeg(7))
        ground.wall.go(.seconds(5))
        #expect(try await ground.ledger.redeliver([(jobs[0].id, "it was gone")]).count == 1)
        let waiting = try reader().status(of: ground.event).destinations[0].oldest
        #expect(waiting?.name == "P7.JPG" && waiting?.since == fresh)
        let claimed = try await ground.ledger.claim(2, to: first, newestFirst: false)
        #expect(claimed.first { $0.capture == jobs[0].capture }?.shot == nil)
        #expect(claimed.first { $0.capture != jobs[0].capture }?.shot == fresh)
        for job in claimed where job.capture == jobs[0].capture { try await ground.complete(job) }
        // The five that were sent once: seen at 10 to 50 seconds, there at 160.
        let rest = try reader().statusAtRest(of: ground.event, at: ground.wall.wallNow)
        #expect(rest.destinations[0].confirmation?.photos == 5)
        #expect(rest.destinations[0].confirmation?.p95 == .seconds(150))
    }

    @Test("photos of before a destination was named say nothing of how long photos take to it")
    func late() async throws {
        ground.wall.go(.seconds(7200))
        let third = try await ground.ledger.destination("file:///late", kind: .direct, of: ground.event)
        try await ground.staged(offer("P7.JPG", handle: 7), jpeg(7))
        ground.wall.go(.seconds(4))
        for job in try await ground.ledger.claim(10, to: third, newestFirst: false) {
            try await ground.complete(job)
        }
        let status = try reader().statusAtRest(of: ground.event, at: ground.wall.wallNow)
        #expect(
            status.destinations[2].confirmation == .init(photos: 1, median: .seconds(4), p95: .seconds(4)))
    }

    @Test("a camera that was never reached is shown when the bridge has ended, with why")
    func neverReached() async throws {
        var memory = StatusMemory()
        memory.cameras["192.168.1.9:15740"] = .init(
            at: FixedWall.start, kind: .connection, reason: "no route to it", advice: "check that it is on.")
        try await ground.ledger.remember(StatusMemory.key(of: ground.event.id), memory.noted)
        let status = try reader().statusAtRest(of: ground.event, at: ground.wall.wallNow)
        #expect(status.cameras.map(\.address) == ["192.168.1.2", "192.168.1.9:15740"])
        #expect(status.cameras[1].lastError?.reason == "no route to it" && status.cameras[1].name == nil)
        // Nothing listens to it any more, unless a bridge is there and does not answer.
        #expect(status.cameras[1].lastError?.needsOperator == false)
        #expect(status.cameras[1].lastError?.advice.contains("no bridge runs") == true)
        let silent = try reader().statusAtRest(of: ground.event, isRunning: true, at: ground.wall.wallNow)
        #expect(silent.cameras[1].lastError?.advice == "check that it is on.")
    }

    @Test("each camera has the deliveries of its photos, counted as they change")
    func ofEachCamera() async throws {
        let other = try await ground.ledger.meet(
            CameraIdentity(manufacturer: "Nikon", model: "Z 8", body: "7"), at: "192.168.1.3")
        func agree() throws {
            let look = try Connection(path: ground.path, .readOnly)
            let counted = try look.all(MigrationTests.countedByHand) { try $0.get(0, as: String.self) }
            #expect(try look.all(MigrationTests.countsKept) { try $0.get(0, as: String.self) } == counted)
        }
        let jobs = try await ground.ledger.claim(4, to: first, newestFirst: false)
        for job in jobs { try await ground.complete(job) }
        let cancelled = try await ground.ledger.cancelUnclaimed(
            try await ground.ledger.claim(1, to: second, newestFirst: false).map(\.id))
        #expect(cancelled.cancelled.isEmpty && cancelled.claimed.count == 1)
        _ = try await ground.ledger.rescueJobs()
        _ = try await ground.ledger.cancelUnclaimed(cancelled.claimed)
        try agree()
        var cameras = try reader().status(of: ground.event).cameras
        #expect(cameras.map(\.jobs) == [[.completed: 4, .queued: 7]], "\(cameras)")
        #expect(try await ground.ledger.redeliver([(jobs[0].id, "it was gone")]).count == 1)
        _ = try await ground.ledger.remove(second)
        try agree()
        try ground.meddle(
            "UPDATE captures SET camera_id = \(other.number) WHERE id = \(jobs[1].capture.number)")
        try agree()
        cameras = try reader().status(of: ground.event).cameras
        #expect(cameras.map(\.jobs) == [[.completed: 2, .queued: 3], [.completed: 1]], "\(cameras)")
    }

    @Test("no more are uploading of all cameras than are being sent")
    func sendingOfCameras() {
        var status = BridgeStatus()
        status.jobs = [.uploading: 5]
        status.destinations = [.init(url: "a", kind: .direct, jobs: [.uploading: 5])]
        status.cameras = [.init(address: "x"), .init(address: "y")]
        status.cameras[0].jobs = [.uploading: 4]
        status.cameras[1].jobs = [.uploading: 1]
        status.count(sending: ["a": 2])
        #expect(status.jobs == [.uploading: 2, .queued: 3])
        #expect(status.cameras.map(\.jobs) == [[.uploading: 1, .queued: 3], [.uploading: 1]])
    }
}
