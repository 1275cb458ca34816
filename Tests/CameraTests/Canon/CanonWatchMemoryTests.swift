import Bridge
import PTP
import TestSupport
import Testing

@testable import Camera

/// What a Canon keeps in its memory while its card is late, event by event.
@Suite struct CanonWatchMemoryTests {
    private static let handle = ObjectHandle(rawValue: 0x5191_1B02)
    private static let reference = PhotoReference(handle)
    private static let toBoth = CanonEvent.propertyChanged(code: CanonDestination.property, value: 6)

    private static func object(
        _ handle: ObjectHandle = handle, name: String? = nil, size: UInt64? = nil
    ) -> CanonObject {
        CanonObject(handle: handle, size: size, name: name)
    }

    /// Told from memory, because its record from the card did not come.
    private func overdue(_ object: CanonObject = object()) -> PolledCanon {
        var polled = PolledCanon()
        #expect(polled.answer(Self.toBoth) == [.tellCapacity])
        #expect(polled.answer(.transferRequested(object)).isEmpty)
        #expect(polled.wait() == [.tell(.added(Self.reference))])
        return polled
    }

    @Test("a card that is slower than that is no second photo, and frees nothing that is still to be fetched")
    func late() {
        var polled = overdue()
        let record = CanonEvent.objectAdded(Self.object())
        #expect(polled.answer(record, record).isEmpty)
        #expect(polled.wait().isEmpty, "nothing of it is told, or let go of")
        #expect(polled.watch.isOnlyInMemory(Self.handle) && polled.watch.wantedFromMemory == [Self.handle])
        #expect(!polled.watch.cameFromMemory(Self.handle))
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.handle)])
        #expect(polled.watch.wantedFromMemory.isEmpty && !polled.watch.cameFromMemory(Self.handle))
        #expect(polled.tell(.done(.letGo(Self.handle))).isEmpty)
        #expect(polled.watch.requested.isEmpty && polled.watch.cameFromMemory(Self.handle))
        // What comes under its handle after that is another one.
        #expect(polled.answer(.objectAdded(Self.object())) == [.tell(.added(Self.reference))])
        #expect(!polled.watch.cameFromMemory(Self.handle))
    }

    @Test("a record that comes when the photo has come already tells nothing either")
    func later() {
        var polled = overdue()
        _ = polled.tell(.finished(Self.handle))
        _ = polled.tell(.done(.letGo(Self.handle)))
        #expect(polled.watch.cameFromMemory(Self.handle), "a list of the card may have it before its record")
        #expect(polled.answer(.objectAdded(Self.object())).isEmpty)
        #expect(polled.watch.cameFromMemory(Self.handle))
    }

    @Test("a record with another name or size, or that comes after a minute, is another photo's")
    func another() {
        let known = Self.object(name: "IMG_0001.JPG", size: 100)
        for record in [
            Self.object(name: "IMG_0002.JPG", size: 100), Self.object(name: "IMG_0001.JPG", size: 101),
        ] {
            var polled = overdue(known)
            #expect(polled.answer(.objectAdded(record)).contains(.tell(.added(Self.reference))))
        }
        var same = overdue(known)
        #expect(same.answer(.objectAdded(Self.object(name: "IMG_0001.JPG"))).isEmpty, "it says no more")
        var polled = overdue(known)
        #expect(polled.wait(upTo: CanonWatch.lateRecordWithin).isEmpty)
        #expect(polled.answer(.objectAdded(known)).contains(.tell(.added(Self.reference))))
    }

    @Test(
        "what was withdrawn, removed, changed or asked for anew has not come, and another card has other photos"
    )
    func notCome() {
        for event in [
            CanonEvent.transferWithdrawn(Self.handle), .objectRemoved(Self.handle),
            .objectContentChanged(Self.handle), .transferRequested(Self.object()), .storeRemoved(.firstSlot),
        ] {
            var polled = overdue()
            _ = polled.answer(.objectAdded(Self.object()))
            _ = polled.tell(.finished(Self.handle))
            _ = polled.tell(.done(.letGo(Self.handle)))
            #expect(polled.watch.cameFromMemory(Self.handle))
            _ = polled.answer(event)
            #expect(!polled.watch.cameFromMemory(Self.handle), "\(event)")
        }
    }

    @Test("what is found in a list before its record has come is had from the memory, and told no more")
    func listedEarly() {
        for isLate in [false, true] {
            var polled = PolledCanon()
            _ = polled.answer(Self.toBoth)
            #expect(polled.answer(.transferRequested(Self.object())).isEmpty)
            #expect(!polled.watch.isOnlyInMemory(Self.handle))
            #expect(polled.tell(.offered(Self.handle)).isEmpty && polled.watch.isOnlyInMemory(Self.handle))
            if isLate { #expect(polled.wait().isEmpty) }
            #expect(polled.answer(.objectAdded(Self.object())).isEmpty)
            #expect(polled.watch.isOnlyInMemory(Self.handle) && polled.wait().isEmpty)
        }
        // What lies on a card stays a photo on the card.
        var polled = PolledCanon()
        _ = polled.answer(.objectAdded(Self.object()), .transferRequested(Self.object()))
        #expect(polled.tell(.offered(Self.handle)).isEmpty && !polled.watch.isOnlyInMemory(Self.handle))
    }

    @Test("an evening of late records tells no photo twice, however many there are")
    func manyLate() {
        var polled = PolledCanon()
        _ = polled.answer(Self.toBoth)
        let handles = (1...300).map { ObjectHandle(rawValue: 0x5191_0002 + $0 << 4) }
        var toldTwice: [ObjectHandle] = []
        for handle in handles {
            #expect(polled.answer(.transferRequested(Self.object(handle))).isEmpty)
            #expect(polled.wait() == [.tell(.added(PhotoReference(handle)))])
            if !polled.answer(.objectAdded(Self.object(handle))).isEmpty { toldTwice.append(handle) }
            #expect(polled.tell(.finished(handle)) == [.letGo(handle)])
            #expect(polled.tell(.done(.letGo(handle))).isEmpty)
        }
        #expect(toldTwice == [])
        #expect(handles.allSatisfy { polled.watch.cameFromMemory($0) })
    }
}
