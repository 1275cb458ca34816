package import Basics

/// The kernel's chance.
package struct SystemRandomSource: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// The machine's calendar.
package struct SystemWallTime: WallTime {
    package init() {}

    package var wallNow: Timestamp {
        let now = WallClock.now
        return Timestamp(milliseconds: now.seconds * 1000 + now.nanoseconds / 1_000_000)
    }

    package func localOffset(at moment: Timestamp) -> Int64 {
        WallClock.localOffset(at: moment.seconds)
    }
}
