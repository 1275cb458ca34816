import Glibc

/// Time that goes on while the machine is suspended, since some point in the past.
///
/// A laptop that slept for an hour must find its camera's deadlines long past, so this is CLOCK_BOOTTIME and
/// not CLOCK_MONOTONIC, which stands still meanwhile.
package enum MonotonicClock {
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
