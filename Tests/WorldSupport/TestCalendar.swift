package import Basics
package import TestSupport

/// A calendar that moves with a test's clock, and can be set.
package final class TestCalendar: WallTime {
    private let clock: ManualClock
    private let start = Shared(Timestamp(milliseconds: 1_800_000_000_000))

    package init(_ clock: ManualClock) {
        self.clock = clock
    }

    /// How often it was looked at.
    package let looks = Shared(0)

    package var wallNow: Timestamp {
        looks.change { $0 += 1 }
        return start.value + clock.now
    }

    package func localOffset(at moment: Timestamp) -> Int64 { 3600 }
    package func set(by span: Duration) { start.change { $0 = $0 + span } }
}
