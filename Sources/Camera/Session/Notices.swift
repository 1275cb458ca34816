public import PTP

/// What the camera tells by itself, in order, for one reader.
///
/// A camera can report faster than the reader reads. Beyond ``limit`` the newest are dropped, and the reader
/// gets an UnreportedStatus after what was kept: "events were lost, re-list everything" is what that code
/// means in the standard, so both kinds of loss are handled in one place.
public struct Notices: AsyncSequence, Sendable {
    public static let limit = BoundedEventQueue<EventPacket>.limit

    let queue: BoundedEventQueue<EventPacket>

    public func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let queue: BoundedEventQueue<EventPacket>

        /// Nothing once the connection is over and everything was read.
        public func next() async -> EventPacket? {
            await queue.next()
        }
    }
}
