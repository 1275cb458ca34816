public import Basics

/// What a listener said to a message, classified by what it means for the message and for those behind it.
public enum MessageAnswer: Equatable, Sendable {
    case told
    /// The listener cannot be told anything now: the message waits, and so does everything behind it.
    case notNow(String, after: Duration?)
    /// The listener heard it and did not want it: counts against the message.
    case refused(String, after: Duration?)
    /// We are ending. Nothing is known of the message.
    case cancelled

    public init(_ response: HTTPResponse, at now: Timestamp) {
        let after = response.retryAfter(at: now)
        switch response.status {
        case 200..<300: self = .told
        // A captive portal that wants a person to log in answers like this; redirects are not followed.
        case 300..<400:
            self = .notNow(
                "it answered \(response.status) and wants us to go elsewhere; name the address itself",
                after: after)
        case 408, 425, 429, 500...: self = .notNow("it answered \(response.status)", after: after)
        default: self = .refused("it answered \(response.status)", after: after)
        }
    }

    public init(_ failure: HTTPFailure) {
        switch failure {
        case .unreachable, .certificate, .broken, .unreadable: self = .notNow("\(failure)", after: nil)
        case .body, .invalid: self = .refused("\(failure)", after: nil)
        case .cancelled: self = .cancelled
        }
    }
}

/// One listener's turn: messages go to it one at a time and in their order, so one that fails holds those behind it.
public struct WebhookQueue: Equatable, Sendable {
    public struct Settings: Equatable, Sendable {
        public var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        /// Refusals after which a message is given up; 0 for never.
        public var attempts = 5

        public init() {}
    }

    public enum Step: Equatable, Sendable {
        case told
        case again(Timestamp, counts: Bool, String)
        case givenUp(String)
        /// As it was before.
        case nothing
    }

    /// A pause that a listener asks for is obeyed up to here.
    public static let longestAsked = Duration.seconds(3600)

    public private(set) var settings: Settings
    /// Times in a row that it could not be told.
    public private(set) var failures = 0
    /// Why it is held, as it was said.
    public private(set) var hold: String?

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// What is noted in the ledger is believed up to the longest pause there is: clocks get set back.
    public func moment(for message: Message, at now: Timestamp) -> Timestamp {
        message.due - now > Self.longestAsked ? now : message.due
    }

    public mutating func handle(
        _ answer: MessageAnswer, to message: Message, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> Step {
        switch answer {
        case .told:
            failures = 0
            hold = nil
            return .told
        case .notNow(let problem, let after):
            failures += 1
            hold = problem
            if let expires = message.expires, expires <= now { return .givenUp(problem) }
            return .again(now + pause(after, failures, using: &random), counts: false, problem)
        case .refused(let problem, let after):
            failures = 0
            hold = nil
            let attempts = message.attempts + 1
            if settings.attempts > 0, attempts >= settings.attempts { return .givenUp(problem) }
            return .again(now + pause(after, attempts, using: &random), counts: true, problem)
        case .cancelled: return .nothing
        }
    }

    private func pause(
        _ asked: Duration?, _ failures: Int, using random: inout some RandomNumberGenerator
    ) -> Duration {
        if let asked, asked > .zero { return min(asked, Self.longestAsked) }
        return settings.backoff.pause(afterFailures: failures, using: &random)
    }
}
