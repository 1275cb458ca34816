import Basics
import Bridge
import Testing

/// What of a camera's photos belongs to an event, by the camera's own clock.
@Suite struct TakingRuleTests {
    static let rule = TakingRule(
        windows: [ClockSpan(from: 100, until: 200), ClockSpan(from: 300)],
        absences: [
            TakingRule.Absence(ClockSpan(from: 120, until: 130), isDeclined: true),
            TakingRule.Absence(ClockSpan(from: 320, until: 330), isDeclined: false),
        ], isOpen: true)

    @Test(
        "before the first window is older, between two is outside, an absence is left until it is asked for",
        arguments: [
            (99, .older), (100, nil), (119, nil), (120, .declined), (129, .declined), (130, nil), (199, nil),
            (200, .outside), (299, .outside), (300, nil), (320, .unattended), (330, nil), (1 << 40, nil),
        ] as [(Int64, FilterRule?)])
    func places(moment: Int64, objection: FilterRule?) {
        #expect(Self.rule.objection(to: moment) == objection)
    }

    @Test("what appears while we look is taken as long as the event is open, whatever its date")
    func live() {
        #expect(Self.rule.objectionToLive == nil)
        #expect(
            TakingRule(windows: [ClockSpan(from: 1, until: 2)], isOpen: false).objectionToLive == .outside)
    }

    @Test("a window that has no beginning takes what was ever shot, an empty one nothing")
    func ends() {
        #expect(TakingRule.everything.objection(to: .min) == nil)
        #expect(TakingRule(windows: [ClockSpan(until: 5)], isOpen: false).objection(to: 5) == .outside)
        #expect(!ClockSpan.empty.contains(0))
    }
}

/// Where an event's window lies on a body's clock.
@Suite struct EventWindowTests {
    /// Opened at 1000 seconds of the calendar.
    static func window(_ since: Since = .begin, closed: Int64? = nil) -> EventWindow {
        EventWindow(
            openedAt: Timestamp(milliseconds: 1_000_000), since: since,
            closedAt: closed.map { Timestamp(milliseconds: $0 * 1000) })
    }

    static func measured(
        _ window: EventWindow, difference: Int64? = nil, held: Int64? = nil, known: ClockMeasure? = nil,
        newest: Int64? = nil
    ) -> ClockMeasure {
        window.measured(
            by: ClockContact(difference: difference, newestHeld: held), known: known, newestKnown: newest)
    }

    @Test("a clock that is told moves the window by its difference, with two seconds for asking")
    func told() {
        let measure = Self.measured(Self.window(closed: 2000), difference: 3600, held: 9000)
        #expect(measure == ClockMeasure(ClockSpan(from: 4598, until: 5600), difference: 3600))
    }

    @Test("a clock that is set makes the window longer, never shorter", arguments: [3600, -3600, 0])
    func set(difference: Int64) {
        let first = Self.measured(Self.window(), difference: 0)
        let second = Self.measured(Self.window(), difference: difference, known: first)
        #expect(second.span.from == min(998, 998 + difference) && second.span.until == nil)
    }

    @Test("a body that does not tell its time has shown what is older: what it held at the first contact")
    func untold() {
        let first = Self.measured(Self.window(), held: 500)
        #expect(first == ClockMeasure(ClockSpan(from: 501), difference: nil))
        #expect(Self.measured(Self.window(), held: 800, known: first) == first)
        // A card without a photo shuts out nothing, whatever card comes then.
        let empty = Self.measured(Self.window())
        #expect(empty.span == ClockSpan())
        #expect(Self.measured(Self.window(), held: 800, known: empty) == empty)
        // Once it tells its time, that counts.
        #expect(Self.measured(Self.window(), difference: 10, held: 800, known: empty).span.from == 1008)
    }

    @Test(
        "a window that was over before a body without a clock was met has none of its photos, whatever it took",
        arguments: [.begin, .all, .date(7), .lastSeen] as [Since])
    func over(since: Since) {
        for newest in [400, nil] as [Int64?] {
            let measure = Self.measured(Self.window(since, closed: 2000), held: 500, newest: newest)
            #expect(measure.span == .empty)
        }
        guard since == .begin else { return }
        let known = ClockMeasure(ClockSpan(from: 501), difference: nil)
        #expect(
            Self.measured(Self.window(closed: 2000), held: 900, known: known, newest: 700).span
                == ClockSpan(from: 501, until: 701))
    }

    @Test("--since moves the beginning: to a date, to the newest photo known, or away")
    func since() {
        #expect(Self.measured(Self.window(.date(77)), difference: 5).span.from == 77)
        #expect(Self.measured(Self.window(.all), difference: 5).span.from == nil)
        #expect(Self.measured(Self.window(.lastSeen), difference: 0, newest: 600).span.from == 600)
        #expect(Self.measured(Self.window(.lastSeen), difference: 0).span.from == 998)
        // A photo from the future, of a clock that was wrong then, shuts out nothing.
        #expect(Self.measured(Self.window(.lastSeen), difference: 0, newest: 5000).span.from == 998)
        let known = ClockMeasure(ClockSpan(from: 600), difference: 0)
        #expect(Self.measured(Self.window(.lastSeen), difference: 0, known: known, newest: 900) == known)
    }

    @Test("an absence lies by the clock, or is what came onto the card since the body was last seen")
    func absence() {
        let absence = EventAbsence(
            from: Timestamp(milliseconds: 1_000_000), until: Timestamp(milliseconds: 2_000_000))
        func measured(_ contact: ClockContact, _ known: ClockMeasure? = nil, newest: Int64? = nil)
            -> ClockSpan
        {
            absence.measured(by: contact, known: known, newestKnown: newest).span
        }
        #expect(measured(ClockContact(difference: 7)) == ClockSpan(from: 1007, until: 2007))
        let untold = ClockContact(difference: nil, newestHeld: 900)
        #expect(measured(untold, newest: 600) == ClockSpan(from: 601, until: 901))
        #expect(measured(ClockContact(difference: nil)) == .empty)
        let known = ClockMeasure(ClockSpan(from: 601, until: 901), difference: nil)
        #expect(measured(ClockContact(difference: 7), known) == known.span)
    }
}
