package import Bridge
package import PTP

/// What waits in the memory of a Sony body in remote mode, and when to ask for it.
///
/// A body gives its photos one by one under one handle, the oldest first, and "reading consumes". So one photo at a time
/// is known here: it is asked for when the body says that it is ready, told, read, and let go of when it is durable; only
/// then is the next one asked for. Which of what happens comes first is not certain: the body's notices come on another
/// link than its answers, the photo is read while the body goes on shooting, and a connection may end in the middle.
package struct SonyQueue: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// As far as is known nothing waits. Left when the body says that there is a photo.
        case empty
        /// The body has a photo that is not ready: asking for it now has made bodies hang. Left when it is ready, or
        /// gone.
        case preparing
        /// It is ready and has not said what it is. Left when it has, or when the body takes that back.
        case ready
        /// It has been told and is waited for. Left by reading it, or because it is not wanted.
        case offered(SonyShot)
        /// It is not wanted: it is read and thrown away, because what lies behind it cannot be had before. Left when
        /// that is done.
        case unwanted(SonyShot)
        /// Its bytes are coming. Left when they have all come, or none more will.
        case reading(SonyShot)
        /// The body has given all of it away, and it is not durable yet. Left when it is.
        case given(SonyShot)
        /// Its bytes have stopped coming in the middle. Left when the body says what is the oldest now: the same photo
        /// is offered again, another one means that this one is lost.
        case brokenOff(SonyShot, received: UInt64)
    }

    package enum Step: Equatable, Sendable {
        /// Ask for the properties.
        case poll
        /// Ask what the oldest photo is.
        case describe
        /// Read the oldest photo and throw it away.
        case discard(SonyShot)
        /// Nothing until then, or until something happens.
        case wait(until: Duration)
    }

    package enum News: Equatable, Sendable {
        case added(PhotoReference)
        case lost(SonyShot, received: UInt64)
    }

    package private(set) var state = State.empty
    /// What the body said last.
    package private(set) var waiting = SonyShotsWaiting.none
    private var pollDue: Duration = .zero
    private var describeDue: Duration = .zero
    private var lastNews: Duration?
    private var lastPoll: Duration?
    /// A notice of a photo came before the properties told of it: this body need not be asked as often.
    private var tellsByItself = false
    private var arrivals = 0

    package init() {}

    // MARK: Times

    /// The photo will be ready in a moment.
    private static let soon = Duration.milliseconds(50)
    /// As long as shooting goes on.
    private static let whileShooting = Duration.milliseconds(100)
    private static let shootingLasts = Duration.seconds(5)
    /// "Events are unreliable on bodies from before 2019: poll."
    private static let usual = Duration.milliseconds(250)
    /// For the connection's sake alone: "a body dropped its client 10 s after its last command".
    private static let whereTold = Duration.seconds(1)
    /// A flood of notices is no reason for a flood of questions.
    private static let leastBetweenPolls = Duration.milliseconds(20)
    /// "Object not finished: retry 250 ms."
    private static let notDescribed = Duration.milliseconds(250)

    private func interval(at now: Duration) -> Duration {
        switch state {
        case .preparing, .ready: return Self.soon
        case .offered, .unwanted, .reading, .given, .brokenOff: return Self.whereTold
        case .empty: break
        }
        if let lastNews, now - lastNews < Self.shootingLasts { return Self.whileShooting }
        return tellsByItself ? Self.whereTold : Self.usual
    }

    // MARK: What to do

    package func next(at now: Duration) -> Step {
        switch state {
        // The link is busy, and says that we are there.
        case .reading: return .wait(until: now + Self.whereTold)
        case .ready where describeDue <= now: return .describe
        case .brokenOff where waiting.isReady && describeDue <= now: return .describe
        case .unwanted(let shot) where describeDue <= now: return .discard(shot)
        case .ready, .brokenOff, .unwanted, .empty, .preparing, .offered, .given: break
        }
        if pollDue <= now { return .poll }
        let isDelayed =
            switch state {
            case .ready, .unwanted, .brokenOff: describeDue > now
            case .empty, .preparing, .offered, .reading, .given: false
            }
        return .wait(until: isDelayed ? min(pollDue, describeDue) : pollDue)
    }

    // MARK: What happens

    /// The body's properties have come.
    package mutating func polled(_ waiting: SonyShotsWaiting, at now: Duration) -> [News] {
        self.waiting = waiting
        lastPoll = now
        if !waiting.isNone { lastNews = now }
        var news: [News] = []
        switch state {
        case .empty, .preparing, .ready:
            state = waiting.isReady ? .ready : waiting.isNone ? .empty : .preparing
        case .brokenOff(let shot, let received) where waiting.isNone:
            // It has nothing left, and so not this one either.
            state = .empty
            news = [.lost(shot, received: received)]
        // What was told stays told until it is read: the count may be that of a moment before.
        case .offered, .unwanted, .reading, .given, .brokenOff: break
        }
        pollDue = now + interval(at: now)
        return news
    }

    /// The properties did not come; the connection stands.
    package mutating func notPolled(at now: Duration) {
        lastPoll = now
        pollDue = now + max(Self.usual, interval(at: now))
    }

    /// It says that its memory is full: "drain it". The oldest photo of a full memory is ready, and is asked for without
    /// waiting for the properties, which may be refused like everything else.
    package mutating func isFull(at now: Duration) {
        waiting = SonyShotsWaiting(rawValue: 0x8001)
        lastNews = now
        switch state {
        case .empty, .preparing: state = .ready
        case .ready, .offered, .unwanted, .reading, .given, .brokenOff: break
        }
    }

    /// The body has told something by itself: its properties say what.
    package mutating func told(_ code: EventCode, at now: Duration) {
        if code == .sonyObjectAdded, state == .empty, waiting.isNone { tellsByItself = true }
        lastNews = now
        pollDue = max(now, (lastPoll ?? now) + Self.leastBetweenPolls)
    }

    /// What the oldest photo is.
    package mutating func described(_ info: ObjectInfo, at now: Duration) -> [News] {
        switch state {
        case .ready:
            return offer(info)
        case .brokenOff(let shot, let received):
            if shot.isSame(as: info) {
                state = .offered(shot)
                return [.added(shot.reference)]
            }
            return [.lost(shot, received: received)] + offer(info)
        // Asked for by another caller, or too late.
        case .empty, .preparing, .offered, .unwanted, .reading, .given:
            return []
        }
    }

    private mutating func offer(_ info: ObjectInfo) -> [News] {
        arrivals += 1
        let shot = SonyShot(arrival: arrivals, info: info)
        state = .offered(shot)
        return [.added(shot.reference)]
    }

    /// It would not say what the oldest photo is, or would not give one that is not wanted.
    package mutating func refused(at now: Duration) {
        describeDue = now + Self.notDescribed
        pollDue = min(pollDue, now + Self.notDescribed)
    }

    /// What is offered may have got its size meanwhile.
    package mutating func describedAgain(_ info: ObjectInfo) {
        guard case .offered(var shot) = state, shot.isSame(as: info, apartFromSize: true) else { return }
        shot.info = info
        state = .offered(shot)
    }

    // MARK: What is done with it

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

    /// All of it has come.
    package mutating func gaveAll(at now: Duration) {
        guard case .reading(let shot) = state else { return }
        state = .given(shot)
        (lastNews, pollDue) = (now, now + interval(at: now))
    }

    /// Not a byte of it has come, and the body still has it.
    package mutating func gaveNothing(at now: Duration) {
        guard case .reading(let shot) = state else { return }
        state = .offered(shot)
    }

    /// It is asked what it has now, before anything else is.
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
            (state, describeDue) = (.unwanted(shot), now)
        case .empty, .preparing, .ready, .offered, .unwanted, .reading, .given, .brokenOff: break
        }
    }

    /// Its second half is not to be had: the body has given it away.
    package mutating func isLost(_ reference: PhotoReference, at now: Duration) {
        guard case .given(let shot) = state, shot.reference == reference else { return }
        (state, pollDue, describeDue) = (.empty, now, now)
    }

    /// What is told and can be read.
    package var offered: SonyShot? {
        if case .offered(let shot) = state { shot } else { nil }
    }
}

/// One photo in a body's memory.
package struct SonyShot: Equatable, Sendable {
    /// The how-manieth of this connection, from 1: the body calls all of them alike.
    package let arrival: Int
    package var info: ObjectInfo

    package init(arrival: Int, info: ObjectInfo) {
        self.arrival = arrival
        self.info = info
    }

    package var reference: PhotoReference {
        PhotoReference("\(ObjectHandle.sonyOldestShot) \(arrival)")
    }

    /// "Names repeat and the sequence number begins anew at power-on": only all of it together is the photo.
    func isSame(as other: ObjectInfo, apartFromSize: Bool = false) -> Bool {
        info.fileName == other.fileName && info.captureDate == other.captureDate
            && info.format == other.format
            && info.sequenceNumber == other.sequenceNumber
            && (apartFromSize || info.compressedSize == other.compressedSize)
    }
}
