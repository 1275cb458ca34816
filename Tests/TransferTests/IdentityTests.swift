import Bridge
import PTP
import Simulator
import Store
import TestSupport
import Testing
import Transfer

/// What is the same photo and what is another one.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct IdentityTests {
    @Test("new handles at every connection change nothing: nothing is fetched twice")
    func renumbered() async throws {
        let bench = try await TransferBench("renumber\ncut after=50000 object=65541 times=1", photos: 4)
        try await bench.run { $0.isStaged(4) }
        try await bench.run { events in
            events.count { if case .reconciled = $0 { true } else { false } } >= 3
        }
        #expect(bench.stagedPaths.count == 4)
        #expect(try await bench.counts().captures == [.staged: 4])
    }

    @Test("what was learned of a body is kept while another one answers at its address in turn")
    func takingTurns() async throws {
        let bench = try await TransferBench(photos: 1)
        try await bench.run { $0.isStaged(1) }
        let identity = CameraIdentity(manufacturer: "Tetherline", model: "Generic", body: "0001")
        var known = try #require(try await bench.ledger.body(identity))
        known.traits["parts"] = "refused"
        try await bench.ledger.learn(known)
        _ = try await bench.ledger.meet(
            CameraIdentity(manufacturer: "Tetherline", model: "Generic", body: "0002"), at: "bench")
        #expect(try await bench.ledger.bodies(at: "bench").first?.identity.body == "0002")
        let before = bench.events.value.count
        try await bench.run { events in
            events.dropFirst(before).contains { if case .reconciled = $0 { true } else { false } }
        }
        #expect(try await bench.ledger.body(identity) == known)
    }

    @Test("bursts under one name, of one size, in one second: every frame is kept, none twice")
    func sameName() async throws {
        let bench = try await TransferBench("same-name", photos: 0, shots: 12)
        try await bench.run { $0.isStaged(12) }
        let files = try bench.spooled()
        #expect(files.count == 12)
        #expect(Set(files.values).count == 12)
        let names = Set(files.keys.map { $0.drop { $0 != "-" }.dropFirst() })
        #expect(names.count == 1)
        #expect(try await bench.counts().captures == [.staged: 12])
    }

    @Test("a constant name for what lies in the camera's memory: every frame is kept and released")
    func inMemory() async throws {
        let bench = try await TransferBench("in-memory\nsame-name", photos: 0, shots: 8)
        try await bench.run { $0.isStaged(8) }
        #expect(Set(try bench.spooled().values).count == 8)
        #expect(try await bench.counts().captures == [.staged: 8])
    }

    @Test("a size that is nothing at first and then final is one photo")
    func lateSize() async throws {
        let bench = try await TransferBench(
            "late-size for=300ms", photos: 0, shots: 3, every: .milliseconds(20))
        try await bench.run { $0.isStaged(3) }
        #expect(try bench.spooled().values.allSatisfy { $0.count == 100_000 })
        #expect(try await bench.counts().captures == [.staged: 3])
    }

    @Test("a size that was another one while the camera was writing is one photo, whole")
    func changedSize() async throws {
        let bench = try await TransferBench(
            "late-size for=300ms as=1000", photos: 0, shots: 3, every: .milliseconds(20))
        try await bench.run { $0.isStaged(3) }
        #expect(try bench.spooled().values.allSatisfy { $0.count == 100_000 })
        #expect(try await bench.counts().captures == [.staged: 3])
        let again = bench.events.value.count
        try await bench.run { events in
            events.dropFirst(again).contains {
                if case .reconciled(listed: 3, wanted: 0, _) = $0 { true } else { false }
            }
        }
        #expect(bench.stagedPaths.count == 3)
    }

    @Test("only what is rated highly enough is taken, and a camera is asked for ratings only then")
    func rating() async throws {
        // camsim rates its shots in turn: 1, 2, 3, 4, 5, 0, 1, 2.
        let bench = try await TransferBench(photos: 8)
        try await bench.run({ $0.filter.minimumRating = 4 }, until: { $0.isStaged(2) })
        #expect(bench.stagedPaths.map { $0.suffix(8) } == ["0004.JPG", "0005.JPG"])
        #expect(try await bench.counts().captures == [.staged: 2, .filtered: 6])
    }

    @Test("objects that are not ready are asked for again, and do not hold up the others")
    func notReady() async throws {
        let bench = try await TransferBench("not-ready for=400ms", photos: 2, shots: 2)
        try await bench.run { $0.isStaged(4) }
        #expect(try await bench.counts().captures == [.staged: 4])
        // What was on the card before was not waited for.
        #expect(bench.stagedPaths.prefix(2).allSatisfy { $0.hasSuffix("01.JPG") || $0.hasSuffix("02.JPG") })
    }

    @Test("one photo filed in two events is in both")
    func twoEvents() async throws {
        let home = try TemporaryFolder()
        let first = try await TransferBench(photos: 2, home: home)
        try await first.run { $0.isStaged(2) }
        let other = try await first.ledger.event("Party")
        #expect(other != first.event)
        let camera = try await first.ledger.meet(
            CameraIdentity(manufacturer: "Tetherline", model: "Generic", body: "0001"), at: "bench")
        let identity = PhotoIdentity(
            manufacturer: "Tetherline", model: "Generic", body: "0001", slot: 1, folders: ["DCIM"],
            name: "A.JPG", size: 10, captureDate: "20261121T120000", format: 0x3801)
        let sighting = Sighting(
            offer: Offer(identity: identity, reference: PhotoReference("\(9)")), objection: nil)
        let here = try await first.ledger.record([sighting], of: camera, in: first.event, connection: "a")
        let there = try await first.ledger.record([sighting], of: camera, in: other, connection: "b")
        #expect(here[0].id != there[0].id)
        #expect(here[0].isNew && there[0].isNew)
    }

    @Test("what was shot before the session is counted and not taken; what is shot after is")
    func older() async throws {
        let bench = try await TransferBench(photos: 5, shots: 2, every: .milliseconds(10))
        _ = try await bench.ledger.begin(bench.event, since: nil, longestAbsence: .seconds(60))
        try await bench.run { $0.isStaged(2) }
        let passedOver = bench.events.value.compactMap { event -> [FilterRule: Int]? in
            guard case .reconciled(_, _, let passedOver) = event else { return nil }
            return passedOver
        }
        #expect(passedOver.first == [.older: 5])
        #expect(try await bench.counts().captures == [.filtered: 5, .staged: 2])
    }

    @Test("a shot is never old, although the camera's clock was set back while it was tethered")
    func clockSetBack() async throws {
        let bench = try await TransferBench(photos: 3)
        let events = bench.events
        _ = try await bench.ledger.begin(bench.event, since: nil, longestAbsence: .seconds(60))
        let running = Task { try await bench.run { $0.isStaged(2) } }
        while !events.value.contains(where: { if case .reconciled = $0 { true } else { false } }) {
            await Task.yield()
        }
        await bench.shoot()
        bench.cameraSeconds.change { $0 -= 7200 }
        await bench.shoot()
        _ = try await running.value
        #expect(try await bench.counts().captures == [.filtered: 3, .staged: 2])
    }

    @Test("photos of a card that was put in meanwhile arrive, although the body gives them the old handles")
    func otherCard() async throws {
        let bench = try await TransferBench("card-swap shots=3 handles=reused", photos: 0)
        let events = bench.events
        let running = Task { try await bench.run { $0.isStaged(4) } }
        while !events.value.contains(where: { if case .reconciled = $0 { true } else { false } }) {
            await Task.yield()
        }
        for shot in 1...4 {
            bench.cameraSeconds.change { $0 += 10 }
            await bench.shoot()
            while !Task.isCancelled, !events.value.isStaged(shot) { await Task.yield() }
        }
        _ = try await running.value
        #expect(try await bench.counts().captures == [.staged: 4])
        #expect(Set(try bench.spooled().values).count == 4)
    }
}
