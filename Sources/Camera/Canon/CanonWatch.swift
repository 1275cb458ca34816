package import Bridge
package import PTP

/// When a Canon is asked for what is new, and what comes of its answers.
///
/// New photos stand in a queue that has to be asked for: "every 50–200 ms, adaptive; a round trip takes 48–200 ms". So it
/// is asked soon after there was something, less often while there is nothing, and seldom while a photo is fetched, which
/// each question would hold up.
package struct CanonWatch: Equatable, Sendable {
    package enum Happening: Equatable, Sendable {
        /// The body keeps its queue for us from now on.
        case began
        /// GetEvent was answered. An answer may have no record.
        case answered([CanonEvent])
        /// GetEvent was refused or not answered, and may be answered later.
        case notAnswered
        /// The body has pushed that there is something to ask for.
        case invited
        case fetchBegan
        case fetchEnded
        /// A photo that the body kept for us is ours, or not wanted.
        case transferDone(ObjectHandle)
        /// ``CanonWatch/nextDeadline`` has come.
        case timePassed
    }

    package enum Action: Equatable, Sendable {
        /// GetEvent. Its end has to be told.
        case ask
        /// Keeps the body from switching itself off.
        case keepOn
        /// The body writes to our disk: it is told that there is room.
        case tellCapacity
        case tell(CameraChange)
        /// Answers stay away that long that nothing new can be noticed this way.
        case giveUp
    }

    package enum State: Equatable, Sendable {
        /// The body keeps no queue for us. Left when it has begun to.
        case notBegun
        /// Nothing is under way. Left when the time has come to ask.
        case resting(until: Duration)
        /// GetEvent is under way. Left by its answer, or when there is none.
        case asking
        /// GetEvent was refused too often. Never left.
        case givenUp
    }

    package private(set) var state = State.notBegun
    /// Between two questions, as long as nothing happens.
    private var pause = Self.shortest
    private var askedAt = Duration.zero
    private var fetches = 0
    private var failures = 0
    private var keptOnAt = Duration.zero
    private var keepOnDue = Duration.zero
    private var destination: CanonDestination?
    /// Images that the body keeps in its memory until they are fetched.
    package private(set) var requested: [ObjectHandle: CanonObject] = [:]
    /// Those of them that lie on a card as well.
    private var requestedOnCard: Set<ObjectHandle> = []
    /// The last ones that were told to be on a card.
    private var recentlyAdded: [ObjectHandle] = []
    /// The true sizes of what ObjectInfo has no room for.
    private var largeSizes: [ObjectHandle: UInt64] = [:]

    package static let shortest = Duration.milliseconds(50)
    package static let longest = Duration.milliseconds(200)
    /// Between two questions while a photo is fetched.
    package static let whileFetching = Duration.seconds(2)
    /// "GP every 10 s."
    package static let keepOnEvery = Duration.seconds(10)
    /// A body whose timer changes because it was kept on would be kept on without end.
    private static let keepOnPause = Duration.seconds(2)
    private static let longestAfterFailure = Duration.seconds(1)
    /// With the pauses between them half a minute.
    private static let mostFailures = 30
    /// A body's memory holds some dozens.
    private static let mostRequested = 1024
    private static let mostRemembered = 256

    package init() {}

    package var nextDeadline: Duration? {
        switch state {
        case .notBegun, .givenUp, .asking: nil
        case .resting(let until): min(until, keepOnDue)
        }
    }

    /// Nothing of it lies on a card: it is gone once the body has been told that it was fetched.
    package func isOnlyInMemory(_ handle: ObjectHandle) -> Bool {
        requested[handle] != nil && !requestedOnCard.contains(handle)
    }

    package func largeSize(of handle: ObjectHandle) -> UInt64? { largeSizes[handle] }

    package mutating func handle(_ happening: Happening, at now: Duration) -> [Action] {
        switch happening {
        case .began: began(at: now)
        case .answered(let events): answered(events, at: now)
        case .notAnswered: notAnswered(at: now)
        case .invited: invited(at: now)
        case .fetchBegan: fetchBegan(at: now)
        case .fetchEnded: fetchEnded(at: now)
        case .transferDone(let handle): transferDone(handle)
        case .timePassed: timePassed(at: now)
        }
    }

    private mutating func began(at now: Duration) -> [Action] {
        guard state == .notBegun else { return [] }
        (keptOnAt, keepOnDue) = (now - Self.keepOnPause, now + Self.keepOnEvery)
        return ask(at: now)
    }

    private mutating func ask(at now: Duration) -> [Action] {
        state = .asking
        askedAt = now
        return [.ask]
    }

    private mutating func rest(_ pause: Duration, at now: Duration) {
        // What is new waits behind what is being fetched anyway.
        state = .resting(until: now + (fetches > 0 ? max(pause, Self.whileFetching) : pause))
    }

    private mutating func answered(_ events: [CanonEvent], at now: Duration) -> [Action] {
        guard state == .asking else { return [] }
        failures = 0
        pause = events.isEmpty ? min(pause * 3 / 2, Self.longest) : Self.shortest
        rest(pause, at: now)
        return note(events, at: now)
    }

    private mutating func notAnswered(at now: Duration) -> [Action] {
        guard state == .asking else { return [] }
        failures += 1
        guard failures < Self.mostFailures else {
            state = .givenUp
            return [.giveUp]
        }
        rest(min(Self.shortest * (1 << min(failures, 5)), Self.longestAfterFailure), at: now)
        return []
    }

    /// Invitations without end bring no more questions than news does.
    private mutating func invited(at now: Duration) -> [Action] {
        guard case .resting(let until) = state, fetches == 0 else { return [] }
        state = .resting(until: min(until, max(now, askedAt + Self.shortest)))
        return []
    }

    private mutating func fetchBegan(at now: Duration) -> [Action] {
        fetches += 1
        if case .resting(let until) = state {
            state = .resting(until: max(until, askedAt + Self.whileFetching))
        }
        return []
    }

    private mutating func fetchEnded(at now: Duration) -> [Action] {
        fetches -= 1
        if fetches == 0, case .resting = state {
            pause = Self.shortest
            state = .resting(until: min(now + pause, max(now, askedAt + pause)))
        }
        return []
    }

    private mutating func transferDone(_ handle: ObjectHandle) -> [Action] {
        requested[handle] = nil
        requestedOnCard.remove(handle)
        return []
    }

    private mutating func timePassed(at now: Duration) -> [Action] {
        guard case .resting(let until) = state else { return [] }
        var actions: [Action] = []
        if keepOnDue <= now { actions += keepOn(at: now) }
        if until <= now { actions += ask(at: now) }
        return actions
    }

    private mutating func keepOn(at now: Duration) -> [Action] {
        (keptOnAt, keepOnDue) = (now, now + Self.keepOnEvery)
        return [.keepOn]
    }

    // MARK: Records

    /// All of an answer is looked at before anything of it is told: a RAW and its JPEG come in one, and so may a file on
    /// the card and the request to fetch the same.
    private mutating func note(_ events: [CanonEvent], at now: Duration) -> [Action] {
        for event in events { remember(event) }
        var actions: [Action] = []
        for event in events {
            switch event {
            case .objectAdded(let object), .transferRequested(let object):
                let change = Action.tell(.added(PhotoReference(object.handle)))
                if !actions.contains(change) { actions.append(change) }
            case .objectInfoChanged(let handle), .objectContentChanged(let handle):
                actions.append(.tell(.changed(PhotoReference(handle))))
            case .objectRemoved(let handle), .transferWithdrawn(let handle):
                actions.append(.tell(.removed(PhotoReference(handle))))
            case .storeAdded, .storeRemoved:
                if actions.last != .tell(.cardsChanged) { actions.append(.tell(.cardsChanged)) }
            case .propertyChanged(CanonDestination.property, let value):
                actions += destined(value)
            case .shutdownTimer:
                keepOnDue = min(keepOnDue, max(now, keptOnAt + Self.keepOnPause))
            case .propertyChanged, .other, .tooShort: break
            }
        }
        return actions
    }

    private mutating func remember(_ event: CanonEvent) {
        switch event {
        case .objectAdded(let object):
            recentlyAdded.append(object.handle)
            if recentlyAdded.count > Self.mostRemembered { recentlyAdded.removeFirst() }
            if requested[object.handle] != nil { requestedOnCard.insert(object.handle) }
            remember(size: object)
        case .transferRequested(let object):
            guard requested.count < Self.mostRequested else { return }
            requested[object.handle] = object
            if recentlyAdded.contains(object.handle) { requestedOnCard.insert(object.handle) }
            remember(size: object)
        case .transferWithdrawn(let handle), .objectRemoved(let handle):
            _ = transferDone(handle)
            recentlyAdded.removeAll { $0 == handle }
            largeSizes[handle] = nil
        case .storeAdded, .storeRemoved:
            // The same handles mean other files on another card.
            recentlyAdded = []
            requestedOnCard = []
            largeSizes = [:]
        case .objectInfoChanged, .objectContentChanged, .propertyChanged, .shutdownTimer, .other, .tooShort:
            break
        }
    }

    private mutating func remember(size object: CanonObject) {
        guard let size = object.size, size >= UInt64(UInt32.max), largeSizes.count < Self.mostRemembered
        else {
            largeSizes[object.handle] = nil
            return
        }
        largeSizes[object.handle] = size
    }

    /// "Must be told whenever the destination includes the host, otherwise the camera thinks the host's disk is full."
    private mutating func destined(_ value: UInt32?) -> [Action] {
        guard let value else { return [] }
        let told = CanonDestination(rawValue: value)
        defer { destination = told }
        return told.includesHost && told != destination ? [.tellCapacity] : []
    }
}
