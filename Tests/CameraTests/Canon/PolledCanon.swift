import PTP

@testable import Camera

/// A body that is asked whenever it is due.
struct PolledCanon {
    var watch = CanonWatch()
    var now = Duration.zero

    init() {
        _ = watch.handle(.began, at: now)
        _ = watch.handle(.answered([]), at: now)
    }

    mutating func answer(_ events: CanonEvent...) -> [CanonWatch.Action] {
        repeat {
            now = watch.nextDeadline ?? now
        } while !watch.handle(.timePassed, at: now).contains(.ask)
        return watch.handle(.answered(events), at: now)
    }

    mutating func tell(_ happening: CanonWatch.Happening) -> [CanonWatch.Action] {
        watch.handle(happening, at: now)
    }

    /// Answers without news, until something is to be done.
    mutating func wait(upTo limit: Duration = .seconds(15)) -> [CanonWatch.Action] {
        let end = now + limit
        while now < end {
            let actions = answer()
            if !actions.isEmpty { return actions }
        }
        return []
    }
}
