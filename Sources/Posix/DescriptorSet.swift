import CLinux
import Glibc

/// Many descriptors that one thread waits at (epoll(7)): a turn costs what has happened, and not what might.
package final class DescriptorSet: @unchecked Sendable {
    package struct Event: Sendable {
        package let descriptor: Int32
        /// It takes bytes again.
        package let hasRoom: Bool
        /// The other side has left, or sends nothing more.
        package let isOver: Bool
    }

    private let epoll: OwnedDescriptor
    private let wakeUp: WakeUp
    /// Of the one thread that waits.
    private var descriptors = [Int32](repeating: 0, count: DescriptorSet.batch)
    private var happened = [UInt32](repeating: 0, count: DescriptorSet.batch)
    private static let batch = 256

    package init() throws(SystemError) {
        epoll = OwnedDescriptor(owning: try check("epoll_create", on: "this process") { tl_epoll() })
        wakeUp = try WakeUp()
        try check("epoll_ctl", on: "this process") {
            tl_epoll_add(epoll.number, wakeUp.descriptor, UInt32(tl_epoll_bytes))
        }
    }

    /// Its owner closes it, which takes it out of the set where it has no other number.
    package func add(_ descriptor: Int32) throws(SystemError) {
        try check("epoll_ctl", on: "a connection") { tl_epoll_add(epoll.number, descriptor, 0) }
    }

    /// Whether it is told when a descriptor takes bytes again.
    package func waitForRoom(at descriptor: Int32, _ waits: Bool) throws(SystemError) {
        let wanted = waits ? UInt32(tl_epoll_room) : 0
        try check("epoll_ctl", on: "a connection") { tl_epoll_change(epoll.number, descriptor, wanted) }
    }

    /// Ends the wait of the other thread, or its next one.
    package func wake() { wakeUp.fire() }

    /// Blocks until something happens at one of them or another thread wakes this one.
    package func wait() throws(SystemError) -> [Event] {
        let count = try check("epoll_wait", on: "this process") {
            tl_epoll_wait(epoll.number, &descriptors, &happened, Int32(Self.batch))
        }
        var events: [Event] = []
        for index in 0..<Int(count) {
            if descriptors[index] == wakeUp.descriptor {
                wakeUp.clear()
                continue
            }
            events.append(
                Event(
                    descriptor: descriptors[index],
                    hasRoom: happened[index] & UInt32(tl_epoll_room) != 0,
                    isOver: happened[index] & UInt32(tl_epoll_end) != 0))
        }
        return events
    }
}
