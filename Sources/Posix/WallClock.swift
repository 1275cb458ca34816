import CLinux
import Glibc

/// The time of day. It jumps when it is set: for names and records, never for deadlines.
package enum WallClock {
    package static var now: (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }

    /// Whether the kernel's clock follows another one, as a program such as chrony or systemd-timesyncd has told it;
    /// nothing where it does not say.
    package static var isSynchronised: Bool? {
        switch tl_clock_is_synchronised() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// The same in the unit of capture files.
    package static func microseconds() -> (seconds: Int64, microseconds: Int64) {
        let now = now
        return (now.seconds, now.nanoseconds / 1000)
    }

    /// How far local time is ahead of UTC then, by this machine's rules.
    package static func localOffset(at seconds: Int64) -> Int64 {
        var time = time_t(seconds)
        var fields = tm()
        localtime_r(&time, &fields)
        return Int64(fields.tm_gmtoff)
    }

    /// The second that a local date and time names; nothing when there is none.
    package static func seconds(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> Int64? {
        var fields = tm()
        fields.tm_year = Int32(year - 1900)
        fields.tm_mon = Int32(month - 1)
        fields.tm_mday = Int32(day)
        fields.tm_hour = Int32(hour)
        fields.tm_min = Int32(minute)
        fields.tm_sec = Int32(second)
        // Whether it is summer then is the system's to find out.
        fields.tm_isdst = -1
        let result = mktime(&fields)
        return result == -1 ? nil : Int64(result)
    }
}
