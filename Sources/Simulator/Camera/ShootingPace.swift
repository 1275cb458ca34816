/// How long each photo that a camera takes by itself comes after the one before.
public struct ShootingPace: Equatable, Sendable {
    public var shots: Int
    public var interval: Duration
    /// So many more in the middle, this far apart.
    public var burst: Burst?

    public struct Burst: Equatable, Sendable {
        public var shots: Int
        public var interval: Duration

        public init(shots: Int, interval: Duration) {
            self.shots = shots
            self.interval = interval
        }
    }

    public init(shots: Int = 0, interval: Duration = .seconds(1), burst: Burst? = nil) {
        self.shots = shots
        self.interval = interval
        self.burst = burst
    }

    /// How many photos there will be.
    public var count: Int { shots + (burst?.shots ?? 0) }

    /// Before the photo of this number, from 0 on.
    public func pause(before number: Int) -> Duration {
        guard let burst, number >= shots / 2, number < shots / 2 + burst.shots else { return interval }
        return burst.interval
    }
}
