public import Basics

/// From when on an event's photos are taken, as the operator says it.
public enum Since: Equatable, Sendable {
    /// From the event's first run.
    case begin
    /// From the newest photo that was known of each camera when the event began.
    case lastSeen
    /// From this second, by each camera's own clock.
    case date(Int64)
    /// Nothing is too old.
    case all
}

/// What a connection shows of a camera's clock and card, before its photos are written into the ledger.
public struct ClockContact: Equatable, Sendable {
    /// By how many seconds the camera's clock is ahead of UTC; nothing for a camera that does not tell its time.
    public var difference: Int64?
    /// The date of the newest photo that it holds.
    public var newestHeld: Int64?

    public init(difference: Int64?, newestHeld: Int64? = nil) {
        self.difference = difference
        self.newestHeld = newestHeld
    }
}

/// A span of the calendar by one body's clock, as it was found out and is kept.
public struct ClockMeasure: Equatable, Sendable {
    public var span: ClockSpan
    /// What it was computed with; nothing where it is by what the card held.
    public var difference: Int64?

    public init(_ span: ClockSpan, difference: Int64?) {
        self.span = span
        self.difference = difference
    }
}

/// A time in which an event's photos are taken: opened by a run, closed by the operator or by another event.
public struct EventWindow: Equatable, Sendable {
    public var openedAt: Timestamp
    public var since: Since
    /// Nothing while it is open.
    public var closedAt: Timestamp?

    public init(openedAt: Timestamp, since: Since = .begin, closedAt: Timestamp? = nil) {
        self.openedAt = openedAt
        self.since = since
        self.closedAt = closedAt
    }

    public var json: JSONValue {
        func time(_ moment: Timestamp) -> JSONValue {
            .string(CivilTime.rfc3339(milliseconds: moment.milliseconds))
        }
        return ["openedAt": time(openedAt), "closedAt": .optional(closedAt, time)]
    }

    /// Dates have seconds, and asking for the time takes a moment: one photo too many costs less than one too few.
    private static let margin: Int64 = 2

    /// Where it lies on a body's clock. `known` is what an earlier connection has found, `newestKnown` the date of the
    /// newest photo that the ledger has of the body.
    ///
    /// A clock that is set meanwhile makes the window longer, never shorter: what was shot before that has its dates
    /// from the clock as it was.
    public func measured(
        by contact: ClockContact, known: ClockMeasure?, newestKnown: Int64?
    ) -> ClockMeasure {
        var measure = ClockMeasure(ClockSpan(), difference: contact.difference ?? known?.difference)
        let begin = beginning(contact, known)
        switch since {
        case .all: measure.span.from = nil
        case .date(let moment): measure.span.from = moment
        case .begin: measure.span.from = begin
        case .lastSeen:
            // A photo from the future, of a clock that was wrong then, would shut out everything since.
            measure.span.from = known.map(\.span.from) ?? begin.map { min(newestKnown ?? $0, $0) }
        }
        guard let closedAt else { return measure }
        // Over before this body was met, and when that was by its clock is unknown.
        if known == nil, contact.difference == nil { return ClockMeasure(.empty, difference: nil) }
        measure.span.until =
            known?.span.until ?? contact.difference.map { closedAt.seconds + $0 }
            ?? newestKnown.map { $0 + 1 } ?? measure.span.from
        return measure
    }

    private func beginning(_ contact: ClockContact, _ known: ClockMeasure?) -> Int64? {
        if let difference = contact.difference {
            let measured = openedAt.seconds + difference - Self.margin
            guard let known, known.difference != nil else { return measured }
            return known.span.from.map { min($0, measured) } ?? measured
        }
        if let known { return known.span.from }
        // What it holds at the first contact is older. A card without a photo says nothing, and shuts out nothing.
        return closedAt == nil ? contact.newestHeld.map { $0 + 1 } : nil
    }
}

/// A time inside a window in which no bridge ran for so long that whose the photos are is unknown.
public struct EventAbsence: Equatable, Sendable {
    public enum Verdict: String, Equatable, Sendable {
        case taken
        case declined
    }

    public var from: Timestamp
    public var until: Timestamp
    /// What the operator has said of it.
    public var verdict: Verdict?

    public init(from: Timestamp, until: Timestamp, verdict: Verdict? = nil) {
        self.from = from
        self.until = until
        self.verdict = verdict
    }

    /// Where it lies on a body's clock. Where that does not tell the time, it is what the card holds beyond what was
    /// known when the body is met again.
    public func measured(
        by contact: ClockContact, known: ClockMeasure?, newestKnown: Int64?
    ) -> ClockMeasure {
        if let known { return known }
        if let difference = contact.difference {
            return ClockMeasure(
                ClockSpan(from: from.seconds + difference, until: until.seconds + difference),
                difference: difference)
        }
        guard let held = contact.newestHeld else { return ClockMeasure(.empty, difference: nil) }
        return ClockMeasure(
            ClockSpan(from: newestKnown.map { $0 + 1 }, until: held + 1), difference: nil)
    }
}
