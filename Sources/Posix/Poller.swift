import CLinux
import Glibc

/// The descriptors of one `poll(2)` and who waits for each. Kept from turn to turn for its memory.
struct Poller {
    private var entries: [pollfd] = []
    private var waiters: [Waiter] = []
    /// The waiters whose descriptors have an event.
    private(set) var ready: Set<ObjectIdentifier> = []
    private(set) var wasWoken = false

    mutating func set(_ waiting: [Waiter]) {
        entries.removeAll(keepingCapacity: true)
        waiters.removeAll(keepingCapacity: true)
        // The first place is the wake-up's.
        entries.append(pollfd())
        for waiter in waiting where waiter.interest.descriptor >= 0 {
            entries.append(
                pollfd(fd: waiter.interest.descriptor, events: waiter.interest.events, revents: 0))
            waiters.append(waiter)
        }
    }

    /// Waits until something happens or `deadline` has come; without one, as long as it takes.
    mutating func poll(_ wakeUp: Int32, until deadline: Duration?, with guest: (any EventLoopClient)? = nil) {
        entries[0] = pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)
        ready.removeAll(keepingCapacity: true)
        let milliseconds = Self.milliseconds(until: deadline)
        let count =
            guest?.poll(&entries, milliseconds) ?? Glibc.poll(&entries, nfds_t(entries.count), milliseconds)
        // An interrupted poll says nothing; the next turn asks again.
        guard count > 0 else {
            wasWoken = false
            return
        }
        wasWoken = entries[0].revents != 0
        for (entry, waiter) in zip(entries.dropFirst(), waiters) where entry.revents != 0 {
            ready.insert(ObjectIdentifier(waiter))
        }
    }

    /// Rounded up: waking before the deadline would only mean another turn.
    private static func milliseconds(until deadline: Duration?) -> Int32 {
        guard let deadline else { return -1 }
        let left = deadline - MonotonicClock.now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < 86_400 else { return 86_400_000 }
        return Int32(seconds) * 1000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// An eventfd that ends a `poll(2)` from another thread.
final class WakeUp: Sendable {
    private let event: OwnedDescriptor

    var descriptor: Int32 { event.number }

    init() throws(SystemError) {
        event = OwnedDescriptor(owning: try check("eventfd", on: "reactor") { tl_eventfd() })
    }

    func fire() {
        var one: UInt64 = 1
        // It can only fail when the counter is full, and then it is readable anyway.
        _ = write(descriptor, &one, 8)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
