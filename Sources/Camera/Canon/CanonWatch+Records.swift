import Bridge
import PTP

/// What comes of the records of an answer.
extension CanonWatch {
    /// All of an answer is looked at before anything of it is told: a RAW and its JPEG come in one, and so may a file on
    /// the card and the request to fetch the same.
    mutating func note(_ events: [CanonEvent], at now: Duration) -> [Action] {
        for event in events { remember(event, at: now) }
        var actions: [Action] = []
        var added: Set<ObjectHandle> = []
        for event in events {
            switch event {
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
                actions += destined(value)
            case .shutdownTimer:
                keepOnDue = min(keepOnDue, max(now, keptOnAt + Self.keepOnPause))
            case .propertyChanged, .other, .tooShort: break
            }
        }
        return actions + freed(by: events)
    }

    /// What lies on a card does not need its place in the memory.
    private func freed(by events: [CanonEvent]) -> [Action] {
        let handles = events.compactMap { event -> ObjectHandle? in
            switch event {
            case .objectAdded(let object), .transferRequested(let object): object.handle
            case .objectInfoChanged, .objectContentChanged, .objectRemoved, .transferWithdrawn, .storeAdded,
                .storeRemoved, .propertyChanged, .shutdownTimer, .other, .tooShort:
                nil
            }
        }
        var actions: [Action] = []
        for handle in handles where requestedOnCard.contains(handle) {
            if !actions.contains(.letGo(handle)) { actions.append(.letGo(handle)) }
        }
        return actions
    }

    /// What should lie on a card and does not is had from the memory.
    mutating func missedOnCard(at now: Duration) -> [Action] {
        let missed = expectedOnCard.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
        for handle in missed { expectedOnCard[handle] = nil }
        return missed.map { .tell(.added(PhotoReference($0))) }
    }

    private mutating func remember(_ event: CanonEvent, at now: Duration) {
        switch event {
        case .objectAdded(let object):
            recentlyAdded.append(object.handle)
            if recentlyAdded.count > Self.mostRemembered { recentlyAdded.removeFirst() }
            if requested[object.handle] != nil { requestedOnCard.insert(object.handle) }
            expectedOnCard[object.handle] = nil
            remember(size: object)
        case .transferRequested(let object):
            guard requested.count < Self.mostRequested else { return }
            requested[object.handle] = object
            if recentlyAdded.contains(object.handle) {
                requestedOnCard.insert(object.handle)
            } else if destination?.includesCard == true {
                expectedOnCard[object.handle] = now + Self.cardRecordWithin
            }
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
