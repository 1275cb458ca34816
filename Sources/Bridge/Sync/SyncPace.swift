import Basics

/// When a gallery is asked again: a copy is kept beside photos on their way, and never in their way.
public struct SyncPace: Equatable, Sendable {
    /// While all is well and nothing waits: what others change is seen within this time.
    public static let usual = Duration.seconds(30)
    /// Several edits in a row go in one exchange.
    public static let gathering = Duration.seconds(1)
    /// Of what waits for the operator; logging in wakes it at once.
    public static let whileHeld = Duration.seconds(60)
    static let backoff = Backoff(first: .seconds(5), longest: .seconds(300))
    /// No gallery is obeyed for longer.
    static let longest = Duration.seconds(3600)

    private var failures = 0

    public init() {}

    /// The pause after an exchange that went well.
    public mutating func succeeded() -> Duration {
        failures = 0
        return Self.usual
    }

    public mutating func failed(_ failure: SyncFailure, using random: inout some RandomNumberGenerator)
        -> Duration
    {
        switch failure {
        case .passing(_, let after):
            failures += 1
            let pause = Self.backoff.pause(afterFailures: failures, using: &random)
            return min(max(pause, after ?? .zero, Self.gathering), Self.longest)
        case .operatorNeeded:
            failures = 0
            return Self.whileHeld
        case .cancelled: return Self.usual
        }
    }
}
