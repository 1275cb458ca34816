import Bridge
import Camera
import PTP
import TestSupport
import Testing

/// When a Canon is asked for what is new, event by event.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonWatchTests {
    private static let raw = CanonObject(handle: ObjectHandle(rawValue: 0x5191_1B01))
    private static let jpeg = CanonObject(handle: ObjectHandle(rawValue: 0x5191_1B02))

    private func added(_ object: CanonObject) -> CanonWatch.Action {
        .tell(.added(PhotoReference(object.handle)))
    }

    /// One that is idle, and the time.
    private func idle() -> (CanonWatch, Duration) {
        var watch = CanonWatch()
        var now = Duration.zero
        #expect(watch.handle(.began, at: now) == [.ask])
        for _ in 0..<6 {
            #expect(watch.handle(.answered([]), at: now) == [])
            now = watch.nextDeadline ?? now
            #expect(watch.handle(.timePassed, at: now) == [.ask])
        }
        #expect(watch.handle(.answered([]), at: now) == [])
        return (watch, now)
    }

    @Test("it asks every 50 ms where there is something, and every 200 ms where there is nothing")
    func pace() {
        var (watch, now) = idle()
        #expect(watch.nextDeadline == now + .milliseconds(200))
        now += .milliseconds(200)
        _ = watch.handle(.timePassed, at: now)
        #expect(watch.handle(.answered([.objectAdded(Self.jpeg)]), at: now) == [added(Self.jpeg)])
        #expect(watch.nextDeadline == now + .milliseconds(50))
        var pauses: [Duration] = []
        for _ in 0..<6 {
            now = watch.nextDeadline ?? now
            _ = watch.handle(.timePassed, at: now)
            _ = watch.handle(.answered([]), at: now)
            pauses.append((watch.nextDeadline ?? now) - now)
        }
        #expect(pauses == pauses.sorted() && pauses.last == .milliseconds(200))
        #expect(pauses.allSatisfy { $0 >= .milliseconds(50) && $0 <= .milliseconds(200) })
    }

    @Test(
        "an answer that no body would give is told as far as it may be true, sends to the card for the rest, and leaves time for other work"
    )
    func flood() {
        var (watch, now) = idle()
        now = watch.nextDeadline ?? now
        #expect(watch.handle(.timePassed, at: now).contains(.ask))
        let count = CanonWatch.mostAtPace + 1
        let added = (1...UInt32(count)).map {
            CanonEvent.objectAdded(CanonObject(handle: ObjectHandle(rawValue: $0)))
        }
        let told = watch.handle(.answered(added + added), at: now)
        #expect(told.count == CanonWatch.mostTold + 1 && told.last == .tell(.cardsChanged))
        #expect(told.first == .tell(.added(PhotoReference(ObjectHandle(rawValue: 1)))))
        #expect(watch.state == .resting(until: now + CanonWatch.whileFetching))
    }

    @Test("while GetEvent is under way nothing is due, and before event mode is on nothing is asked")
    func oneAtATime() {
        var watch = CanonWatch()
        #expect(watch.nextDeadline == nil)
        #expect(watch.handle(.timePassed, at: .seconds(9)) == [])
        #expect(watch.handle(.began, at: .zero) == [.ask])
        #expect(watch.nextDeadline == nil)
        #expect(watch.handle(.timePassed, at: .seconds(9)) == [])
        #expect(watch.handle(.began, at: .zero) == [], "it has begun")
    }

    @Test("a fetch puts the next question off, and its end brings it")
    func yields() {
        var (watch, now) = idle()
        let asked = now
        now += .milliseconds(10)
        _ = watch.handle(.fetchBegan, at: now)
        #expect(watch.nextDeadline == asked + CanonWatch.whileFetching)
        now = asked + CanonWatch.whileFetching
        #expect(watch.handle(.timePassed, at: now) == [.ask], "photos are noticed in long fetches, too")
        _ = watch.handle(.fetchBegan, at: now)
        _ = watch.handle(.answered([]), at: now)
        #expect(watch.nextDeadline == now + CanonWatch.whileFetching)
        _ = watch.handle(.fetchEnded, at: now + .milliseconds(300))
        #expect(watch.nextDeadline == now + CanonWatch.whileFetching, "another one goes on")
        now += .milliseconds(400)
        _ = watch.handle(.fetchEnded, at: now)
        #expect(watch.nextDeadline.map { $0 <= now + .milliseconds(50) } == true)
    }

    @Test("a body that invites to ask is asked at once, and not without a pause")
    func invited() {
        var (watch, now) = idle()
        let asked = now
        _ = watch.handle(.invited, at: now + .milliseconds(10))
        #expect(watch.nextDeadline == asked + .milliseconds(50))
        now += .milliseconds(120)
        _ = watch.handle(.timePassed, at: now)
        _ = watch.handle(.answered([]), at: now)
        _ = watch.handle(.invited, at: now + .milliseconds(110))
        #expect(watch.nextDeadline == now + .milliseconds(110))
    }

    @Test("a RAW and its JPEG in one answer are both told, a file twice in one answer once")
    func pair() {
        var (watch, now) = idle()
        now += .milliseconds(200)
        _ = watch.handle(.timePassed, at: now)
        let events: [CanonEvent] = [.objectAdded(Self.raw), .objectAdded(Self.jpeg), .objectAdded(Self.raw)]
        #expect(watch.handle(.answered(events), at: now) == [added(Self.raw), added(Self.jpeg)])
    }

    @Test(
        "what waits in memory is only there until it is told to be done with, withdrawn or on a card as well")
    func memory() {
        var (watch, now) = idle()
        func answer(_ events: CanonEvent...) -> [CanonWatch.Action] {
            now = watch.nextDeadline ?? now
            _ = watch.handle(.timePassed, at: now)
            return watch.handle(.answered(events), at: now)
        }
        let (handle, other) = (Self.jpeg.handle, Self.raw.handle)
        #expect(answer(.transferRequested(Self.jpeg)) == [added(Self.jpeg)])
        #expect(watch.isOnlyInMemory(handle) && !watch.isOnlyInMemory(other))
        #expect(answer(.transferWithdrawn(handle)) == [.tell(.removed(PhotoReference(handle)))])
        #expect(!watch.isOnlyInMemory(handle))
        _ = answer(.transferRequested(Self.jpeg))
        #expect(watch.handle(.finished(handle), at: now) == [.letGo(handle)])
        _ = watch.handle(.done(.letGo(handle)), at: now)
        #expect(watch.requested.isEmpty)
        // On the card as well, in either order.
        #expect(
            answer(.objectAdded(Self.raw), .transferRequested(Self.raw)) == [added(Self.raw), .letGo(other)])
        #expect(watch.requested[other] != nil && !watch.isOnlyInMemory(other))
        _ = answer(.transferRequested(Self.jpeg), .objectAdded(Self.jpeg))
        #expect(watch.requested[handle] != nil && !watch.isOnlyInMemory(handle))
    }

    @Test("what goes to the card and to the host is told once, and its place in memory is free, in any order")
    func both() {
        let (handle, reference) = (Self.jpeg.handle, PhotoReference(Self.jpeg.handle))
        let toBoth = CanonEvent.propertyChanged(code: CanonDestination.property, value: 6)
        let orders: [[[CanonEvent]]] = [
            [[.objectAdded(Self.jpeg), .transferRequested(Self.jpeg)]],
            [[.transferRequested(Self.jpeg), .objectAdded(Self.jpeg)]],
            [[.objectAdded(Self.jpeg)], [.transferRequested(Self.jpeg)]],
            [[.transferRequested(Self.jpeg)], [.objectAdded(Self.jpeg)]],
        ]
        for order in orders {
            var (watch, now) = idle()
            var actions: [CanonWatch.Action] = []
            for events in [[toBoth]] + order {
                now = watch.nextDeadline ?? now
                _ = watch.handle(.timePassed, at: now)
                actions += watch.handle(.answered(events), at: now)
                #expect(!watch.isOnlyInMemory(handle))
            }
            #expect(actions == [.tellCapacity, .tell(.added(reference)), .letGo(handle)], "\(order)")
            _ = watch.handle(.done(.letGo(handle)), at: now)
            #expect(watch.requested.isEmpty)
        }
    }

    @Test("what should lie on the card and does not is had from the memory, after a moment")
    func notOnCard() {
        var (watch, now) = idle()
        func answer(_ events: CanonEvent...) -> [CanonWatch.Action] {
            now = watch.nextDeadline ?? now
            _ = watch.handle(.timePassed, at: now)
            return watch.handle(.answered(events), at: now)
        }
        _ = answer(.propertyChanged(code: CanonDestination.property, value: 6))
        #expect(answer(.transferRequested(Self.jpeg)).isEmpty)
        let asked = now
        var told: [CanonWatch.Action] = []
        while told.isEmpty, now < asked + .seconds(10) { told = answer() }
        #expect(told == [added(Self.jpeg)] && watch.isOnlyInMemory(Self.jpeg.handle))
        #expect(now >= asked + CanonWatch.cardRecordWithin && now < asked + .seconds(4))
    }

    @Test("another card, another content and another description are told as what they are")
    func changes() {
        var (watch, now) = idle()
        now += .milliseconds(200)
        _ = watch.handle(.timePassed, at: now)
        let reference = PhotoReference(Self.jpeg.handle)
        #expect(
            watch.handle(
                .answered([
                    .storeRemoved(.firstSlot), .storeAdded(.firstSlot), .objectRemoved(Self.jpeg.handle),
                    .objectContentChanged(Self.jpeg.handle), .other, .tooShort,
                    .propertyChanged(code: 0xD101, value: 3),
                ]), at: now) == [
                    .tell(.cardsChanged), .tell(.removed(reference)), .tell(.changed(reference)),
                ])
    }

    @Test(
        "the body is told of our disk whenever its photos begin to go there, and not again before they stop to"
    )
    func capacity() {
        var (watch, now) = idle()
        var told: [Bool] = []
        for destination in [2, 4, 4, 6, 2, 4] as [UInt32] {
            now = watch.nextDeadline ?? now
            _ = watch.handle(.timePassed, at: now)
            let events = [CanonEvent.propertyChanged(code: 0xD11C, value: destination)]
            told.append(watch.handle(.answered(events), at: now) == [.tellCapacity])
        }
        #expect(told == [false, true, false, true, false, true])
    }

    @Test(
        "it is kept on every ten seconds, at once when it says that its timer runs, and not for ever for that"
    )
    func keptOn() {
        var watch = CanonWatch()
        var now = Duration.zero
        var keptOn: [Duration] = []
        func run(until end: Duration, telling events: [CanonEvent]) {
            while now < end {
                for action in watch.handle(.timePassed, at: now) {
                    if action == .keepOn { keptOn.append(now) }
                    if action == .ask { _ = watch.handle(.answered(events), at: now) }
                }
                now = watch.nextDeadline ?? end
            }
        }
        _ = watch.handle(.began, at: .zero)
        _ = watch.handle(.answered([]), at: .zero)
        run(until: .seconds(35), telling: [])
        #expect(keptOn == [.seconds(10), .seconds(20), .seconds(30)])
        keptOn = []
        run(until: .seconds(45), telling: [.shutdownTimer])
        #expect((4...6).contains(keptOn.count), "every two seconds: \(keptOn)")
    }

    @Test("refusals make the pause longer; after half a minute of them it gives up, once")
    func failures() {
        var (watch, now) = idle()
        let began = now
        var hasGivenUp = false
        while !hasGivenUp, let next = watch.nextDeadline, next < began + .seconds(120) {
            now = next
            for action in watch.handle(.timePassed, at: now) where action == .ask {
                hasGivenUp = watch.handle(.notAnswered, at: now) == [.giveUp]
            }
        }
        #expect(hasGivenUp)
        #expect(now - began > .seconds(20) && now - began < .seconds(60))
        // What is new is found by listing; the body is kept on all the same, and asked nothing else.
        for _ in 0..<3 {
            let next = watch.nextDeadline ?? .zero
            #expect(next > now && next <= now + CanonWatch.keepOnEvery)
            now = next
            #expect(watch.handle(.timePassed, at: now) == [.keepOn])
        }
        #expect(watch.handle(.fetchBegan, at: now) == [] && watch.handle(.fetchEnded, at: now) == [])
    }

    @Test("a body that keeps no queue for us is kept on")
    func refusesEventMode() {
        var watch = CanonWatch()
        #expect(watch.handle(.cannotBegin, at: .seconds(5)) == [])
        #expect(watch.nextDeadline == .seconds(15))
        #expect(watch.handle(.timePassed, at: .seconds(14)) == [])
        #expect(watch.handle(.timePassed, at: .seconds(15)) == [.keepOn])
        #expect(watch.handle(.began, at: .seconds(16)) == [])
    }

    @Test("a refusal in between costs a moment")
    func oneFailure() {
        var (watch, now) = idle()
        now += .milliseconds(200)
        _ = watch.handle(.timePassed, at: now)
        #expect(watch.handle(.notAnswered, at: now) == [])
        #expect(watch.nextDeadline.map { $0 <= now + .milliseconds(200) } == true)
    }

    @Test("a size that ObjectInfo has no room for is remembered, as long as the card is in")
    func largeSizes() {
        var (watch, now) = idle()
        var film = Self.raw
        film.size = 5 << 30
        for events in [[CanonEvent.objectAdded(film)], [.storeRemoved(.firstSlot)]] {
            now = watch.nextDeadline ?? now
            _ = watch.handle(.timePassed, at: now)
            _ = watch.handle(.answered(events), at: now)
            #expect(watch.largeSize(of: film.handle) == (events == [.objectAdded(film)] ? 5 << 30 : nil))
        }
    }
}
