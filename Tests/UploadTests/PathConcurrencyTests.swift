import Bridge
import TestSupport
import Testing
import Upload

@Suite struct PathPacesTests {
    static let here = DestinationID(1)
    static let there = DestinationID(2)

    private func way(_ path: String, ceiling: Int = 8, isUp: Bool = true) -> PathConcurrency.Way {
        PathConcurrency.Way(path: path, ceiling: ceiling, isUp: isUp)
    }

    /// Seconds of a link on which each upload carries a megabyte a second up to a limit.
    private func run(
        _ paces: inout PathConcurrency, _ seconds: Int, from start: Int = 0, most: Int = .max,
        joined: UInt64 = 0
    ) {
        for tick in 1...(seconds * 5) {
            let now = Duration.milliseconds(Int64((start * 5 + tick) * 200))
            let slots = paces.slots(to: Self.here)
            moved += UInt64(min(slots, most)) * 200_000
            let total = moved
            _ = paces.sample(
                moved: { $0 == Self.here ? total : joined }, underWay: { $0 == Self.here ? slots : 0 },
                at: now)
        }
    }

    private var moved: UInt64 {
        get { count.value }
        nonmutating set { count.change { $0 = newValue } }
    }
    private let count = Shared<UInt64>(0)

    @Test(
        "it begins with four, with fewer where that is the limit, and with none while the way is down or unknown"
    )
    func begins() {
        var paces = PathConcurrency()
        #expect(paces.slots(to: Self.here) == 0)
        for (ceiling, slots) in [(8, 4), (4, 4), (2, 2), (1, 1), (0, 0)] {
            #expect(paces.set(way("wlan0", ceiling: ceiling), to: Self.here) == [Self.here])
            #expect(paces.slots(to: Self.here) == slots)
        }
        _ = paces.set(way("wlan0", isUp: false), to: Self.here)
        #expect(paces.slots(to: Self.here) == 0)
        _ = paces.set(way("wlan0"), to: Self.here)
        #expect(paces.slots(to: Self.here) == 4)
    }

    @Test("where each upload more carries more, there are as many as the path bears")
    func grows() {
        var paces = PathConcurrency()
        _ = paces.set(way("wlan0", ceiling: 6), to: Self.here)
        run(&paces, 30)
        #expect(paces.slots(to: Self.here) == 6)
        #expect(paces.set(way("wlan0", ceiling: 3), to: Self.here) == [Self.here])
        #expect(paces.slots(to: Self.here) == 3)
    }

    @Test("destinations by one path have its slots together; each keeps to its own limit")
    func shared() {
        var paces = PathConcurrency()
        _ = paces.set(way("wlan0"), to: Self.here)
        #expect(paces.set(way("wlan0"), to: Self.there) == [Self.here, Self.there])
        run(&paces, 30)
        #expect(paces.slots(to: Self.here) == 8 && paces.slots(to: Self.there) == 8)
        #expect(paces.set(way("wwan0", ceiling: 2), to: Self.there) == [Self.there])
        #expect(paces.slots(to: Self.there) == 2 && paces.slots(to: Self.here) == 8)
    }

    @Test("a network that was left and is joined again is another one")
    func left() {
        var paces = PathConcurrency()
        _ = paces.set(way("wlan0"), to: Self.here)
        run(&paces, 30)
        #expect(paces.slots(to: Self.here) == 8)
        _ = paces.set(way("wwan0"), to: Self.here)
        #expect(paces.slots(to: Self.here) == 4)
        _ = paces.set(way("wlan0"), to: Self.here)
        #expect(paces.slots(to: Self.here) == 4)
    }

    @Test("what a destination has sent before it came to a path is not taken for speed")
    func past() {
        // One upload fills this link, so more are not worth it, whichever destination joins.
        var paces = PathConcurrency()
        _ = paces.set(way("wlan0"), to: Self.here)
        run(&paces, 20, most: 1)
        #expect(paces.slots(to: Self.here) <= 4)
        for second in 0..<5 {
            let joined = UInt64(second + 1) << 40
            _ = paces.set(way("wwan0"), to: Self.there)
            _ = paces.set(way("wlan0"), to: Self.there)
            run(&paces, 1, from: 20 + second, most: 1, joined: joined)
            #expect(paces.slots(to: Self.here) <= 4)
        }
    }
}
