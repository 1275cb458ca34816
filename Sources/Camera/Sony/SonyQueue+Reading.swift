package import Bridge
import PTP

/// What is done with the oldest photo.
extension SonyQueue {
    /// Whether its bytes can be asked for now.
    package mutating func begin(_ reference: PhotoReference) -> Bool {
        switch state {
        case .offered(let shot), .unwanted(let shot):
            guard shot.reference == reference else { return false }
            state = .reading(shot)
            return true
        case .empty, .preparing, .ready, .reading, .given, .brokenOff: return false
        }
    }

    /// Why ``begin(_:)`` said no. What was given away once is not to be had again, so it is let go of.
    package mutating func absence(of reference: PhotoReference, at now: Duration) -> Absence {
        switch state {
        case .brokenOff(let shot, _) where shot.reference == reference:
            return .notSaidYet
        case .given(let shot) where shot.reference == reference:
            (state, pollDue, describeDue) = (.empty, now, now)
            return .givenAway
        case .empty, .preparing, .ready, .offered, .unwanted, .reading, .given, .brokenOff:
            return .notThere
        }
    }

    /// All of it has come.
    package mutating func gaveAll(at now: Duration) {
        guard case .reading(let shot) = state else { return }
        refusedPhotos = 0
        lastNews = now
        if isWanted(shot) {
            state = .given(shot)
            pollDue = now + interval(at: now)
        } else {
            (state, pollDue, describeDue) = (.empty, now, now)
        }
    }

    /// Not a byte of it has come, and the body still has it.
    package mutating func gaveNothing(at now: Duration) {
        guard case .reading(let shot) = state else { return }
        denials = 0
        if isWanted(shot) {
            (state, pollDue) = (.offered(shot), now)
        } else {
            state = .unwanted(shot)
            refused(at: now)
        }
    }

    /// The body says that there is no such photo: it is asked what it has now, before anything else is.
    package mutating func saysItIsGone(at now: Duration) {
        guard case .reading(let shot) = state else { return }
        state = .brokenOff(shot, received: 0)
        refused(at: now)
        (waiting, pollDue) = (.none, now)
    }

    /// The same in the middle of its bytes.
    package mutating func brokeOff(after received: UInt64, at now: Duration) {
        guard case .reading(let shot) = state else { return }
        state = .brokenOff(shot, received: received)
        (waiting, pollDue, describeDue) = (.none, now, now)
    }

    /// It is durable, or is not wanted. Another one's turn comes, as soon as this one has been read.
    package mutating func release(_ reference: PhotoReference, at now: Duration) {
        switch state {
        case .given(let shot) where shot.reference == reference:
            (state, pollDue, describeDue) = (.empty, now, now)
        case .offered(let shot) where shot.reference == reference:
            passedOver = shot.arrival
            (state, describeDue) = (.unwanted(shot), now)
            if !waiting.isReady { pollDue = now }
        case .brokenOff(let shot, _) where shot.reference == reference:
            passedOver = shot.arrival
        case .empty, .preparing, .ready, .offered, .unwanted, .reading, .given, .brokenOff: break
        }
    }
}
