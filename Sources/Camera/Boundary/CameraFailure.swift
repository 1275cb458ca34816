public import Bridge

/// What went wrong with a camera, with what, what it means, and what the person beside it can do.
public struct CameraFailure: Error, Sendable {
    /// What kind of end it is for a command that only wanted this.
    public enum Outcome: Equatable, Sendable {
        case unavailable
        /// It may work in a moment.
        case tryAgain
        /// The camera does not let us.
        case notPermitted
        /// What it says makes no sense.
        case nonsense
        case failed
        /// Our own disk.
        case inputOutput
        case interrupted
    }

    /// Host and port, or what the links call it.
    public var camera: String
    /// Which photo or part of the camera, if one.
    public var subject: String?
    /// What happened, in words that go on after the subject.
    public var reason: String
    /// What to do about it, in a sentence.
    public var advice: String
    /// What it means to the work under way.
    public var trouble: FailureImpact
    public var outcome: Outcome
    /// Which object the camera was asked for when it happened.
    public var object: ListedPlace?
    /// What kept the taker of the bytes from taking them.
    public var takerFailure: (any Error)?
    /// What is said instead of ``cause`` where nothing was asked of the camera, which sleeps then; nothing where that is
    /// no other thing.
    public var whenIdle: String?
    /// The code that the camera answered with, for the drivers that know what it means.
    var answer: UInt16?

    public init(
        camera: String, subject: String? = nil, reason: String, advice: String, trouble: FailureImpact,
        outcome: Outcome, object: ListedPlace? = nil, takerFailure: (any Error)? = nil
    ) {
        self.camera = camera
        self.subject = subject
        self.reason = reason
        self.advice = advice
        self.trouble = trouble
        self.outcome = outcome
        self.object = object
        self.takerFailure = takerFailure
    }

    /// What it means to the connection.
    public var loss: ConnectionLife.Loss {
        if case .connectionOver(let loss, _) = trouble { loss } else { .lost(sentence) }
    }
}

extension CameraFailure: CustomStringConvertible {
    public var description: String { "\(camera): \(sentence)" }

    /// Without the camera, for a line that has named it.
    public var sentence: String {
        subject.map { "\($0): \(cause)" } ?? cause
    }

    /// Without the photo as well, for a line that has named both.
    public var cause: String { "\(reason). \(advice)" }

    /// For those who are told of ``object`` as well, and name it themselves.
    public var sentenceBesideObject: String { object == nil ? sentence : cause }
}
