import Bridge
import TestSupport
import Testing

@Suite struct AdaptiveSlotsTests {
    static let seeds = Cases.seeds(full: 100)

    struct Link: Sendable, CustomTestStringConvertible {
        let name: String
        let link: ModelLink
        var files = 40
        var size = 4_000_000
        var testDescription: String { name }
    }

    static let links = [
        Link(name: "no loss", link: .clean),
        Link(name: "2 % loss, BBR", link: .bbr),
        Link(name: "1 % loss, cubic", link: .lossyCubic),
        Link(name: "2 % loss and far, cubic", link: .farLossyCubic),
        Link(
            name: "small files, far away",
            link: ModelLink(capacity: 5_000_000, each: 5_000_000, latency: .milliseconds(100)),
            files: 1000, size: 100_000),
        Link(
            name: "small files on a lossy link",
            link: ModelLink(capacity: 5_000_000, each: 500_000, latency: .milliseconds(50)),
            files: 1000, size: 100_000),
        Link(
            name: "a slow link",
            link: ModelLink(capacity: 60_000, each: 60_000), files: 12, size: 1_000_000),
        Link(
            name: "a slow link that loses",
            link: ModelLink(capacity: 400_000, each: 50_000), files: 40, size: 1_000_000),
        Link(
            name: "a rough link", link: ModelLink(capacity: 4_750_000, each: 1_000_000, noise: 40), files: 40),
    ]

    /// Of many runs, as the table of one measured.
    static func mean(_ body: (UInt64) -> Double) -> Double {
        seeds.map(body).reduce(0, +) / Double(seeds.count)
    }

    @Test(
        "within 15 % of the best number of uploads, without being told the link", arguments: links,
        [3, 6, 8])
    func nearTheBest(link: Link, ceiling: Int) {
        let best =
            (1...ceiling).map { slots in
                Self.mean { seed in
                    ModelUpload.seconds(link.link, files: link.files, of: link.size, slots: slots, seed: seed)
                }
            }.min() ?? 0
        let adaptive = Self.mean { seed in
            ModelUpload.adaptive(link.link, files: link.files, of: link.size, ceiling: ceiling, seed: seed)
                .seconds
        }
        #expect(adaptive <= best * 1.15, "\(adaptive) s where \(best) s is best")
    }

    @Test("the model gives the times that were measured", arguments: [1, 2, 4, 8])
    func modelIsTrue(slots: Int) {
        // 12 × 4 MB over 40 Mbit/s: no loss, 2 % with BBR, 1 % and 2 % with cubic.
        let measured: [(ModelLink, [Int: Double])] = [
            (.clean, [1: 10.2, 2: 10.1, 4: 10.1, 8: 10.1]),
            (.bbr, [1: 13.6, 2: 12.2, 4: 11.5, 8: 11.4]),
            (.lossyCubic, [1: 61.5, 2: 33.0, 4: 16.8, 8: 12.1]),
            (.farLossyCubic, [4: 64.0, 8: 41.7]),
        ]
        for (link, times) in measured {
            guard let time = times[slots] else { continue }
            let seconds = Self.mean {
                ModelUpload.seconds(link, files: 12, of: 4_000_000, slots: slots, seed: $0)
            }
            #expect(abs(seconds / time - 1) < 0.15, "\(seconds) s, measured \(time) s")
        }
    }

    @Test("a link that changes under way is noticed: what it carries is within 15 % of the best from then on")
    func changing() {
        let phases: [(String, ModelLink, ModelLink)] = [
            ("a clean link begins to lose", .clean, .lossyCubic),
            ("a lossy one recovers", .lossyCubic, .clean),
            ("cubic far away after BBR", .bbr, .farLossyCubic),
        ]
        for (name, before, after) in phases {
            let best =
                [1, 2, 4, 8].map { slots in
                    Self.mean { Self.carried(before, after, seed: $0) { _ in slots } }
                }.max() ?? 0
            let adaptive = Self.mean { seed in
                var adaptive = AdaptiveSlots(ceiling: 8)
                return Self.carried(before, after, seed: seed) { upload in
                    if let upload { adaptive.moved(upload.bytes, underWay: upload.underWay, at: upload.at) }
                    return adaptive.slots
                }
            }
            #expect(adaptive >= best / 1.15, "\(name): \(adaptive) bytes where \(best) are best")
        }
    }

    /// Bytes that arrive in the minute behind a change, of more files than get through.
    private static func carried(
        _ before: ModelLink, _ after: ModelLink, seed: UInt64,
        slots: ((bytes: UInt64, underWay: Int, at: Duration)?) -> Int
    ) -> Double {
        var upload = ModelUpload(before, files: 10_000, of: 4_000_000, seed: seed)
        var allowed = slots(nil)
        func run(until end: Double) {
            while upload.now < end {
                guard let bytes = upload.advance(slots: allowed) else { continue }
                allowed = slots((bytes, upload.underWay, .seconds(upload.now)))
            }
        }
        run(until: 45)
        let sent = upload.sent
        upload.link = after
        run(until: 105)
        return upload.sent - sent
    }

    @Test("on a clean link it settles low, on a lossy one high, and stays there")
    func settles() {
        for (link, range) in [(ModelLink.clean, 2...4), (.lossyCubic, 6...8), (.farLossyCubic, 8...8)] {
            for seed in Self.seeds {
                var upload = ModelUpload(link, files: 10_000, of: 4_000_000, seed: seed)
                var slots = AdaptiveSlots(ceiling: 8)
                var outside = 0.0
                while upload.now < 300 {
                    upload.advance(&slots)
                    if upload.now > 60, !range.contains(slots.slots) { outside += 0.01 }
                }
                #expect(outside < 24, "seed \(seed): \(outside) of 240 s outside \(range)")
            }
        }
    }

    @Test("a link that has recovered is used with fewer again")
    func comesDown() {
        var slotsAfterwards: [Int] = []
        for seed in Self.seeds {
            var upload = ModelUpload(.lossyCubic, files: 10_000, of: 4_000_000, seed: seed)
            var slots = AdaptiveSlots(ceiling: 8)
            while upload.now < 60 { upload.advance(&slots) }
            upload.link = .clean
            while upload.now < 400 { upload.advance(&slots) }
            slotsAfterwards.append(slots.slots)
        }
        #expect(slotsAfterwards.allSatisfy { $0 <= 4 }, "\(slotsAfterwards)")
    }

    @Test("without enough to do nothing is learned, however slow or fast it looks")
    func idle() {
        var slots = AdaptiveSlots(ceiling: 8)
        var random = Seeded(1)
        for tick in 0..<2000 {
            let bytes = UInt64.random(in: 0...1_000_000, using: &random)
            slots.moved(bytes, underWay: tick % 40 == 0 ? 4 : 3, at: .milliseconds(tick * 50))
            #expect(slots.slots == 4)
        }
    }

    @Test("a link on which nothing moves teaches nothing")
    func stalled() {
        var slots = AdaptiveSlots(ceiling: 8)
        for tick in 0..<2000 { slots.moved(0, underWay: slots.slots, at: .milliseconds(tick * 50)) }
        #expect(slots.slots == 4)
    }

    @Test("a step up that was never used is taken back before it is compared with another time")
    func stale() {
        var slots = AdaptiveSlots(ceiling: 8)
        var tick = 0
        func go(_ seconds: Int, underWay: Int) {
            for _ in 0..<(seconds * 20) {
                tick += 1
                slots.moved(50_000, underWay: underWay, at: .milliseconds(tick * 50))
            }
        }
        go(2, underWay: 4)
        #expect(slots.slots == 8)
        go(10, underWay: 1)
        #expect(slots.slots == 4)
    }

    @Test("never above the ceiling, and a new ceiling counts at once")
    func ceilings() {
        var slots = AdaptiveSlots(ceiling: 0)
        #expect(slots.slots == 0)
        slots.ceiling(1)
        #expect(slots.slots == 1)
        slots.ceiling(8)
        #expect(slots.slots == 4)
        // Each connection carries as much again: it grows to the ceiling, however that moves.
        var random = Seeded(7)
        var ceiling = 8
        for tick in 0..<10_000 {
            if random.chance(1) {
                ceiling = Int.random(in: 0...10, using: &random)
                slots.ceiling(ceiling)
                #expect(slots.slots <= ceiling && (slots.slots > 0) == (ceiling > 0))
            }
            let bytes = UInt64(slots.slots * 20_000)
            slots.moved(bytes, underWay: slots.slots, at: .milliseconds(tick * 50))
            #expect(slots.slots <= ceiling)
        }
        slots.ceiling(8)
        for tick in 10_000..<10_400 {
            slots.moved(UInt64(slots.slots * 20_000), underWay: slots.slots, at: .milliseconds(tick * 50))
        }
        #expect(slots.slots == 8)
        slots.pathChanged(ceiling: 3)
        #expect(slots == AdaptiveSlots(ceiling: 3))
    }

    @Test("time that stands still or goes back does no harm")
    func oddTimes() {
        var slots = AdaptiveSlots(ceiling: 8)
        var random = Seeded(3)
        for _ in 0..<20_000 {
            let at = Duration.milliseconds(Int.random(in: 0...5000, using: &random))
            let bytes: UInt64 = random.chance(1) ? .max : .random(in: 0...100_000, using: &random)
            slots.moved(bytes, underWay: Int.random(in: -1...9, using: &random), at: at)
            #expect((1...8).contains(slots.slots))
        }
    }
}
