/// How many uploads at a time are worth it, found out by doing: begun with few, more only while more arrives.
///
/// On a clean link one upload fills it, and a second one only makes the first photo later. On a link that loses
/// packets each connection is slow by itself, and eight carry five times as much as one. Nothing says which of the two
/// a network is, and it may change while we are on it.
///
/// It doubles the slots, looks at what arrives for a second, and keeps them if that was worth it; otherwise it goes
/// back and leaves it at that for a while. What it sees counts only while exactly as many uploads are under way as
/// there are slots: with nothing to upload, or with old ones still ending, a slow second says nothing about the link.
public struct AdaptiveSlots: Equatable, Sendable {
    // Each figure is a bargain between noticing soon and not being fooled by one noisy second. A doubling that helps
    // is decided in a second, because twelve photos at five megabytes a second are through in ten.

    /// The least that is looked at before anything is decided.
    static let window = Duration.seconds(1)
    /// Unless it is plain: so much is enough for a first look, and for a step up that brings nearly all it could.
    static let glance = Duration.milliseconds(600)
    static let plainlyWorthIt = 0.6
    /// And the least of reports: what arrives in a few large lumps is noise.
    static let reports = 8
    /// Undecided windows grow up to this many times the time.
    static let longestWindow = 3
    /// Of a window that has to wait for lumps.
    static let timeout = Duration.seconds(6)
    /// New connections greet, and old buffers fill, before anything can be measured.
    static let settling = Duration.milliseconds(250)
    /// With other than all slots in use for so long, what was measured before is of another time.
    static let stale = Duration.seconds(5)
    /// After a step down more are under way than there are slots, and those may end in peace.
    static let draining = Duration.seconds(10)
    /// No event has come for so long: the machine slept, or had no time for us.
    static let gap = Duration.seconds(2)
    /// Of what a step up could bring at best, this share is worth it, clearly worth it, clearly not.
    static let worthIt = 0.17
    static let clearlyWorthIt = 0.35
    static let clearlyNot = 0.05
    /// Half the slots are enough when they carry so much of what all carried.
    static let asGood = 0.93
    /// A settled link that carries so much less or more than before is another link.
    static let changed = 0.3
    /// Until the next look at whether more, or fewer, would do; doubled each time that it was in vain.
    static let firstRest = Duration.seconds(30)
    static let longestRest = Duration.seconds(120)
    /// A step down that was right may be followed by another one soon.
    static let nextStepDown = Duration.seconds(10)

    enum Phase: Equatable, Sendable {
        /// Nothing is known yet: the first whole window is what a step up is held against. Left by that.
        case looking
        /// More slots than before are in use. Left when the window says whether that is worth it.
        case tryingMore(from: Int, carried: Double)
        /// Fewer slots than before are in use. Left in the same way.
        case tryingFewer(from: Int, carried: Double)
        /// As it should be. Left when it is time to look again, or when what arrives changes.
        case settled(carries: Double, until: Duration, next: Probe)
    }

    enum Probe: Equatable, Sendable {
        case more
        case fewer
    }

    /// Time during which all slots were in use, and what arrived in it.
    struct Window: Equatable, Sendable {
        var time = Duration.zero
        var bytes: UInt64 = 0
        var reports = 0
        /// Still to pass before it begins.
        var settling = AdaptiveSlots.settling
        var idle = Duration.zero
        /// With more under way than there are slots.
        var drained = Duration.zero

        mutating func add(_ more: UInt64) {
            let (sum, isTooMuch) = bytes.addingReportingOverflow(more)
            bytes = isTooMuch ? .max : sum
        }

        var rate: Double { Double(bytes) / max(time / .seconds(1), 1e-9) }
    }

    private(set) var phase = Phase.looking
    private(set) var window = Window()
    private var most: Int
    private let start: Int
    private let fewest: Int
    private var current: Int
    private var rest = AdaptiveSlots.firstRest
    private var last: (at: Duration, wasFull: Bool)?

    public init(ceiling: Int, start: Int = 4, fewest: Int = 2) {
        precondition((1...start).contains(fewest), "nothing is found out by trying nothing")
        self.start = start
        self.fewest = fewest
        most = max(0, ceiling)
        current = min(start, most)
    }

    public static func == (left: AdaptiveSlots, right: AdaptiveSlots) -> Bool {
        left.phase == right.phase && left.window == right.window && left.most == right.most
            && left.start == right.start && left.fewest == right.fewest && left.current == right.current
            && left.rest == right.rest
            && left.last?.at == right.last?.at && left.last?.wasFull == right.last?.wasFull
    }

    /// Uploads that may be under way at a time.
    public var slots: Int { current }

    /// The path's limit has changed. What is under way above it may end in peace; none begins.
    public mutating func ceiling(_ ceiling: Int) {
        let ceiling = max(0, ceiling)
        guard ceiling != most else { return }
        let mayGrow = ceiling > most && current == most
        most = ceiling
        if current > most || current < min(start, most) {
            begin(.looking, slots: min(max(current, start), most))
        } else if mayGrow, case .settled(let carries, _, _) = phase {
            phase = .settled(carries: carries, until: .zero, next: .more)
        }
    }

    /// It is another network: nothing that was found out holds any more.
    public mutating func pathChanged(ceiling: Int) {
        self = AdaptiveSlots(ceiling: ceiling, start: start, fewest: fewest)
    }

    /// So many bytes have left since this was last said, with so many uploads under way. To be said several times a
    /// second, also when nothing has left.
    public mutating func moved(_ bytes: UInt64, underWay: Int, at now: Duration) {
        let isFull = current > 0 && underWay == current
        let before = last
        last = (now, isFull)
        guard let before, now > before.at else {
            // The same moment in two pieces: the first piece has said how long it was.
            if before != nil, isFull, window.settling <= .zero { window.add(bytes) }
            return
        }
        let passed = now - before.at
        guard isFull, before.wasFull, passed < Self.gap else {
            // Each for itself: many large files that end together leave one moment without enough under way.
            if underWay > current { window.drained += passed } else { window.idle += passed }
            if window.drained > Self.draining || window.idle > Self.stale { forget() }
            return
        }
        window.idle = .zero
        window.drained = .zero
        if window.settling > .zero {
            window.settling -= passed
            return
        }
        window.time += passed
        window.add(bytes)
        if bytes > 0 { window.reports += 1 }
        guard window.time >= Self.glance else { return }
        guard window.reports >= Self.reports || window.time >= Self.timeout else { return }
        decide(at: now)
    }

    /// A comparison with something long ago is none.
    private mutating func forget() {
        switch phase {
        case .tryingMore(let from, _), .tryingFewer(let from, _): begin(.looking, slots: min(from, most))
        case .looking, .settled: window = Window()
        }
    }

    private mutating func begin(_ next: Phase, slots: Int) {
        phase = next
        current = slots
        window = Window()
        if last != nil { last?.wasFull = false }
    }
}

// MARK: Deciding

extension AdaptiveSlots {
    private mutating func decide(at now: Duration) {
        let rate = window.rate
        // A link on which nothing moves cannot be compared with.
        guard rate > 0 else {
            window = Window()
            return
        }
        // Two phases know when they have seen enough before their time.
        switch phase {
        case .looking, .tryingMore: break
        case .tryingFewer, .settled: guard window.time >= Self.window else { return }
        }
        switch phase {
        case .looking: stepUp(rate, at: now)
        case .tryingMore(let from, let carried): judgeMore(rate, from: from, carried: carried, at: now)
        case .tryingFewer(let from, let carried): judgeFewer(rate, from: from, carried: carried, at: now)
        case .settled(let carries, let until, let next):
            look(rate, carries: carries, until: until, next: next, at: now)
        }
    }

    private mutating func stepUp(_ rate: Double, at now: Duration) {
        guard current < most else { return settle(rate, at: now) }
        begin(.tryingMore(from: current, carried: rate), slots: min(current * 2, most))
    }

    private mutating func judgeMore(_ rate: Double, from: Int, carried: Double, at now: Duration) {
        // Twice the slots carry twice as much at best.
        let best = Double(current) / Double(from) - 1
        let gain = (rate / carried - 1) / best
        guard isDecided(gain) else { return }
        if gain >= Self.worthIt {
            rest = Self.firstRest
            stepUp(rate, at: now)
        } else {
            current = from
            settle(carried, at: now)
        }
    }

    private func isDecided(_ gain: Double) -> Bool {
        if window.time < Self.window { return gain >= Self.plainlyWorthIt }
        return gain >= Self.clearlyWorthIt || gain <= Self.clearlyNot
            || window.time >= Self.window * Self.longestWindow
    }

    private mutating func judgeFewer(_ rate: Double, from: Int, carried: Double, at now: Duration) {
        if rate >= carried * Self.asGood {
            rest = Self.firstRest
            begin(
                .settled(
                    carries: rate, until: now + Self.nextStepDown, next: current > fewest ? .fewer : .more),
                slots: current)
        } else {
            current = min(from, most)
            settle(carried, at: now)
        }
    }

    private mutating func settle(_ carries: Double, at now: Duration) {
        let next: Probe = if case .tryingMore = phase, current > fewest { .fewer } else { .more }
        begin(.settled(carries: carries, until: now + rest, next: next), slots: current)
        rest = min(rest * 2, Self.longestRest)
    }

    private mutating func look(
        _ rate: Double, carries: Double, until: Duration, next: Probe, at now: Duration
    ) {
        if abs(rate / carries - 1) > Self.changed {
            rest = Self.firstRest
            return stepUp(rate, at: now)
        }
        let usual = carries * 0.7 + rate * 0.3
        guard now >= until else {
            phase = .settled(carries: usual, until: until, next: next)
            window = Window()
            window.settling = .zero
            return
        }
        if next == .more || current <= fewest, current < most { return stepUp(usual, at: now) }
        guard current > fewest else {
            phase = .settled(carries: usual, until: now + rest, next: .more)
            window = Window()
            return
        }
        begin(.tryingFewer(from: current, carried: usual), slots: max(fewest, current / 2))
    }
}
