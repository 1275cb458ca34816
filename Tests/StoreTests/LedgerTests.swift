import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// Which photo is which: one row for each, across connections and restarts.
@Suite struct LedgerTests {
    let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
    }

    // MARK: Events

    @Test("an event is found by its id and by its name, and an unknown name makes a local one")
    func events() async throws {
        let ledger = ground.ledger
        #expect(try await ledger.event("wedding") == ground.event)
        #expect(try await ledger.event(ground.event.id) == ground.event)
        let other = try await ledger.event("party")
        #expect(other.name == "party" && other.id != ground.event.id)
        #expect(try ground.number("SELECT count(*) FROM events WHERE origin = 'local'") == 2)
        let reader = try LedgerReader(path: ground.path)
        #expect(try reader.event("party") == other)
        #expect(try reader.event("funeral") == nil)
        #expect(Set(try reader.events()) == [ground.event, other])
    }

    // MARK: Identity

    @Test("the same photo is one row: in one connection, in the next, under another handle")
    func sameIdentity() async throws {
        let first = try await ground.one(offer("A.JPG", handle: 1))
        #expect(first.isNew && first.state == .announced)
        let again = try await ground.one(offer("A.JPG", handle: 1))
        let later = try await ground.one(offer("A.JPG", handle: 9), connection: "c2")
        #expect(again.id == first.id && !again.isNew)
        #expect(later.id == first.id && !later.isNew)
        #expect(try ground.entries().count == 1)
    }

    @Test("every part of the identity tells photos apart")
    func everyPart() async throws {
        let offers = [
            offer("A.JPG", handle: 1), offer("B.JPG", handle: 2), offer("A.JPG", handle: 3, size: 1001),
            offer("A.JPG", handle: 4, date: "20261121T185904"),
            offer("A.JPG", handle: 5, folder: ["DCIM", "101CANON"]),
            offer("A.JPG", handle: 6, format: 0x3808), offer("A.JPG", handle: 7, slot: 2),
        ]
        for offer in offers { _ = try await ground.one(offer) }
        #expect(try ground.entries().count == offers.count)
        #expect(Set(try ground.entries().map(\.sequence)) == Set((1...7).map { Int64($0) }))
    }

    @Test("the same photo in two events is two rows")
    func twoEvents() async throws {
        let other = try await ground.ledger.event("party")
        let first = try await ground.one(offer("A.JPG", handle: 1))
        let second = try await ground.one(offer("A.JPG", handle: 1), connection: "c2", in: other)
        #expect(first.id != second.id && second.isNew)
        #expect(try ground.entries(other).map(\.id) == [second.id])
    }

    @Test(
        "a photo without a final size gets its identity on the same row when it has one",
        arguments: ["c1", "c2"])
    func finalLater(connection: String) async throws {
        for unready in [0, UInt64(UInt32.max)] {
            let name = "A\(unready).JPG"
            let first = try await ground.one(offer(name, handle: 1, size: unready))
            #expect(try ground.entry(first.id).key == nil)
            let handle: UInt32 = connection == "c1" ? 1 : 5
            let ready = offer(name, handle: handle, size: 4000)
            let second = try await ground.one(ready, connection: connection)
            #expect(second.id == first.id)
            #expect(try ground.entry(first.id).key == ready.identity.key)
            #expect(try ground.entry(first.id).size == 4000)
        }
    }

    @Test("identify gives a row what the camera says by now, unless another row has it")
    func identify() async throws {
        let unready = try await ground.one(offer("A.JPG", handle: 1, size: 0))
        let known = try await ground.one(offer("B.JPG", handle: 2))
        try await ground.ledger.identify(unready.id, as: offer("B.JPG", handle: 1))
        #expect(try ground.entry(unready.id).key == nil)
        try await ground.ledger.identify(unready.id, as: offer("A.JPG", handle: 1, size: 77))
        #expect(try ground.entry(unready.id).key == offer("A.JPG", handle: 1, size: 77).identity.key)
        #expect(try ground.entry(known.id).key == offer("B.JPG", handle: 2).identity.key)
    }

    @Test("what lies in a camera's memory is never known by identity")
    func inMemory() async throws {
        let first = try await ground.one(memoryOffer("IMG.JPG", handle: 1))
        let same = try await ground.one(memoryOffer("IMG.JPG", handle: 1))
        #expect(same.id == first.id)
        let next = try await ground.one(memoryOffer("IMG.JPG", handle: 2))
        let elsewhere = try await ground.one(memoryOffer("IMG.JPG", handle: 1), connection: "c2")
        #expect(Set([first.id, next.id, elsewhere.id]).count == 3)
        #expect(try ground.entries().allSatisfy { $0.key == nil && $0.isInMemory })
        await #expect(throws: Never.self) {
            try await ground.ledger.identify(first.id, as: offer("IMG.JPG", handle: 1))
        }
        #expect(try ground.entry(first.id).key == nil)
    }

    @Test("a body whose memory has one handle for every photo does not hide the next one")
    func constantHandle() async throws {
        let (first, _) = try await ground.staged(memoryOffer("", handle: 0xFFFF_C001), jpeg(1))
        let next = try await ground.one(memoryOffer("", handle: 0xFFFF_C001))
        #expect(next.id != first && next.isNew && next.state == .announced)
    }

    @Test("a handle that is used again in one connection does not match another photo", arguments: [1000, 0])
    func reusedHandle(size: UInt64) async throws {
        let first = try await ground.one(offer("A.JPG", handle: 1, size: size))
        let second = try await ground.one(offer("B.JPG", handle: 1))
        #expect(second.id != first.id && second.isNew)
        #expect(try ground.entry(first.id).path == "DCIM/100CANON/A.JPG")
        #expect(try ground.entry(second.id).path == "DCIM/100CANON/B.JPG")
        // The first has no handle any more, and is found by what it is.
        let again = try await ground.one(offer("A.JPG", handle: 3), connection: "c2")
        #expect(again.id == first.id)
    }

    @Test("two that look alike and lie on the card together are two rows, each found again")
    func twins() async throws {
        let first = offer("A.JPG", handle: 1)
        var second = offer("A.JPG", handle: 2)
        second.twin = 1
        let captures = try await ground.record(first, second)
        #expect(Set(captures.map(\.id)).count == 2)
        second.reference = PhotoReference("7")
        let again = try await ground.one(second, connection: "c2")
        #expect(again.id == captures.last?.id)
    }

    @Test("a RAW and its JPEG are tied to each other, whichever comes first", arguments: [true, false])
    func pairs(rawFirst: Bool) async throws {
        let raw = offer("A.CR3", handle: 1, format: 0xB108)
        let picture = offer("A.JPG", handle: 2)
        let captures =
            rawFirst
            ? try await ground.record(raw, picture) : try await ground.record(picture, raw)
        let ids = captures.map(\.id)
        #expect(try ground.entries().map(\.pair) == ids.reversed())
    }

    @Test("a RAW and its JPEG out of a camera's memory are tied in one connection, and over none")
    func pairsInMemory() async throws {
        func raw(_ handle: UInt32) -> Offer {
            var raw = memoryOffer("A.ARW", handle: handle)
            raw.identity.format = 0xB101
            return raw
        }
        let captures = try await ground.record(memoryOffer("A.JPG", handle: 1), raw(2))
        let later = try await ground.one(raw(1), connection: "c2")
        let twice = try await ground.one(raw(3))
        let ids = captures.map(\.id)
        for (id, other) in zip(ids, ids.reversed()) { #expect(try ground.entry(id).pair == other) }
        for single in [later, twice] { #expect(try ground.entry(single.id).pair == nil) }
    }

    @Test("no tie reaches into another folder, date, event, camera's memory, or to a third file")
    func noPairs() async throws {
        let other = try await ground.ledger.event("party")
        let first = try await ground.one(offer("A.JPG", handle: 1))
        _ = try await ground.record(
            offer("A.CR3", handle: 2, folder: ["DCIM", "101CANON"], format: 0xB108),
            offer("A.CR3", handle: 3, date: "20261121T185904", format: 0xB108),
            offer("B.CR3", handle: 4, format: 0xB108), offer("A.MP4", handle: 5, format: 0x300D),
            memoryOffer("A.CR3", handle: 6))
        _ = try await ground.one(
            offer("A.CR3", handle: 7, format: 0xB108), connection: "c2", in: other)
        #expect(try ground.entries().allSatisfy { $0.pair == nil })
        let raw = try await ground.one(offer("A.CR3", handle: 8, format: 0xB108))
        let second = try await ground.one(offer("A.NEF", handle: 9, format: 0x3000))
        #expect(try ground.entry(first.id).pair == raw.id)
        #expect(try ground.entry(second.id).pair == nil)
    }

    // MARK: Seen again

    @Test("what a rule kept out comes in when the rule goes, and only then gets a number in the event")
    func filtered() async throws {
        let out = try await ground.one(offer("A.JPG", handle: 1), objection: .older)
        #expect(out.state == .filtered)
        #expect(try ground.entry(out.id).sequence == nil)
        #expect(try ground.entry(out.id).reason == "older")
        #expect(try await ground.one(offer("A.JPG", handle: 1), objection: .kind).state == .filtered)
        let other = try await ground.one(offer("B.JPG", handle: 2))
        let taken = try await ground.one(offer("A.JPG", handle: 1), connection: "c2")
        #expect(taken.id == out.id && taken.state == .announced)
        #expect(try ground.entry(other.id).sequence == 1)
        #expect(try ground.entry(out.id).sequence == 2)
        #expect(try ground.entry(out.id).reason == nil)
    }

    @Test(
        "a photo that was lost or given up is taken up again when it is seen again",
        arguments: [
            CaptureState.lost, .abandoned,
        ])
    func takenUpAgain(state: CaptureState) async throws {
        let ledger = ground.ledger
        let nothing = try await ground.one(offer("A.JPG", handle: 1))
        let some = try await ground.one(offer("B.JPG", handle: 2))
        try await ledger.beginReceiving(some.id, kept: 0, boot: "boot 1")
        try await ledger.note(some.id, verified: 500, boot: "boot 1")
        for capture in [nothing, some] { try await ledger.settle(capture.id, as: state, because: "so") }
        #expect(try ground.entries().map(\.state) == [state, state])
        let captures = try await ground.record(
            offer("A.JPG", handle: 5), offer("B.JPG", handle: 6), connection: "c2")
        #expect(captures.map(\.state) == [.announced, .receiving])
        #expect(captures.map(\.verified) == [0, 500])
        #expect(captures.last?.boot == "boot 1")
        #expect(try ground.entries().allSatisfy { $0.reason == nil })
    }

    @Test(
        "missing are those of this camera and event that are wanted, not here, and not seen by this connection"
    )
    func missing() async throws {
        let ledger = ground.ledger
        try await ground.staged(offer("staged.JPG", handle: 1), jpeg(1))
        _ = try await ground.one(offer("filtered.JPG", handle: 2), objection: .older)
        let lost = try await ground.one(offer("lost.JPG", handle: 3))
        try await ledger.settle(lost.id, as: .lost, because: "so")
        let gone = try await ground.one(offer("gone.JPG", handle: 4))
        let memory = try await ground.one(memoryOffer("memory.JPG", handle: 5))
        let abandoned = try await ground.one(offer("abandoned.JPG", handle: 6))
        try await ledger.settle(abandoned.id, as: .abandoned, because: "so")
        _ = try await ground.one(offer("seen.JPG", handle: 7))
        #expect(try await ledger.missing(of: ground.camera, in: ground.event, notSeenBy: "c1").isEmpty)

        _ = try await ground.one(offer("seen.JPG", handle: 7), connection: "c2")
        let missing = try await ledger.missing(of: ground.camera, in: ground.event, notSeenBy: "c2")
        #expect(
            missing == [
                MissingCapture(id: gone.id, path: "DCIM/100CANON/gone.JPG", isInMemory: false),
                MissingCapture(id: memory.id, path: "memory.JPG", isInMemory: true),
                MissingCapture(id: abandoned.id, path: "DCIM/100CANON/abandoned.JPG", isInMemory: false),
            ])
        let other = try await ledger.meet(
            CameraIdentity(manufacturer: "Nikon", model: "Z9", body: "1"), at: "192.168.1.3")
        #expect(try await ledger.missing(of: other, in: ground.event, notSeenBy: "c2").isEmpty)
    }

    @Test("a camera is the same at another address, and its newest photo is known by its own clock")
    func cameras() async throws {
        #expect(try await ground.ledger.meet(LedgerGround.camera, at: "10.0.0.9") == ground.camera)
        #expect(try await ground.ledger.newestKnown(of: ground.camera) == nil)
        _ = try await ground.record(
            offer("A.JPG", handle: 1, date: "20261121T000001"),
            offer("B.JPG", handle: 2, date: "20261121T000003"),
            offer("C.JPG", handle: 3, date: "20261121T000002"), offer("D.JPG", handle: 4, date: "never"))
        #expect(
            try await ground.ledger.newestKnown(of: ground.camera)
                == CivilTime(ptp: "20261121T000003")?.secondsSince1970)
        let cameras = try LedgerReader(path: ground.path).cameras(of: ground.event.id)
        #expect(cameras.map(\.address) == ["10.0.0.9"])
        #expect(cameras.map(\.camera) == [LedgerGround.camera])
    }
}
