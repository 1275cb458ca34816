/// How long a body may say nothing while it lists a card, by how long it took before.
///
/// A full card takes some bodies minutes, and most a second. Before a body's first list it has two minutes; then four times
/// what it has taken, and never less than ``shortest``. One that was not done in time is taken to have a card that is
/// fuller than it was, and has two minutes again.
struct ListTimeout: Equatable, Sendable {
    static let longest = Duration.seconds(120)
    static let shortest = Duration.seconds(20)
    private static let margin = 4
    /// It is kept in these steps, so that not each list is news.
    private static let step: Int64 = 10

    /// What its lists have shown; nothing before the first that came to its end. It never shrinks in a connection: some
    /// bodies build their list once, and have the next ones at hand.
    private var shown: Duration?
    /// What is kept of it: what the first list of a connection took, or a later one that took longer. The next connection
    /// begins with such a first list again.
    private var kept: Duration?
    private var hasCompleted = false
    private let least: Duration
    /// The slowest question of the list that is under way.
    private var slowest: Duration?
    /// What was spent on it so far; and on the whole of the last one.
    private var spent = Duration.zero
    private(set) var lastTook: Duration?
    /// A list was begun in this connection; and one has not come to its end.
    private(set) var hasBegun = false
    private(set) var isUnderWay = false

    /// A body that was never met: whatever its card holds, it is waited for.
    init() { least = Self.shortest }

    /// One that was, with what was kept of it: nothing where its lists are as quick as most. `least` is for bodies that
    /// are slow at everything, as the operator says.
    init(longSeconds: Int?, least: Duration) {
        self.least = min(max(least, Self.shortest), Self.longest)
        shown = Self.bounded(.seconds(min(max(longSeconds ?? 0, 0), 86_400)))
        kept = shown
    }

    var timeout: Duration { max(shown ?? Self.longest, least) }

    /// As it is kept; nothing where it is as quick as most, or where nothing is known.
    var longSeconds: Int? {
        kept.flatMap { $0 > Self.shortest ? Int($0.components.seconds) : nil }
    }

    mutating func began() { (hasBegun, isUnderWay) = (true, true) }

    /// One question was answered after so long. Slower than expected counts at once: the next one may be as slow.
    mutating func took(_ time: Duration) {
        slowest = max(slowest ?? .zero, time)
        spent += time
        let needed = Self.timeout(after: time)
        shown = shown.map { max($0, needed) }
        kept = kept.map { max($0, needed) }
    }

    /// The whole list is here: what it took is what it takes.
    mutating func isComplete() {
        if let slowest {
            let needed = Self.timeout(after: slowest)
            shown = max(shown ?? needed, needed)
            kept = hasCompleted ? max(kept ?? needed, needed) : needed
            hasCompleted = true
        }
        (lastTook, spent) = (spent, .zero)
        slowest = nil
        isUnderWay = false
    }

    /// A question was not answered in time.
    mutating func wasTooShort() {
        (shown, kept) = (Self.longest, Self.longest)
        spent = .zero
        slowest = nil
    }

    private static func timeout(after time: Duration) -> Duration {
        let seconds = (time * margin).components.seconds + 1
        return bounded(.seconds((seconds + step - 1) / step * step))
    }

    private static func bounded(_ time: Duration) -> Duration { min(max(time, shortest), longest) }
}
