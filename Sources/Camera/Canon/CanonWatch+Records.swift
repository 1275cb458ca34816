import Bridge
import PTP

/// What comes of the records of an answer.
extension CanonWatch {
    /// All of an answer is looked at before anything of it is told: a RAW and its JPEG come in one, and so may a file on
    /// the card and the request to fetch the same.
    mutating func note(_ events: [CanonEvent], at now: Duration) -> [Action] {
        var late: Set<ObjectHandle> = []
        for event in events { remember(event, &late, at: now) }
        var actions: [Action] = []
        var added: Set<ObjectHandle> = []
        for event in events {
            switch event {
            // It was told when it lay in memory alone.
            case .objectAdded(let object) where late.contains(object.handle): break
            // It lies on a card, or should: it is told by its record from there.
            case .transferRequested(let object)
            where requestedOnCard.contains(object.handle) || expectedOnCard[object.handle] != nil:
                break
            case .objectAdded(let object), .transferRequested(let object):
                guard added.insert(object.handle).inserted else { continue }
                if added.count <= Self.mostTold {
                    actions.append(.tell(.added(PhotoReference(object.handle))))
                } else if added.count == Self.mostTold + 1 {
                    actions.append(.tell(.cardsChanged))
                }
            case .objectInfoChanged(let handle), .objectContentChanged(let handle):
                actions.append(.tell(.changed(PhotoReference(handle))))
            case .objectRemoved(let handle), .transferWithdrawn(let handle):
                actions.append(.tell(.removed(PhotoReference(handle))))
            case .storeAdded, .storeRemoved:
                if actions.last != .tell(.cardsChanged) { actions.append(.tell(.cardsChanged)) }
            case .propertyChanged(CanonDestination.property, let value):
                destined(value)
            case .shutdownTimer:
                keepOnDue = min(keepOnDue, max(now, keptOnAt + Self.keepOnPause))
            case .propertyChanged, .other, .tooShort: break
            }
        }
        free(events)
        return actions
    }

    /// What lies on a card does not need its place in the memory.
    private mutating func free(_ events: [CanonEvent]) {
        for event in events {
            switch event {
            case .objectAdded(let object), .transferRequested(let object):
                if requestedOnCard.contains(object.handle) { owed.add(.letGo(object.handle)) }
            case .objectInfoChanged, .objectContentChanged, .objectRemoved, .transferWithdrawn, .storeAdded,
                .storeRemoved, .propertyChanged, .shutdownTimer, .other, .tooShort:
                break
            }
        }
    }

    /// What should lie on a card and does not is had from the memory.
    mutating func missedOnCard(at now: Duration) -> [Action] {
        overdue = overdue.filter { now < $0.value.until }
        let missed = expectedOnCard.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
        for handle in missed { miss(handle, at: now) }
        return missed.map { .tell(.added(PhotoReference($0))) }
    }

    private mutating func miss(_ handle: ObjectHandle, at now: Duration) {
        expectedOnCard[handle] = nil
        overdue[handle] = requested[handle].map { Overdue(object: $0, until: now + Self.lateRecordWithin) }
    }

    /// A card may list a photo before there is a record of that. It is had from the memory then: offered as a photo on the
    /// card it would be fetched a second time when the record does not come in time.
    mutating func offered(_ handle: ObjectHandle, at now: Duration) -> [Action] {
        if expectedOnCard[handle] != nil { miss(handle, at: now) }
        return []
    }

    /// Whether that is the card's late record of a photo that was told to be in memory. It stays there until it is fetched:
    /// what comes of its bytes while the body is told to let go of it has not been seen.
    private mutating func isLate(_ object: CanonObject, at now: Duration) -> Bool {
        guard let known = overdue.removeValue(forKey: object.handle), now < known.until,
            known.object.mayBe(object)
        else { return false }
        return true
    }

    /// `late` are those whose records from the card have come late, in this answer.
    private mutating func remember(
        _ event: CanonEvent, _ late: inout Set<ObjectHandle>, at now: Duration
    ) {
        switch event {
        case .objectAdded(let object):
            recentlyAdded.append(object.handle)
            if recentlyAdded.count > Self.mostRemembered { recentlyAdded.removeFirst() }
            expectedOnCard[object.handle] = nil
            remember(size: object)
            if isLate(object, at: now) {
                noteLate(object.handle, at: now)
                late.insert(object.handle)
            } else if !late.contains(object.handle) {
                cameLate[object.handle] = nil
                if requested[object.handle] != nil { requestedOnCard.insert(object.handle) }
            }
        case .transferRequested(let object):
            // Whatever was under the handle before, this is to be fetched.
            forgetLate(object.handle)
            finished.remove(object.handle)
            owed.forget(object.handle)
            guard requested.count < Self.mostRequested else { return }
            requested[object.handle] = object
            if recentlyAdded.contains(object.handle) {
                requestedOnCard.insert(object.handle)
            } else if destination?.includesCard == true {
                expectedOnCard[object.handle] = now + Self.cardRecordWithin
            }
            remember(size: object)
        case .transferWithdrawn(let handle), .objectRemoved(let handle):
            forgetRequest(handle)
            forgetLate(handle)
            recentlyAdded.removeAll { $0 == handle }
            largeSizes[handle] = nil
        case .storeAdded, .storeRemoved:
            // The same handles mean other files on another card.
            recentlyAdded = []
            requestedOnCard = []
            (overdue, cameLate) = ([:], [:])
            largeSizes = [:]
        // What is on the card is not what came.
        case .objectContentChanged(let handle): forgetLate(handle)
        case .objectInfoChanged, .propertyChanged, .shutdownTimer, .other, .tooShort:
            break
        }
    }

    /// Where there are more, the oldest is forgotten: the list of the card may have that photo once more.
    private mutating func noteLate(_ handle: ObjectHandle, at now: Duration) {
        cameLate[handle] = now
        while cameLate.count > Self.mostLate,
            let oldest = cameLate.min(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) })
        {
            cameLate[oldest.key] = nil
        }
    }

    private mutating func forgetLate(_ handle: ObjectHandle) {
        overdue[handle] = nil
        cameLate[handle] = nil
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
    private mutating func destined(_ value: UInt32?) {
        guard let value else { return }
        let told = CanonDestination(rawValue: value)
        defer { destination = told }
        if told.includesHost, told != destination { owed.add(.tellCapacity) }
    }
}

/// A photo in memory that should lie on a card as well.
struct Overdue: Equatable, Sendable {
    let object: CanonObject
    /// A record from the card is its until then.
    let until: Duration
}

extension CanonObject {
    /// Nothing that both say speaks against it.
    fileprivate func mayBe(_ other: CanonObject) -> Bool {
        if let name, let othersName = other.name, name != othersName { return false }
        if let size, let othersSize = other.size, size != othersSize { return false }
        return true
    }
}

extension CanonEvent {
    /// Whether anything comes of it here.
    var concernsPhotos: Bool {
        switch self {
        case .objectAdded, .transferRequested, .transferWithdrawn, .objectRemoved, .objectInfoChanged,
            .objectContentChanged, .storeAdded, .storeRemoved, .shutdownTimer:
            true
        case .propertyChanged(let code, _): code == CanonDestination.property
        case .other, .tooShort: false
        }
    }
}
