import TestSupport
import Testing

@testable import Gallery

@Suite struct RateLimiterTests {
    @Test("in any window there are at most as many tries as the rule says", arguments: Cases.seeds(full: 200))
    func exact(seed: UInt64) {
        var random = Seeded(seed)
        var limiter = SlidingWindowLimiter<Int>(WindowRule(5, in: .seconds(60)))
        var admitted: [Duration] = []
        var now = Duration.zero
        for _ in 0..<500 {
            now += .milliseconds(Int64.random(in: 0..<20_000, using: &random))
            let recent = admitted.filter { $0 + .seconds(60) > now }
            guard let wait = limiter.wait(for: 1, at: now) else {
                #expect(recent.count < 5)
                limiter.note(1, at: now)
                admitted.append(now)
                continue
            }
            #expect(recent.count == 5)
            // Exactly then, and not a moment before.
            #expect(limiter.wait(for: 1, at: now + wait) == nil)
            #expect(limiter.wait(for: 1, at: now + wait - .milliseconds(1)) != nil)
        }
        #expect(admitted.count > 100)
    }

    @Test("one key's tries are no other's, and a try that is taken back is none")
    func keys() {
        var limiter = SlidingWindowLimiter<String>(WindowRule(2, in: .seconds(60)))
        limiter.note("a", at: .seconds(1))
        limiter.note("a", at: .seconds(2))
        #expect(limiter.wait(for: "a", at: .seconds(3)) == .seconds(58))
        #expect(limiter.wait(for: "b", at: .seconds(3)) == nil)
        limiter.forget("a", at: .seconds(2))
        #expect(limiter.wait(for: "a", at: .seconds(3)) == nil)
        limiter.forget("a", at: .seconds(1))
        limiter.forget("a", at: .seconds(1))
        #expect(limiter.keys == 0)
    }

    @Test("it remembers a bounded number of keys, and those that are busy longest")
    func bounded() {
        var limiter = SlidingWindowLimiter<Int>(WindowRule(2, in: .seconds(60)), mostKeys: 100)
        for index in 0..<10_000 {
            let now = Duration.milliseconds(index * 10)
            // One key tries all the time.
            limiter.note(-1, at: now)
            limiter.note(index, at: now)
            #expect(limiter.keys <= 101)
            #expect(limiter.wait(for: -1, at: now) != nil || index == 0)
        }
    }

    @Test("a customer's whole IPv6 network counts as one, and an IPv4 address as itself in either form")
    func peers() {
        #expect(PeerKey("2001:db8:1:2::1") == PeerKey("2001:db8:1:2:ffff::9"))
        #expect(PeerKey("2001:db8:1:2::1") != PeerKey("2001:db8:1:3::1"))
        #expect(PeerKey("192.0.2.1") == PeerKey("::ffff:192.0.2.1"))
        #expect(PeerKey("192.0.2.1") != PeerKey("192.0.2.2"))
        #expect(PeerKey("fe80::1%eth0") == PeerKey("fe80::2%eth1"))
        #expect(PeerKey("unix") != PeerKey("other") && PeerKey("unix") == PeerKey("unix"))
    }
}
