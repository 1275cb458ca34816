/// When a body that has to be asked what is new is asked next: often while there is something, seldom while there is
/// nothing.
///
/// Counted from an answer, so that a slow body is never asked without a pause.
struct PollPace: Equatable, Sendable {
    struct Settings: Equatable, Sendable {
        /// "Polling intervals: Canon, Nikon 50–200 ms."
        var shortest = Duration.milliseconds(50)
        var longest = Duration.milliseconds(200)
        /// A body that says that it is busy, or refuses, has something better to do.
        var afterRefusal = Duration.milliseconds(500)
    }

    enum Outcome: Equatable, Sendable {
        case news
        case nothing
        case refused
    }

    private let settings: Settings
    /// The pause after an answer without news: ``Settings/shortest`` after news, twice as long after each answer without
    /// any, up to ``Settings/longest``.
    private(set) var pause: Duration
    /// When it is asked next.
    private(set) var next: Duration

    init(_ settings: Settings = Settings(), at now: Duration) {
        self.settings = settings
        pause = settings.shortest
        next = now
    }

    mutating func answered(_ outcome: Outcome, at now: Duration) {
        switch outcome {
        case .news:
            pause = settings.shortest
            next = now + pause
        case .nothing:
            next = now + pause
            pause = min(pause * 2, settings.longest)
        case .refused:
            pause = settings.longest
            next = now + settings.afterRefusal
        }
    }

    /// The body has told something by itself: what it keeps for being asked is there as well.
    mutating func hint(at now: Duration) {
        pause = settings.shortest
        next = min(next, now + pause)
    }
}
