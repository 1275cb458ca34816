import Bridge
import PTP
import TestSupport
import Testing

@testable import Camera

/// What a Canon has to be told, until it has heard of it, event by event.
@Suite struct CanonOwedTests {
    private static let handle = ObjectHandle(rawValue: 0x5191_1B02)
    private static let other = ObjectHandle(rawValue: 0x5191_1B12)
    private static let reference = PhotoReference(handle)
    private static let toBoth = CanonEvent.propertyChanged(code: CanonDestination.property, value: 6)

    private static func object(_ handle: ObjectHandle = handle) -> CanonObject { CanonObject(handle: handle) }

    @Test(
        "what the body does not take back now it is told again, after a pause that grows, behind what else it is owed"
    )
    func owed() {
        var polled = owing()
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
        #expect(polled.tell(.done(.letGo(Self.handle))) == [.letGo(Self.other)])
        #expect(polled.tell(.done(.letGo(Self.other))).isEmpty && polled.watch.requested.isEmpty)
        #expect(polled.wait().isEmpty)
    }

    @Test(
        "a photo that is ours is let go of until the body has heard of it, and not when it is requested anew")
    func finished() {
        var polled = PolledCanon()
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.handle)])
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        #expect(polled.watch.wantedFromMemory.isEmpty && polled.watch.isOnlyInMemory(Self.handle))
        #expect(polled.wait() == [.letGo(Self.handle)])
        _ = polled.tell(.notDone(.letGo(Self.handle)))
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.wait().isEmpty && polled.watch.wantedFromMemory == [Self.handle])
    }

    /// Both lie on a card as well, and the body is being told of the first.
    private func owing() -> PolledCanon {
        var polled = PolledCanon()
        _ = polled.answer(.objectAdded(Self.object()), .objectAdded(Self.object(Self.other)))
        let asked = polled.answer(
            .transferRequested(Self.object()), .transferRequested(Self.object(Self.other)))
        #expect(asked == [.letGo(Self.handle)], "one at a time")
        return polled
    }

    @Test("that there is room on our disk is told until the body has heard of it, before anything else")
    func capacity() {
        var polled = owing()
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        #expect(polled.wait() == [.letGo(Self.other)])
        #expect(polled.tell(.notDone(.letGo(Self.other))).isEmpty)
        #expect(polled.answer(Self.toBoth).isEmpty, "the body is left in peace for a moment")
        for _ in 0..<3 {
            #expect(polled.wait() == [.tellCapacity])
            #expect(polled.tell(.notDone(.tellCapacity)).isEmpty)
        }
        #expect(polled.wait() == [.tellCapacity])
        // One that does it now may do the rest now.
        #expect(polled.tell(.done(.tellCapacity)) == [.letGo(Self.handle)])
        let refused = polled.now
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        #expect(polled.wait() == [.letGo(Self.other)])
        #expect(polled.now - refused <= .milliseconds(450), "the pause begins anew")
    }

    @Test(
        "a photo that is requested anew while the body is told to let go of it is kept, if that was refused")
    func requestedAnewAndRefused() {
        var polled = PolledCanon()
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.handle)])
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        #expect(polled.tell(.finished(Self.other)).isEmpty, "it is left in peace for a moment all the same")
        #expect(polled.wait() == [.letGo(Self.other)])
        #expect(polled.tell(.done(.letGo(Self.other))).isEmpty)
        #expect(polled.wait().isEmpty && polled.watch.wantedFromMemory == [Self.handle])
    }

    @Test(
        "a photo that is requested anew while the body is told to let go of it is fetched, if that was done")
    func requestedAnewAndDone() {
        var polled = PolledCanon()
        _ = polled.answer(.transferRequested(Self.object()))
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.handle)])
        #expect(polled.answer(.transferRequested(Self.object())) == [.tell(.added(Self.reference))])
        #expect(polled.tell(.done(.letGo(Self.handle))).isEmpty)
        #expect(polled.watch.wantedFromMemory == [Self.handle] && polled.watch.isOnlyInMemory(Self.handle))
        // And let go of once it is ours, too.
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.handle)])
        #expect(polled.tell(.done(.letGo(Self.handle))).isEmpty)
        #expect(polled.watch.requested.isEmpty && polled.wait().isEmpty)
    }

    @Test("a body that is being told to let go of a photo is not told of it twice, nor of one that is gone")
    func once() {
        var polled = owing()
        #expect(polled.tell(.finished(Self.handle)) == [.letGo(Self.other)])
        #expect(polled.tell(.finished(Self.other)).isEmpty && polled.wait().isEmpty)
        _ = polled.answer(.transferWithdrawn(Self.handle))
        #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
        #expect(polled.wait().isEmpty, "there is nothing to let go of")
    }

    @Test("what a body refuses for a minute it is told every ten seconds, until it does it")
    func seldom() {
        var polled = PolledCanon()
        _ = polled.answer(.transferRequested(Self.object()))
        var pauses: [Duration] = []
        var told = polled.tell(.finished(Self.handle))
        for _ in 0..<40 {
            #expect(told == [.letGo(Self.handle)])
            #expect(polled.tell(.notDone(.letGo(Self.handle))).isEmpty)
            let refused = polled.now
            told = polled.wait()
            pauses.append(polled.now - refused)
        }
        #expect(pauses.prefix(29).allSatisfy { $0 < .milliseconds(2300) }, "\(pauses)")
        #expect(pauses.prefix(29).reduce(.zero, +) > .seconds(50))
        #expect(pauses.dropFirst(29).allSatisfy { $0 >= .seconds(10) && $0 < .seconds(11) }, "\(pauses)")
        #expect(polled.tell(.done(.letGo(Self.handle))).isEmpty)
        _ = polled.tell(.finished(Self.other))
        #expect(polled.tell(.notDone(.letGo(Self.other))).isEmpty)
        let refused = polled.now
        #expect(polled.wait() == [.letGo(Self.other)] && polled.now - refused < .milliseconds(500))
    }

    @Test("a body that was not kept on is kept on two seconds later")
    func keptOn() {
        var polled = PolledCanon()
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

    @Test(
        "a body that refuses for good to be kept on is told as often as any, and one that refused once again soon"
    )
    func neverKeptOn() {
        var polled = PolledCanon()
        var told: [Duration] = []
        func pass(until end: Duration, _ isDone: Bool) {
            while polled.now < end {
                polled.now = polled.watch.nextDeadline ?? end
                let actions = polled.tell(.timePassed)
                if actions.contains(.keepOn) {
                    told.append(polled.now)
                    #expect(polled.tell(isDone ? .done(.keepOn) : .notDone(.keepOn)).isEmpty)
                }
                if actions.contains(.ask) { _ = polled.tell(.answered([])) }
            }
        }
        pass(until: .seconds(60), false)
        #expect(told == [10, 12, 14, 16, 26, 36, 46, 56].map { .seconds($0) })
        pass(until: .seconds(70), true)
        told = []
        pass(until: .seconds(80), false)
        #expect(told == [76, 78, 80].map { .seconds($0) })
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
