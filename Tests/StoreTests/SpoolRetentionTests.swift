import Basics
import Bridge
import Database
import Posix
import Store
import TestSupport
import Testing
import WorldSupport

@Suite struct SpoolRetentionTests {
    @Test("delete lets go of what is delivered, at once, and of nothing else")
    func atOnce() async throws {
        let ground = try await KeeperGround()
        let ids = try await ground.delivered(1...3)
        let open = try await ground.stage(4)
        #expect(await ground.keeper(.atOnce).look() == nil)
        #expect(try ground.files() == [open.number])
        #expect(try ground.removed() == 3)
        #expect(try ground.ledger.entries().filter(\.isRemoved).map(\.id) == ids)
        #expect(
            ground.events.value.compactMap { if case .removed(let photo) = $0 { photo.capture } else { nil } }
                == ids)
        #expect(try await Recovery(ground.ledger.ledger, openRoot: ground.spool.openRoot).run().isQuiet)
    }

    @Test("keep keeps everything, for ever")
    func always() async throws {
        let ground = try await KeeperGround()
        let ids = try await ground.delivered(1...3)
        ground.ledger.wall.go(.seconds(1 << 33))
        #expect(await ground.keeper(.always).look() == nil)
        #expect(try ground.files() == ids.map(\.number) && ground.removed() == 0)
    }

    @Test("by time each goes when its time has come, and it is said when that is")
    func byTime() async throws {
        let ground = try await KeeperGround()
        let start = ground.ledger.wall.wallNow
        let ids = try await ground.delivered(1...3)
        let keeper = ground.keeper(.after(.seconds(60)))
        #expect(await keeper.look() == start + .seconds(60))
        #expect(try ground.files() == ids.map(\.number))
        ground.ledger.wall.go(.seconds(58))
        #expect(await keeper.look() == start + .seconds(62))
        #expect(try ground.files() == [ids[2].number])
        ground.ledger.wall.go(.seconds(1))
        #expect(await keeper.look() == nil)
        #expect(try ground.files() == [])
    }

    @Test("a clock that is set back neither lets go early nor keeps until the calendar is back")
    func setBack() async throws {
        let ground = try await KeeperGround()
        _ = try await ground.delivered(1...2)
        let keeper = ground.keeper(.after(.seconds(60)))
        ground.ledger.wall.go(.seconds(-1_000_000))
        let now = ground.ledger.wall.wallNow
        #expect(await keeper.look() == now + .seconds(60))
        ground.ledger.wall.go(.seconds(59))
        #expect(await keeper.look() == now + .seconds(60))
        #expect(try ground.files().count == 2)
        ground.ledger.wall.go(.seconds(1))
        _ = await keeper.look()
        #expect(try ground.files() == [])
        // At once is at once by any calendar.
        let other = try await KeeperGround()
        _ = try await other.delivered(1...2)
        other.ledger.wall.go(.seconds(-1_000_000))
        _ = await other.keeper(.atOnce).look()
        #expect(try other.files() == [])
    }

    @Test("when room is short the oldest go, until the reserve and the photo that waits fit, and no more")
    func byRoom() async throws {
        var options = ForgetfulDisk.Options()
        options.capacity = 3000
        let ground = try await KeeperGround(options)
        let ids = try await ground.delivered(1...5)
        let open = try await ground.stage(6)
        // 1200 are free.
        let keeper = ground.keeper(.untilSpaceIsShort, reserve: 1000)
        _ = await keeper.look()
        #expect(try ground.files().count == 6)
        await keeper.makeRoom(for: 300)
        #expect(try ground.files() == ids[1...].map(\.number) + [open.number])
        await keeper.makeRoom(for: 300)
        #expect(try ground.files().count == 5)
        // More than there is: everything delivered goes, and what is open stays.
        await keeper.makeRoom(for: 1 << 40)
        #expect(try ground.files() == [open.number])
    }

    @Test("a transfer that waits for room gets it, and is refused with a sentence when there is none to make")
    func transfer() async throws {
        var options = ForgetfulDisk.Options()
        options.capacity = 3000
        let ground = try await KeeperGround(options)
        _ = try await ground.delivered(1...5)
        let keeper = ground.keeper(.untilSpaceIsShort, reserve: 1000)
        let spool = Spool(
            event: ground.ledger.event.id, boot: "boot 1", reserve: Spool.Reserve(bytes: 1000),
            executor: Threads.spool, makeRoom: { await keeper.makeRoom(for: $0) },
            openRoot: ground.spool.openRoot)
        #expect(try await spool.lack(ofRoomFor: 400) == nil)
        #expect(try ground.files().count == 5)
        #expect(try await spool.lack(ofRoomFor: 1000) == nil)
        #expect(try ground.files().count == 3)
        #expect(try await spool.lack(ofRoomFor: 2000) == nil)
        #expect(try ground.files() == [])
        let lack = try #require(try await spool.lack(ofRoomFor: 2001))
        #expect(lack.contains("3.0 kB are free") && lack.contains("Make room"), "\(lack)")
    }

    @Test("a file that is still read stays until it is not needed any more")
    func inUse() async throws {
        let ground = try await KeeperGround()
        let ids = try await ground.delivered(1...3)
        ground.inUse.change { $0 = [ids[1]] }
        let keeper = ground.keeper(.atOnce)
        _ = await keeper.look()
        #expect(try ground.files() == [ids[1].number])
        ground.inUse.change { $0 = [] }
        _ = await keeper.look()
        #expect(try ground.files() == [])
    }

    @Test("it wakes when something is delivered, when its time has come, and ends when it is cancelled")
    func wakes() async throws {
        let ground = try await KeeperGround()
        let keeper = ground.keeper(.after(.seconds(50)))
        let task = Task { await keeper.run() }
        _ = try await ground.delivered(1...1)
        await ground.clock.waitForSleepers(1)
        #expect(try ground.files().count == 1)
        ground.ledger.wall.go(.seconds(49))
        ground.clock.advance(by: .seconds(50))
        while ground.events.value.isEmpty { await Task.yield() }
        #expect(try ground.files() == [])
        task.cancel()
        await task.value
    }

    @Test("a file that another process has removed is no trouble")
    func gone() async throws {
        let ground = try await KeeperGround()
        let ids = try await ground.delivered(1...2)
        try ground.disk.root().folder(ground.ledger.event.id).remove("\(ids[0])-1.JPG")
        _ = await ground.keeper(.atOnce).look()
        #expect(try ground.files() == [] && ground.removed() == 2)
        #expect(!ground.events.value.contains { if case .held = $0 { true } else { false } })
    }

    @Test("a disk that does not let go is told once, and again when it does; the file goes then")
    func failingDisk() async throws {
        let ground = try await KeeperGround()
        _ = try await ground.delivered(1...3)
        var options = ForgetfulDisk.Options()
        options.failure = (number: 0, meaning: .notWritable)
        let stubborn = ground.disk.restarted(options)
        let keeper = ground.keeper(.atOnce, on: stubborn)
        let again = await keeper.look()
        #expect(again == ground.ledger.wall.wallNow + .seconds(30))
        // Nothing more is let go of while the first cannot go.
        #expect(try ground.removed() == 1)
        #expect(ground.events.value == [.held("the remove failed, as this test wants it to")])
        #expect(await keeper.look() == nil)
        #expect(try SpoolGround(stubborn).contents().isEmpty)
        #expect(ground.events.value.dropFirst(1).filter { $0 == .released }.count == 1)
    }

    @Test("a ledger that does not answer is told once, and nothing goes meanwhile")
    func failingLedger() async throws {
        let ground = try await KeeperGround()
        _ = try await ground.delivered(1...3)
        try ground.ledger.meddle("ALTER TABLE captures RENAME COLUMN settled_at TO gone")
        let keeper = ground.keeper(.atOnce)
        for _ in 0..<3 { _ = await keeper.look() }
        #expect(try ground.files().count == 3)
        #expect(ground.events.value.count == 1)
        try ground.ledger.meddle("ALTER TABLE captures RENAME COLUMN gone TO settled_at")
        _ = await keeper.look()
        #expect(try ground.files().isEmpty && ground.events.value.contains(.released))
    }

    @Test(
        "the ledger's user is told of each photo once none of its jobs is open, before the keeper looks"
    )
    func settled() async throws {
        let ground = try await KeeperGround(destinations: 2)
        let told = Shared<[CaptureID]>([])
        await ground.ledger.ledger.use(JobPolicy(), onSettled: { id in told.change { $0.append(id) } })
        let ids = try await ground.delivered(1...2)
        #expect(told.value == ids)
        let open = try await ground.stage(3)
        for job in try await ground.ledger.ledger.claim(10, to: ground.destinations[0]) {
            try await ground.ledger.complete(job)
        }
        #expect(told.value == ids)
        try await ground.deliver()
        #expect(told.value == ids + [open])
    }

    @Test("a row that contradicts itself neither loses a photo nor keeps the keeper busy")
    func contradiction() async throws {
        let ground = try await KeeperGround()
        let ids = try await ground.delivered(1...2)
        let open = try await ground.stage(3)
        try ground.ledger.meddle("UPDATE captures SET settled_at = 1 WHERE id = \(open)")
        let keeper = ground.keeper(.atOnce)
        #expect(await keeper.look() == nil)
        #expect(try ground.files() == [open.number] && ground.removed() == ids.count)
        #expect(await keeper.look() == nil)
        #expect(try ground.files() == [open.number])
    }
}
