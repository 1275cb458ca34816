import Bridge
import PTP
import TestSupport
import Testing

@testable import Camera

/// What a Canon keeps in its memory, and what it has to be told of it, event by event.
@Suite struct CanonWatchMemoryTests {
    private static let handle = ObjectHandle(rawValue: 0x5191_1B02)
    private static let other = ObjectHandle(rawValue: 0x5191_1B12)
    private static let reference = PhotoReference(handle)
    private static let toBoth = CanonEvent.propertyChanged(code: CanonDestination.property, value: 6)

    private static func object(
        _ handle: ObjectHandle = handle, name: String? = nil, size: UInt64? = nil
    ) -> CanonObject {
        CanonObject(handle: handle, size: size, name: name)
    }

    /// One that is asked whenever it is due.
    private struct Polled {
        var watch = CanonWatch()
        var now = Duration.zero

        init() {
            _ = watch.handle(.began, at: now)
            _ = watch.handle(.answered([]), at: now)
        }

        mutating func answer(_ events: CanonEvent...) -> [CanonWatch.Action] {
            repeat {
                now = watch.nextDeadline ?? now
            } while !watch.handle(.timePassed, at: now).contains(.ask)
            return watch.handle(.answered(events), at: now)
        }

        mutating func tell(_ happening: CanonWatch.Happening) -> [CanonWatch.Action] {
            watch.handle(happening, at: now)
        }

        /// Answers without news, until something is to be done.
        mutating func wait(upTo limit: Duration = .seconds(10)) -> [CanonWatch.Action] {
            let end = now + limit
            while now < end {
                let actions = answer()
                if !actions.isEmpty { return actions }
            }
            return []
        }
    }

    /// Told from memory, because its record from the card did not come.
    private func overdue(_ object: CanonObject = object()) -> Polled {
        var polled = Polled()
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
        #expect(polled.tell(.transferDone(Self.handle)).isEmpty)
        #expect(polled.watch.requested.isEmpty && polled.watch.cameFromMemory(Self.handle))
        // What comes under its handle after that is another one.
        #expect(polled.answer(.objectAdded(Self.object())) == [.tell(.added(Self.reference))])
        #expect(!polled.watch.cameFromMemory(Self.handle))
    }

    @Test("a record that comes when the photo has come already tells nothing either")
    func later() {
        var polled = overdue()
        _ = polled.tell(.finished(Self.handle))
        _ = polled.tell(.transferDone(Self.handle))
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
            _ = polled.tell(.transferDone(Self.handle))
            #expect(polled.watch.cameFromMemory(Self.handle))
            _ = polled.answer(event)
            #expect(!polled.watch.cameFromMemory(Self.handle), "\(event)")
        }
    }

    // MARK: What is owed

    @Test(
        "what the body does not take back now it is told again, after a pause that grows, behind what else it is owed"
    )
    func owed() {
        var polled = Polled()
        _ = polled.answer(.objectAdded(Self.object()), .objectAdded(Self.object(Self.other)))
        let asked = polled.answer(
            .transferRequested(Self.object()), .transferRequested(Self.object(Self.other)))
        #expect(asked == [.letGo(Self.handle)], "one at a time")
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        var pauses: [Duration] = []
        var refused: [CanonWatch.Action] = []
        for _ in 0..<5 {
            let before = polled.now
            let next = polled.wait()
            pauses.append(polled.now - before)
            refused += next
            for action in next { #expect(polled.tell(.notDone(action)).isEmpty) }
        }
        #expect(
            refused == [
                .letGo(Self.other), .letGo(Self.handle), .letGo(Self.other), .letGo(Self.handle),
                .letGo(Self.other),
            ])
        #expect(pauses == pauses.sorted() && pauses[0] >= .milliseconds(250))
        #expect(pauses[4] >= .seconds(2) && pauses[4] < .milliseconds(2300))
        // When one is done the next is told at once.
        #expect(polled.wait() == [.letGo(Self.handle)])
        #expect(polled.tell(.transferDone(Self.handle)) == [.letGo(Self.other)])
        #expect(polled.tell(.transferDone(Self.other)).isEmpty && polled.watch.requested.isEmpty)
        #expect(polled.wait().isEmpty)
    }

    @Test(
        "a photo that is ours is let go of until the body has heard of it, and not when it is requested anew")
    func finished() {
        var polled = Polled()
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.handle)])
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        #expect(polled.watch.wantedFromMemory.isEmpty && polled.watch.isOnlyInMemory(Self.handle))
        #expect(polled.wait() == [.letGo(Self.handle)])
        _ = polled.tell(.notDone(.letGo(Self.handle)))
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.wait().isEmpty && polled.watch.wantedFromMemory == [Self.handle])
    }

    @Test("that there is room on our disk is told until the body has heard of it, before anything else")
    func capacity() {
        var polled = Polled()
        #expect(polled.answer(Self.toBoth) == [.tellCapacity])
        #expect(polled.tell(.notDone(.tellCapacity)).isEmpty)
        #expect(polled.wait() == [.tellCapacity])
        #expect(polled.wait().isEmpty)
    }

    @Test("a body that was not kept on is kept on two seconds later")
    func keptOn() {
        var polled = Polled()
        var now = Duration.zero
        while let next = polled.watch.nextDeadline, now < CanonWatch.keepOnEvery {
            now = next
            let actions = polled.watch.handle(.timePassed, at: now)
            #expect(actions.contains(.keepOn) == (now >= CanonWatch.keepOnEvery))
            if actions.contains(.ask) { _ = polled.watch.handle(.answered([]), at: now) }
        }
        _ = polled.watch.handle(.notDone(.keepOn), at: now)
        let refused = now
        var keptOn: Duration?
        while keptOn == nil, let next = polled.watch.nextDeadline, next < refused + .seconds(9) {
            now = next
            let actions = polled.watch.handle(.timePassed, at: now)
            if actions.contains(.keepOn) { keptOn = now }
            if actions.contains(.ask) { _ = polled.watch.handle(.answered([]), at: now) }
        }
        #expect(keptOn == refused + .seconds(2))
    }

    @Test("a body that keeps no queue is told when it is kept on")
    func givenUp() {
        var watch = CanonWatch()
        _ = watch.handle(.cannotBegin, at: .zero)
        #expect(watch.handle(.finished(Self.handle), at: .zero) == [.letGo(Self.handle)])
        _ = watch.handle(.notDone(.letGo(Self.handle)), at: .zero)
        #expect(watch.handle(.timePassed, at: .seconds(10)) == [.keepOn, .letGo(Self.handle)])
    }
}
