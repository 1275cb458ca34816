/// How long a body may say nothing while it lists a card, by how long it took before.
///
/// A full card takes some bodies minutes, and most a second. Before a body's first list it has two minutes; then four times
/// what it has taken, and never less than ``shortest``. One that was not done in time is taken to have a card that is
/// fuller than it was, and has two minutes again.
struct ListPace: Equatable, Sendable {
    static let longest = Duration.seconds(120)
    static let shortest = Duration.seconds(20)
    private static let margin = 4
    /// It is kept in these steps, so that not each list is news.
    private static let step: Int64 = 10

    /// What its lists have shown; nothing before the first that came to its end.
    private var shown: Duration?
    private let least: Duration
    /// The slowest question of the list that is under way.
    private var slowest: Duration?
    /// A list was begun, and has not come to its end.
    private(set) var isUnderWay = false

    /// A body that was never met: whatever its card holds, it is waited for.
    init() { least = Self.shortest }

    /// One that was, with what was kept of it: nothing where its lists are as quick as most. `least` is for bodies that
    /// are slow at everything, as the operator says.
    init(longSeconds: Int?, least: Duration) {
        self.least = min(max(least, Self.shortest), Self.longest)
        shown = Self.bounded(.seconds(min(max(longSeconds ?? 0, 0), 86_400)))
    }

    var patience: Duration { max(shown ?? Self.longest, least) }

    /// As it is kept; nothing where it is as quick as most, or where nothing is known.
    var longSeconds: Int? {
        shown.flatMap { $0 > Self.shortest ? Int($0.components.seconds) : nil }
    }

    mutating func began() { isUnderWay = true }

    /// One question was answered after so long. Slower than expected counts at once: the next one may be as slow.
    mutating func took(_ time: Duration) {
        slowest = max(slowest ?? .zero, time)
        if let shown { self.shown = max(shown, Self.patience(after: time)) }
    }

    /// The whole list is here: what it took is what it takes.
    mutating func isComplete() {
        if let slowest { shown = Self.patience(after: slowest) }
        slowest = nil
        isUnderWay = false
    }

    /// A question was not answered in time.
    mutating func wasTooShort() {
        shown = Self.longest
        slowest = nil
    }

    private static func patience(after time: Duration) -> Duration {
        let seconds = (time * margin).components.seconds + 1
        return bounded(.seconds((seconds + step - 1) / step * step))
    }

    private static func bounded(_ time: Duration) -> Duration { min(max(time, shortest), longest) }
}
