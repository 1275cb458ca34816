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
        /// It has been told and is waited for. Left by reading it, because it is not wanted, or when the body has twice
        /// said that it has nothing.
        case offered(SonyShot)
        /// It is not wanted: it is read and thrown away, because what lies behind it cannot be had before. Left when
        /// that is done, or when the body has twice said that it has nothing.
        case unwanted(SonyShot)
        /// Its bytes are coming. Left when they have all come, or none more will.
        case reading(SonyShot)
        /// The body has given all of it away, and it is not durable yet. Left when it is.
        case given(SonyShot)
        /// Its bytes have stopped coming, or the body says that there is no such photo. Left when the body says what is
        /// the oldest now: the same photo is offered again, another one means that this one is lost.
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
        /// It was waited for, and is not to be had any more.
        case lost(SonyShot, received: UInt64)
    }

    /// Why a photo that was told cannot be read now.
    package enum Absence: Equatable, Sendable {
        /// The body has not said yet what it has.
        case notSaidYet
        /// All of its bytes have come already.
        case givenAway
        case notThere
    }

    package internal(set) var state = State.empty
    /// What the body said last.
    package internal(set) var waiting = SonyShotsWaiting.none
    var pollDue: Duration = .zero
    var describeDue: Duration = .zero
    var lastNews: Duration?
    var lastPoll: Duration?
    /// A notice of a photo came before the properties told of it: this body need not be asked as often.
    var tellsByItself = false
    var arrivals = 0
    /// The last photo that is not wanted, by its number.
    var passedOver: Int?
    /// Answers in a row that say that nothing waits, while something was told.
    var denials = 0
    /// In a row: properties that did not come or made no sense, and photos that were ready and refused.
    var failedPolls = 0
    var refusedPhotos = 0

    package init() {}

    // MARK: Times

    /// The photo will be ready in a moment.
    static let soon = Duration.milliseconds(50)
    /// As long as shooting goes on.
    static let whileShooting = Duration.milliseconds(100)
    static let shootingLasts = Duration.seconds(5)
    /// "Events are unreliable on bodies from before 2019: poll."
    static let usual = Duration.milliseconds(250)
    /// For the connection's sake alone: "a body dropped its client 10 s after its last command".
    static let whereTold = Duration.seconds(1)
    /// A flood of notices is no reason for a flood of questions: after a shot, and after any other change.
    static let leastAfterShot = Duration.milliseconds(20)
    static let leastAfterChange = Duration.milliseconds(200)
    /// "Object not finished: retry 250 ms."
    static let notDescribed = Duration.milliseconds(250)
    /// A photo that is refused again and again is asked for less often.
    static let stillRefused = Duration.seconds(1)
    static let quickRefusals = 8
    /// "Everything answers 0x2002: the session is poisoned", and does not recover.
    static let mostFailures = 20
    /// "Fetch until it is 0": one answer may be that of a moment before.
    static let denialsThatTell = 2

    func interval(at now: Duration) -> Duration {
        switch state {
        case .preparing, .ready: return Self.soon
        case .unwanted, .brokenOff: return waiting.isReady ? Self.whereTold : Self.whileShooting
        case .offered, .reading, .given: return Self.whereTold
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
        case .unwanted(let shot) where waiting.isReady && describeDue <= now: return .discard(shot)
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

    /// What is told and can be read.
    package var offered: SonyShot? {
        if case .offered(let shot) = state { shot } else { nil }
    }

    /// The one whose bytes broke off in their middle.
    var hasBrokenOff: SonyShot? {
        if case .brokenOff(let shot, received: 1...) = state { shot } else { nil }
    }

    /// What is being read.
    package var reading: SonyShot? {
        if case .reading(let shot) = state { shot } else { nil }
    }

    func isWanted(_ shot: SonyShot) -> Bool { shot.arrival != passedOver }
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
