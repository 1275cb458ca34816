import Basics
import Posix
import TestSupport

/// A calendar that stands still until it is moved.
final class StandingCalendar: WallTime {
    private let moment: Shared<Timestamp>

    init(_ seconds: Int64 = 1_795_280_400) {
        moment = Shared(Timestamp(milliseconds: seconds * 1000))
    }

    var wallNow: Timestamp { moment.value }
    func localOffset(at moment: Timestamp) -> Int64 { 0 }

    func advance(by span: Duration) {
        moment.change { $0 = $0 + span }
    }

    /// To what other programs take for the time.
    func catchUp() { moment.change { $0 = max($0, SystemWallTime().wallNow) } }
}

/// Numbers that do not repeat.
final class Counting: RandomSource {
    private let last = Shared<UInt64>(0)

    func next() -> UInt64 {
        last.change { last in
            last += 1
            return last &* 0x9E37_79B9_7F4A_7C15
        }
    }
}
