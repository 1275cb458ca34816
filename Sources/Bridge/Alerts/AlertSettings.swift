/// What an operator is called for.
public enum AlertRule: String, CaseIterable, Sendable {
    /// A camera is away for so long.
    case cameraLost
    /// So many deliveries to one destination wait for the operator.
    case failedJobs
    /// The disk has room for so few more photos.
    case diskLow
    /// The photo that waits longest does so for so long.
    case queueOld
    /// This machine's clock is wrong by so much.
    case clockWrong
    /// A camera that is connected has brought nothing for so long.
    case nothingShot
}

/// When an operator is called, and how often.
public struct AlertSettings: Equatable, Sendable {
    public struct Span: Equatable, Sendable {
        public var isOn: Bool
        public var after: Duration

        public init(isOn: Bool = true, after: Duration) {
            self.isOn = isOn
            self.after = after
        }
    }

    public struct Count: Equatable, Sendable {
        public var isOn: Bool
        public var photos: Int

        public init(isOn: Bool = true, photos: Int) {
            self.isOn = isOn
            self.photos = photos
        }
    }

    public var cameraLost = Span(after: .seconds(60))
    /// A camera that has ended its connection in order sleeps, as bodies do to save their batteries, or was switched off.
    public var cameraAsleep = Duration.seconds(600)
    public var failedJobs = Count(photos: 1)
    public var diskLow = Count(photos: 200)
    public var queueOld = Span(after: .seconds(600))
    public var clockWrong = Span(after: .seconds(120))
    /// Off unless wanted: nothing is shot during a dinner, either.
    public var nothingShot = Span(isOn: false, after: .seconds(1800))
    /// What was so when the bridge began is no alert before this.
    public var grace = Duration.seconds(120)
    /// The same is said again no sooner than this, however often it comes and goes.
    public var repeats = Duration.seconds(1800)

    public init() {}

    public func isOn(_ rule: AlertRule) -> Bool {
        switch rule {
        case .cameraLost: cameraLost.isOn
        case .failedJobs: failedJobs.isOn
        case .diskLow: diskLow.isOn
        case .queueOld: queueOld.isOn
        case .clockWrong: clockWrong.isOn
        case .nothingShot: nothingShot.isOn
        }
    }
}
