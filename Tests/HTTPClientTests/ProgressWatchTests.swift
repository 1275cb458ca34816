import HTTPClient
import Testing

@Suite struct ProgressWatchTests {
    private func sight(_ moved: UInt64, moving: Bool = true, held: Bool = false) -> ProgressWatch.Sight {
        ProgressWatch.Sight(moved: moved, isMoving: moving, isHeld: held)
    }

    @Test("nothing for as long as the limit says is a stall; anything before begins it anew")
    func stall() {
        var watch = ProgressWatch(noProgress: .seconds(30), minimumRate: 0, at: .zero)
        #expect(watch.look(sight(0), at: .seconds(29)) == nil)
        #expect(watch.look(sight(1), at: .seconds(29)) == nil)
        #expect(watch.look(sight(1), at: .seconds(58)) == nil)
        #expect(watch.look(sight(1), at: .seconds(59)) == .stalled(.seconds(30)))
    }

    @Test("a body that begins anew on another connection moves")
    func rewind() {
        var watch = ProgressWatch(noProgress: .seconds(30), minimumRate: 0, at: .zero)
        #expect(watch.look(sight(1000), at: .seconds(1)) == nil)
        #expect(watch.look(sight(0), at: .seconds(30)) == nil)
        #expect(watch.look(sight(0), at: .seconds(59)) == nil)
        #expect(watch.look(sight(0), at: .seconds(60)) == .stalled(.seconds(30)))
    }

    @Test("what is held back does not stall")
    func held() {
        var watch = ProgressWatch(noProgress: .seconds(30), minimumRate: 1000, at: .zero)
        for second in 1...1000 { #expect(watch.look(sight(0, held: true), at: .seconds(second)) == nil) }
        #expect(watch.look(sight(0), at: .seconds(1029)) == nil)
        #expect(watch.look(sight(0), at: .seconds(1030)) == .stalled(.seconds(30)))
    }

    @Test("slower than the minimum over a minute, however fast it was before")
    func slow() {
        var watch = ProgressWatch(noProgress: .seconds(30), minimumRate: 1000, at: .zero)
        var moved: UInt64 = 1_000_000
        #expect(watch.look(sight(moved), at: .seconds(1)) == nil)
        var verdict: ProgressWatch.Verdict?
        var second = 1
        while verdict == nil, second < 300 {
            second += 1
            moved += 900
            verdict = watch.look(sight(moved), at: .seconds(second))
        }
        #expect(verdict == .tooSlow(900))
        #expect((60...70).contains(second))
    }

    @Test("fast enough on average is fast enough, and an answer that is waited for has no rate")
    func enough() {
        var watch = ProgressWatch(noProgress: .seconds(60), minimumRate: 1000, at: .zero)
        var moved: UInt64 = 0
        for second in 1...600 {
            // Everything in one second of thirty.
            moved += second.isMultiple(of: 30) ? 31_000 : 0
            #expect(watch.look(sight(moved), at: .seconds(second)) == nil)
        }
        for second in 601...900 {
            moved += 1
            #expect(watch.look(sight(moved, moving: false), at: .seconds(second)) == nil)
        }
    }
}
