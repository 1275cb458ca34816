import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// Destinations that an event gets, loses and has corrected.
@Suite struct DestinationTests {
    let ground: LedgerGround
    let ledger: Ledger
    let first: DestinationID

    init() async throws {
        ground = try await LedgerGround()
        ledger = ground.ledger
        first = try await ledger.destination("file:///first", kind: .direct, of: ground.event)
    }

    @discardableResult
    private func stage(_ number: UInt32) async throws -> CaptureID {
        try await ground.staged(offer("P\(number).JPG", handle: number), jpeg(UInt64(number))).0
    }

    private func known() throws -> [KnownDestination] {
        try LedgerReader(path: ground.path).knownDestinations(of: ground.event.id)
    }

    private func known(_ url: String) throws -> KnownDestination {
        try #require(try known().first { $0.url == url })
    }

    private func deliver(_ count: Int, to destination: DestinationID) async throws {
        for job in try await ledger.claim(count, to: destination) { try await ground.complete(job) }
    }

    private func waiting(for destination: DestinationID) async throws -> [CaptureID] {
        let jobs = try await ledger.claim(100, to: destination)
        try await ledger.release(jobs.map(\.id))
        return jobs.map(\.capture).sorted()
    }

    @Test(
        "one that is removed gets nothing more, keeps what it has, and its open jobs are cancelled by the operator"
    )
    func removes() async throws {
        let second = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        for number in UInt32(1)...3 { try await stage(number) }
        try await deliver(2, to: first)
        try await deliver(3, to: second)
        #expect(try await ledger.remove(first) == DestinationEnd(delivered: 2, cancelled: 1))
        try await stage(4)
        let removed = try known("file:///first")
        #expect(removed.removedAt == ground.wall.wallNow && removed.replacedBy == nil)
        #expect(removed.jobs == [.completed: 2] && removed.cancelled == 1)
        #expect(try await ledger.destinations(of: ground.event).map(\.url) == ["file:///second"])
        #expect(try await waiting(for: second) == [CaptureID(4)], "what is staged then goes to the other")
        #expect(try await waiting(for: first).isEmpty)
        #expect(
            try ground.journal().contains {
                $0.contains("file:///first was removed") && $0.contains("2 photos")
            })
        await #expect(throws: DestinationObjection.unknown) { try await ledger.remove(first) }
    }

    @Test("a photo that the others have is delivered, whatever a removed one has of it")
    func verdicts() async throws {
        let second = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        let one = try await stage(1)
        let other = try await stage(2)
        try await deliver(1, to: first)
        try await deliver(1, to: second)
        _ = try await ledger.remove(first)
        #expect(try ground.entry(one).jobs == [.completed: 1] && ground.entry(one).problems.isEmpty)
        #expect(
            try ground.entry(one).receipts.map(\.url) == ["file:///first", "file:///second"],
            "told all the same")
        #expect(try ground.entry(other).jobs == [.staged: 1] && ground.entry(other).problems.isEmpty)
        _ = try await ledger.remove(second)
        #expect(try ground.entry(one).jobs.isEmpty, "no destination is left that should have it")
    }

    @Test("what is open nowhere any more is settled when the destination that lacked it is removed")
    func settles() async throws {
        let second = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        try await stage(1)
        try await deliver(1, to: first)
        #expect(try await ledger.removable(atMost: 10).isEmpty)
        _ = try await ledger.remove(second)
        #expect(try await ledger.removable(atMost: 10).map(\.capture) == [CaptureID(1)])
    }

    @Test(
        "what only a removed one has is not settled when the operator cancels its delivery to another, so its file stays"
    )
    func staysInTheSpool() async throws {
        try await stage(1)
        try await deliver(1, to: first)
        let second = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        _ = try await ledger.remove(first)
        let open = try await ledger.claim(1, to: second)
        try await ledger.release(open.map(\.id))
        _ = try await ledger.cancelUnclaimed(open.map(\.id))
        #expect(try await ledger.removable(atMost: 10).isEmpty)
        #expect(try await ledger.remove(second) == DestinationEnd())
        #expect(try await ledger.removable(atMost: 10).isEmpty)
    }

    @Test("one that was removed is used again, a gallery as well; what the spool has not any more is counted")
    func usesAgain() async throws {
        let place = "https://gallery.example/events/7"
        let gallery = try await ledger.destination(place, kind: .gallery, of: ground.event)
        try await stage(1)
        let other = try await stage(2)
        _ = try await ledger.remove(gallery)
        try await deliver(2, to: first)
        #expect(try await ledger.remove(other))
        let end = try await ledger.add(place, kind: .gallery, of: ground.event)
        #expect(end == DestinationEnd(unsendable: 1))
        #expect(try await ledger.destinations(of: ground.event).map(\.id) == [first, gallery])
        let third = try await ledger.add("file:///third", kind: .direct, of: ground.event)
        #expect(third == DestinationEnd(unsendable: 1))
    }

    @Test(
        "a removed one that is added again gets what was cancelled with it, and not what was cancelled before"
    )
    func addsAgain() async throws {
        for number in UInt32(1)...4 { try await stage(number) }
        try await deliver(1, to: first)
        let open = try await ledger.claim(100, to: first)
        try await ledger.release(open.map(\.id))
        _ = try await ledger.cancelUnclaimed([try #require(open.first).id])
        _ = try await ledger.remove(first)
        #expect(try await ledger.retry(open.map(\.id)).isEmpty, "nothing goes there")
        try await stage(5)
        let again = try await ledger.destination("file:///first", kind: .direct, of: ground.event)
        #expect(again == first)
        #expect(try await waiting(for: first) == [3, 4, 5].map { CaptureID($0) })
        let used = try known("file:///first")
        #expect(used.removedAt == nil && used.cancelled == 1 && used.jobs[.completed] == 1)
    }

    @Test("a corrected address takes over what is open, and what the old one has is not delivered twice")
    func replaces() async throws {
        for number in UInt32(1)...4 { try await stage(number) }
        try await deliver(2, to: first)
        let failing = try #require(try await ledger.claim(1, to: first).first)
        var change = JobChange(
            failing.id, from: .staged, to: .failedPermanent, attempts: 5, due: ground.wall.wallNow,
            problem: "no host")
        change.isCancelled = false
        try await ledger.save(change)
        let end = try await ledger.replace(first, by: "file:///right", kind: .direct)
        #expect(end == DestinationEnd(delivered: 2, moved: 2))
        try await stage(5)
        let right = try known("file:///right")
        #expect(try await waiting(for: right.id) == [3, 4, 5].map { CaptureID($0) })
        #expect(try known("file:///first").replacedBy == "file:///right")
        try await deliver(3, to: right.id)
        for number in Int64(1)...5 {
            #expect(
                try ground.entry(CaptureID(number)).jobs == [.completed: 1],
                "photo \(number) is where it should be")
        }
        // The next run names its destinations anew.
        _ = try await ledger.destination("file:///right", kind: .direct, of: ground.event)
        #expect(try await waiting(for: right.id).isEmpty)
    }

    @Test("an address that is corrected twice, and back, has each photo once")
    func backAndForth() async throws {
        for number in UInt32(1)...3 { try await stage(number) }
        try await deliver(1, to: first)
        _ = try await ledger.replace(first, by: "file:///b", kind: .direct)
        let b = try known("file:///b").id
        try await deliver(1, to: b)
        _ = try await ledger.replace(b, by: "file:///c", kind: .direct)
        let c = try known("file:///c").id
        #expect(try await waiting(for: c) == [CaptureID(3)])
        #expect(
            try await ledger.replace(c, by: "file:///first", kind: .direct)
                == DestinationEnd(delivered: 0, moved: 1))
        #expect(try await waiting(for: first) == [CaptureID(3)])
        #expect(try known().map(\.replacedBy) == [nil, "file:///first", "file:///first"])
        try await deliver(1, to: first)
        #expect(try (1...3).allSatisfy { try ground.entry(CaptureID($0)).jobs == [.completed: 1] })
        let copies = try known().map { $0.jobs[.completed, default: 0] }.reduce(0, +)
        #expect(copies == 3)
    }

    @Test("what a removed one lacked does not go there when it comes back in the place of one that has it")
    func removedAndBack() async throws {
        for number in UInt32(1)...2 { try await stage(number) }
        let second = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        _ = try await ledger.remove(first)
        try await deliver(1, to: second)
        _ = try await ledger.replace(second, by: "file:///first", kind: .direct)
        #expect(try await waiting(for: first) == [CaptureID(2)])
        #expect(
            try ground.entry(CaptureID(1)).jobs == [.completed: 1]
                && ground.entry(CaptureID(1)).problems.isEmpty)
    }

    @Test(
        "what is a destination already is none to correct another to, and a gallery is agreed with otherwise")
    func objections() async throws {
        _ = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        let gallery = try await ledger.destination(
            "https://gallery.example", kind: .gallery, of: ground.event)
        await #expect(throws: DestinationObjection.known("file:///second")) {
            try await ledger.replace(first, by: "file:///second", kind: .direct)
        }
        await #expect(throws: DestinationObjection.otherKind) {
            try await ledger.replace(gallery, by: "file:///third", kind: .direct)
        }
        #expect(try known().allSatisfy { $0.removedAt == nil } && known().count == 3, "nothing has changed")
    }

    @Test("what lies only at a removed one stays on the card")
    func deletesFromCard() async throws {
        let one = try await stage(1)
        try await deliver(1, to: first)
        let second = try await ledger.destination("file:///second", kind: .direct, of: ground.event)
        #expect(try await ledger.deletable(of: ground.camera, in: ground.event).isEmpty)
        _ = try await ledger.remove(second)
        #expect(try await ledger.deletable(of: ground.camera, in: ground.event) == [one])
        _ = try await ledger.remove(first)
        #expect(try await ledger.deletable(of: ground.camera, in: ground.event).isEmpty)
    }
}
