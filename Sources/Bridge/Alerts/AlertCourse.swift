import Basics

/// Whether something is so, at one look.
public enum AlertSign: Equatable, Sendable {
    case so
    case notSo
    /// It cannot be said now: what goes on goes on, and nothing begins.
    case unknown
}

/// How one thing that the operator may be called for comes, goes on and goes. A value: every moment is an argument, and is
/// that of a clock which is never set.
///
/// It is an alert when it has been so for as long as its rule says, and over when it has not been so for ``settling``: what
/// flaps is one alert. It is said again after a while, and what begins anew within that while is not said before it has
/// passed, so that no course of things says more.
struct AlertCourse: Equatable, Sendable {
    /// It comes back within this: then it has not been away.
    static let settling = Duration.seconds(15)

    enum Step: Equatable, Sendable {
        case began
        case goesOn
        case over
    }

    private enum Phase: Equatable, Sendable {
        case clear
        case pending(since: Duration)
        case ongoing
    }

    private var phase = Phase.clear
    /// Since when it has not been so, while it was.
    private var clearSince: Duration?
    private let firstSeen: Duration
    /// It has not always been so.
    private var hasBeenClear = false
    private var lastSaid: Duration?
    /// The operator has been called for it, and is told when it is over.
    private(set) var isSaid = false
    /// When it began, by the calendar, for those who read it.
    private(set) var began: Timestamp?

    init(at now: Duration) {
        firstSeen = now
    }

    /// It may be forgotten: nothing of it is remembered that matters.
    func isIdle(at now: Duration, repeats: Duration) -> Bool {
        phase == .clear && (lastSaid.map { now - $0 >= repeats } ?? true)
    }

    var isOngoing: Bool { phase == .ongoing }

    mutating func look(
        _ sign: AlertSign, delay: Duration, grace: Duration, repeats: Duration, at now: Duration,
        _ wall: Timestamp
    ) -> Step? {
        switch sign {
        case .so: return isSo(delay, grace, repeats, now, wall)
        case .notSo:
            hasBeenClear = true
            return isNotSo(now)
        case .unknown:
            if case .pending = phase { (phase, began, clearSince) = (.clear, nil, nil) }
            return nil
        }
    }

    private mutating func isSo(
        _ delay: Duration, _ grace: Duration, _ repeats: Duration, _ now: Duration, _ wall: Timestamp
    ) -> Step? {
        clearSince = nil
        if phase == .clear { (phase, began) = (.pending(since: now), wall) }
        if case .pending(let since) = phase {
            let waits = !hasBeenClear && now - firstSeen < grace
            guard now - since >= delay, !waits else { return nil }
            phase = .ongoing
        }
        if let lastSaid, now - lastSaid < repeats { return nil }
        lastSaid = now
        defer { isSaid = true }
        return isSaid ? .goesOn : .began
    }

    private mutating func isNotSo(_ now: Duration) -> Step? {
        guard phase != .clear else { return nil }
        let since = clearSince ?? now
        clearSince = since
        guard now - since >= Self.settling else { return nil }
        (phase, clearSince, began) = (.clear, nil, nil)
        defer { isSaid = false }
        return isSaid ? .over : nil
    }
}
