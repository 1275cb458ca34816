import Basics
import Bridge
import Store
import TestSupport
import Testing
import WorldSupport

/// The windows of events, across runs, crashes, closings and clocks.
@Suite struct WindowTests {
    let ground: LedgerGround
    private static let limit = Duration.seconds(6 * 3600)

    init() async throws {
        ground = try await LedgerGround()
    }

    @discardableResult
    private func begin(_ since: Since? = nil, in event: BridgeEvent? = nil) async throws -> WindowBeginning {
        try await ground.ledger.begin(event ?? ground.event, since: since, longestAbsence: Self.limit)
    }

    /// The second of the calendar is the second of the camera's clock.
    private func rule(
        difference: Int64? = 0, held: Int64? = nil, in event: BridgeEvent? = nil
    ) async throws -> TakingRule {
        try await ground.ledger.meet(
            ground.camera, in: event ?? ground.event,
            ClockContact(difference: difference, newestHeld: held))
    }

    private var now: Int64 { ground.wall.wallNow.seconds }

    @Test("a window is opened by the first run, and stays open however often the bridge is started anew")
    func restarts() async throws {
        let began = now
        #expect(try await begin().isFirst)
        let first = try await rule()
        #expect(first.objection(to: began) == nil && first.objection(to: began - 60) == .older)
        for _ in 0..<3 {
            ground.wall.go(.seconds(3600))
            let again = try await begin()
            #expect(!again.isFirst && again.absence == nil && again.window.openedAt.seconds == began)
            #expect(try await rule() == first)
        }
    }

    @Test("a photo keeps what its camera's clock was wrong by when it came, whatever is measured later")
    func clockOfPhoto() async throws {
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        try await begin()
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        _ = try await rule(difference: 3570)
        try await ground.staged(offer("B.JPG", handle: 2), jpeg(2))
        // It does not tell its time in every connection.
        _ = try await rule(difference: nil)
        try await ground.staged(offer("C.JPG", handle: 3), jpeg(3))
        _ = try await rule(difference: 3600)
        try await ground.staged(offer("D.JPG", handle: 4), jpeg(4))
        let jobs = try await ground.claim(8).sorted { $0.capture < $1.capture }
        #expect(jobs.map(\.cameraClockAhead) == [nil, 3570, 3570, 3600])
    }

    @Test(
        "another event ends the window; what is shot until the first begins again belongs to neither of its windows"
    )
    func secondWindow() async throws {
        let other = try await ground.ledger.event("party")
        let began = now
        try await begin()
        _ = try await rule()
        ground.wall.go(.seconds(100))
        let others = try await begin(in: other)
        #expect(others.isFirst && others.closed == ground.event)
        ground.wall.go(.seconds(100))
        #expect(try await !begin().isFirst)
        let rule = try await rule()
        #expect(
            [50, 150, 250].map { rule.objection(to: began + $0) } == [nil, .outside, nil])
        #expect(rule.objectionToLive == nil)
        #expect(try await self.rule(in: other).objectionToLive == .outside)
        let windows = try LedgerReader(path: ground.path).windows(of: ground.event.id)
        #expect(windows.map { $0.closedAt?.seconds } == [began + 100, nil])
    }

    @Test("closing ends taking, for a body without a clock with the newest photo that it has shown")
    func closing() async throws {
        #expect(try await !ground.ledger.closeWindow(of: ground.event))
        try await begin()
        _ = try await rule(difference: nil, held: 500)
        _ = try await ground.record(offer("A.JPG", handle: 1, date: "20261121T000003"))
        let shown = try #require(CivilTime(ptp: "20261121T000003")?.secondsSince1970)
        #expect(try await ground.ledger.closeWindow(of: ground.event))
        #expect(try await !ground.ledger.closeWindow(of: ground.event))
        let rule = try await rule(difference: nil, held: shown + 50)
        #expect(rule.objection(to: 500) == .older && rule.objection(to: 501) == nil)
        #expect(rule.objection(to: shown) == nil && rule.objection(to: shown + 1) == .outside)
        #expect(rule.objectionToLive == .outside)
    }

    @Test("frames shot while no run was alive for long wait for the operator, who takes or declines them")
    func absence() async throws {
        try await begin()
        ground.wall.go(.seconds(1800))
        try await ground.ledger.noteAlive(ground.event)
        let last = now
        ground.wall.go(.seconds(7 * 3600))
        let absence = try await begin().absence
        #expect(
            absence == EventAbsence(from: Timestamp(milliseconds: last * 1000), until: ground.wall.wallNow))
        #expect(try await begin().absence == nil, "it is told once")
        func objections() async throws -> [FilterRule?] {
            let rule = try await rule()
            return [last - 1, last, now - 1, now].map { rule.objection(to: $0) }
        }
        #expect(try await objections() == [nil, .unattended, .unattended, nil])
        let frame = try await ground.one(offer("A.JPG", handle: 1), objection: .unattended)
        let reader = try LedgerReader(path: ground.path)
        #expect(try reader.status(of: ground.event).unattended == 1)
        #expect(try await ground.ledger.decide(.declined, of: ground.event) == 1)
        #expect(try await objections() == [nil, .declined, .declined, nil])
        #expect(try ground.entry(frame.id).reason == "declined")
        #expect(try reader.status(of: ground.event).unattended == 0)
        #expect(try await ground.ledger.decide(.taken, of: ground.event) == 1)
        #expect(try await objections() == [nil, nil, nil, nil])
        #expect(try await ground.one(offer("A.JPG", handle: 1), connection: "c2").state == .announced)
    }

    @Test("--since at a later run says anew where the window begins; what was passed over is looked at again")
    func since() async throws {
        try await begin(.date(now - 100))
        _ = try await rule()
        let frame = try await ground.one(offer("A.JPG", handle: 1), objection: .older)
        #expect(try await begin(.date(now - 50)).window.since == .date(now - 50))
        #expect(try await rule().objection(to: now - 60) == .older)
        #expect(try await begin(.begin).window.since == .date(now - 50), "it began when it began")
        ground.wall.go(.seconds(8 * 3600))
        let wider = try await begin(.all)
        #expect(wider.window.since == .all && wider.absence?.verdict == .taken)
        let rule = try await rule()
        #expect(rule.objection(to: 0) == nil && rule.objection(to: now - 3600) == nil)
        #expect(try await ground.one(offer("A.JPG", handle: 1), connection: "c2").state == .announced)
        #expect(try ground.entry(frame.id).reason == nil)
    }

    @Test(
        "what was older at the first contact stays older when the camera's clock is set back, until it is asked for"
    )
    func staysOlder() async throws {
        try await begin()
        _ = try await rule()
        let old = offer("A.JPG", handle: 1)
        _ = try await ground.one(old, objection: .older)
        let setBack = try await rule(difference: -400_000_000)
        #expect(setBack.objection(to: try #require(old.identity.takenAt)) == nil)
        #expect(try await ground.one(old, connection: "c2").state == .filtered)
        ground.wall.go(.seconds(1))
        try await begin(.all)
        #expect(try await ground.one(old, connection: "c3").state == .announced)
    }

    @Test("what was passed over by a rule of another kind is taken as soon as no rule speaks against it")
    func otherRules() async throws {
        try await begin()
        _ = try await ground.one(offer("A.JPG", handle: 1), objection: .small)
        #expect(try await ground.one(offer("A.JPG", handle: 1), connection: "c2").state == .announced)
    }

    @Test(
        "events of before have a window from their first photo on; the latest is open, and looks again",
        arguments: [1, 2, 3])
    func migrated(version: Int) async throws {
        let old = try OldLedger(version)
        let ledger = try Ledger(
            path: old.path, executor: Threads.ledger, wall: FixedWall(), random: SeededSource(2))
        let event = try await ledger.event("wedding")
        let windows = try LedgerReader(path: old.path).windows(of: event.id)
        let first = try #require(
            old.before["captures"]?.column("announced_at").compactMap { Int64($0) }.min())
        #expect(windows == [EventWindow(openedAt: Timestamp(milliseconds: first))])
        #expect(try LedgerReader(path: old.path).openEvent() == event)
        let camera = try await ledger.meet(LedgerGround.camera, at: "192.168.1.2")
        let passedOver = Sighting(offer: offer("C.JPG", handle: 0x99), objection: nil)
        let captures = try await ledger.record([passedOver], of: camera, in: event, connection: "c2")
        #expect(captures.map(\.state) == [.announced])
    }
}
