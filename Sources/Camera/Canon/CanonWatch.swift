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
        /// It will keep none.
        case cannotBegin
        /// GetEvent was answered. An answer may have no record.
        case answered([CanonEvent])
        /// GetEvent was refused or not answered, and may be answered later.
        case notAnswered
        /// The body has pushed that there is something to ask for.
        case invited
        case fetchBegan
        case fetchEnded
        /// A photo was found in a list and is about to be offered.
        case offered(ObjectHandle)
        /// A photo that the body keeps for us is ours, or not wanted: it may have the place in its memory back.
        case finished(ObjectHandle)
        /// The body did what it was told, or there is nothing that it could do.
        case done(Action)
        /// It did not do it now, and is told again.
        case notDone(Action)
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
        /// The body may have a place in its memory back. Its end has to be told.
        case letGo(ObjectHandle)
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
        /// The body keeps no queue, or has refused GetEvent too often: it is kept on, and nothing else. Never left.
        case givenUp
    }

    package private(set) var state = State.notBegun
    /// Between two questions, as long as nothing happens.
    private var pace = PollPace(at: .zero)
    private var askedAt = Duration.zero
    private var fetches = 0
    private var failures = 0
    var keptOnAt = Duration.zero
    var keepOnDue = Duration.zero
    /// In a row, of being kept on.
    private var keepOnRefusals = 0
    var destination: CanonDestination?
    /// What the body has to be told, and has not done yet.
    var owed = CanonOwed()
    /// Images that the body keeps in its memory until they are fetched, and until it has been told that they were.
    package internal(set) var requested: [ObjectHandle: CanonObject] = [:]
    /// Those of them that are ours, or not wanted.
    var finished: Set<ObjectHandle> = []
    /// Those of them that lie on a card as well.
    var requestedOnCard: Set<ObjectHandle> = []
    /// Those that should: until then their record from the card is waited for.
    var expectedOnCard: [ObjectHandle: Duration] = [:]
    /// Those for which it did not come in time, and that were told to be in memory: it may come all the same.
    var overdue: [ObjectHandle: Overdue] = [:]
    /// Those for which it came late, and when: what lies on the card under the handle is no other photo.
    var cameLate: [ObjectHandle: Duration] = [:]
    /// The last ones that were told to be on a card.
    var recentlyAdded: [ObjectHandle] = []
    /// The true sizes of what ObjectInfo has no room for.
    var largeSizes: [ObjectHandle: UInt64] = [:]

    private static let shortest = PollPace.Settings().shortest
    /// Between two questions while a photo is fetched.
    package static let whileFetching = Duration.seconds(2)
    /// More than a body tells at once, all its settings included.
    package static let mostAtPace = 4096
    /// "GP every 10 s."
    package static let keepOnEvery = Duration.seconds(10)
    /// A body whose timer changes because it was kept on would be kept on without end.
    static let keepOnPause = Duration.seconds(2)
    /// One that refuses to be kept on is told again after that pause so many times in a row, and then when it is due.
    static let mostKeepOnRefusals = 3
    private static let longestAfterFailure = Duration.seconds(1)
    /// With the pauses between them half a minute.
    private static let mostFailures = 30
    /// A body's memory holds some dozens.
    static let mostRequested = 1024
    static let mostRemembered = 256
    /// More than a folder of a card has files.
    static let mostLate = 10_000
    /// The record from the card comes in the same answer, or in one of the next.
    package static let cardRecordWithin = Duration.seconds(3)
    /// Longer than any card takes for a photo. After that a record under the same handle is another photo's.
    package static let lateRecordWithin = Duration.seconds(60)
    /// New photos in one answer. Where there are more, the card is listed.
    package static let mostTold = 1024

    package init() {}

    package var nextDeadline: Duration? {
        switch state {
        case .notBegun, .asking: nil
        case .givenUp: keepOnDue
        case .resting(let until): min(until, keepOnDue)
        }
    }

    /// Nothing of it lies on a card: it is gone once the body has been told that it was fetched.
    package func isOnlyInMemory(_ handle: ObjectHandle) -> Bool {
        requested[handle] != nil && !requestedOnCard.contains(handle) && expectedOnCard[handle] == nil
    }

    /// What is only there and is still to be fetched.
    package var wantedFromMemory: [ObjectHandle] {
        requested.keys.filter { isOnlyInMemory($0) && !finished.contains($0) }.sorted {
            $0.rawValue < $1.rawValue
        }
    }

    /// It came out of the memory, which is free again: the same photo on the card is not to come a second time.
    package func cameFromMemory(_ handle: ObjectHandle) -> Bool {
        requested[handle] == nil && (cameLate[handle] != nil || overdue[handle] != nil)
    }

    /// It is ours, and the body has still to hear of it: what lies on the card under the handle is no other photo.
    package func isOurs(_ handle: ObjectHandle) -> Bool {
        finished.contains(handle) && !requestedOnCard.contains(handle)
    }

    /// A photo was told under one handle both from its memory and from a card.
    var hasOneHandleForTwo: Bool { !requestedOnCard.isEmpty || !cameLate.isEmpty }

    package func largeSize(of handle: ObjectHandle) -> UInt64? { largeSizes[handle] }

    package mutating func handle(_ happening: Happening, at now: Duration) -> [Action] {
        switch happening {
        case .began: began(at: now)
        case .cannotBegin: cannotBegin(at: now)
        case .answered(let events): answered(events, at: now)
        case .notAnswered: notAnswered(at: now)
        case .invited: invited(at: now)
        case .fetchBegan: fetchBegan(at: now)
        case .fetchEnded: fetchEnded(at: now)
        case .offered(let handle): offered(handle, at: now)
        case .finished(let handle): finished(handle, at: now)
        case .done(let action): done(action, at: now)
        case .notDone(let action): notDone(action, at: now)
        case .timePassed: timePassed(at: now)
        }
    }

    private mutating func began(at now: Duration) -> [Action] {
        guard state == .notBegun else { return [] }
        (keptOnAt, keepOnDue) = (now - Self.keepOnPause, now + Self.keepOnEvery)
        return ask(at: now)
    }

    private mutating func cannotBegin(at now: Duration) -> [Action] {
        guard state == .notBegun else { return [] }
        (state, keepOnDue) = (.givenUp, now + Self.keepOnEvery)
        return []
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
        pace.answered(events.isEmpty ? .nothing : .news, at: now)
        // To read such an answer takes its time, and photos are to be fetched between two of them.
        rest(events.count > Self.mostAtPace ? Self.whileFetching : pace.next - now, at: now)
        return note(events, at: now) + missedOnCard(at: now) + owed.next(at: now)
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
            pace.hint(at: now)
            state = .resting(until: max(now, askedAt + Self.shortest))
        }
        return []
    }

    // MARK: What the body has to be told

    private mutating func finished(_ handle: ObjectHandle, at now: Duration) -> [Action] {
        if requested[handle] != nil { finished.insert(handle) }
        owed.add(.letGo(handle))
        return owed.next(at: now)
    }

    private mutating func done(_ action: Action, at now: Duration) -> [Action] {
        switch action {
        case .letGo(let handle):
            if owed.done(action) { forgetRequest(handle) }
            return owed.next(at: now)
        case .tellCapacity:
            _ = owed.done(action)
            return owed.next(at: now)
        case .keepOn:
            keepOnRefusals = 0
            return []
        case .ask, .tell, .giveUp: return []
        }
    }

    mutating func forgetRequest(_ handle: ObjectHandle) {
        requested[handle] = nil
        finished.remove(handle)
        requestedOnCard.remove(handle)
        expectedOnCard[handle] = nil
        owed.forget(handle)
    }

    private mutating func notDone(_ action: Action, at now: Duration) -> [Action] {
        switch action {
        case .keepOn:
            keepOnRefusals += 1
            guard keepOnRefusals <= Self.mostKeepOnRefusals else { return [] }
            keepOnDue = min(keepOnDue, now + Self.keepOnPause)
        case .letGo, .tellCapacity: owed.notDone(action, at: now)
        case .ask, .tell, .giveUp: break
        }
        return []
    }

    private mutating func timePassed(at now: Duration) -> [Action] {
        switch state {
        case .notBegun, .asking: return []
        case .givenUp: return keepOnDue <= now ? keepOn(at: now) + owed.next(at: now) : []
        case .resting(let until):
            let kept = keepOnDue <= now ? keepOn(at: now) : []
            return until <= now ? kept + ask(at: now) : kept
        }
    }

    private mutating func keepOn(at now: Duration) -> [Action] {
        (keptOnAt, keepOnDue) = (now, now + Self.keepOnEvery)
        return [.keepOn]
    }
}
