package import PTP

/// What the body answers, tells and refuses.
extension SonyQueue {
    /// The body's properties have come.
    package mutating func polled(_ waiting: SonyShotsWaiting, at now: Duration) -> [News] {
        self.waiting = waiting
        lastPoll = now
        failedPolls = 0
        denials = waiting.isNone ? denials + 1 : 0
        if !waiting.isNone { lastNews = now }
        var news: [News] = []
        switch state {
        case .empty, .preparing, .ready:
            state = waiting.isReady ? .ready : waiting.isNone ? .empty : .preparing
            if waiting.isNone { refusedPhotos = 0 }
        case .offered(let shot) where denials >= Self.denialsThatTell:
            news = lose(shot, after: 0)
        case .unwanted(let shot) where denials >= Self.denialsThatTell:
            news = lose(shot, after: 0)
        case .brokenOff(let shot, let received) where waiting.isNone:
            // It has nothing left, and so not this one either.
            news = lose(shot, after: received)
        // What was told stays told until it is read: the count may be that of a moment before.
        case .offered, .unwanted, .reading, .given, .brokenOff: break
        }
        pollDue = now + interval(at: now)
        return news
    }

    private mutating func lose(_ shot: SonyShot, after received: UInt64) -> [News] {
        state = .empty
        refusedPhotos = 0
        return isWanted(shot) ? [.lost(shot, received: received)] : []
    }

    /// The properties did not come; the connection stands. `hasAnswered`: with a refusal, or with what makes no sense.
    package mutating func notPolled(hasAnswered: Bool = true, at now: Duration) {
        lastPoll = now
        pollDue = now + max(Self.usual, interval(at: now))
        if hasAnswered { failedPolls += 1 }
    }

    /// It says that its memory is full: "drain it". The oldest photo of a full memory is ready, and is asked for without
    /// waiting for the properties, which may be refused like everything else.
    package mutating func isFull(at now: Duration) {
        waiting = SonyShotsWaiting(rawValue: 0x8001)
        lastNews = now
        denials = 0
        switch state {
        case .empty, .preparing: state = .ready
        case .ready, .offered, .unwanted, .reading, .given, .brokenOff: break
        }
    }

    /// The body has told something by itself: its properties say what.
    package mutating func told(_ code: EventCode, at now: Duration) {
        if code == .sonyObjectAdded, state == .empty, waiting.isNone { tellsByItself = true }
        let isShot = code == .sonyObjectAdded || code == .sonyCaptured
        if isShot { lastNews = now }
        let pause = isShot ? Self.leastAfterShot : Self.leastAfterChange
        pollDue = min(pollDue, max(now, (lastPoll ?? now) + pause))
    }

    /// What the oldest photo is.
    package mutating func described(_ info: ObjectInfo, at now: Duration) -> [News] {
        switch state {
        case .ready:
            refusedPhotos = 0
            return offer(info)
        case .brokenOff(let shot, let received):
            guard shot.isSame(as: info) else { return lose(shot, after: received) + offer(info) }
            denials = 0
            guard isWanted(shot) else {
                state = .unwanted(shot)
                return []
            }
            state = .offered(shot)
            return [.added(shot.reference)]
        // Asked for by another caller, or too late.
        case .empty, .preparing, .offered, .unwanted, .reading, .given:
            return []
        }
    }

    private mutating func offer(_ info: ObjectInfo) -> [News] {
        arrivals += 1
        denials = 0
        let shot = SonyShot(arrival: arrivals, info: info)
        state = .offered(shot)
        return [.added(shot.reference)]
    }

    /// It would not say what the oldest photo is, or would not give one that is not wanted.
    package mutating func refused(hasAnswered: Bool = true, at now: Duration) {
        if hasAnswered { refusedPhotos += 1 }
        describeDue = now + (refusedPhotos <= Self.quickRefusals ? Self.notDescribed : Self.stillRefused)
        pollDue = min(pollDue, now + Self.notDescribed)
    }

    /// It has refused that often in a row that this connection brings nothing more.
    package var refusesForGood: Bool {
        failedPolls >= Self.mostFailures || refusedPhotos >= Self.mostFailures
    }

    /// What is offered may have got its size meanwhile.
    package mutating func describedAgain(_ info: ObjectInfo) {
        guard case .offered(var shot) = state, shot.isSame(as: info, apartFromSize: true) else { return }
        shot.info = info
        state = .offered(shot)
    }
}
