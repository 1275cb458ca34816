public import Bridge

/// What a camera tells by itself, in order, for one reader.
///
/// A camera can tell faster than the reader reads. Beyond ``limit`` the newest are dropped, and the reader is told that
/// cards may have changed: everything has to be listed again, which is what both kinds of loss mean.
public struct CameraChanges: AsyncSequence, Sendable {
    public static let limit = BoundedEventQueue<CameraChange>.limit

    private let queue = BoundedEventQueue<CameraChange>(whenLost: .cardsChanged)

    public init() {}

    /// From any thread.
    public func push(_ change: CameraChange) { queue.push(change) }

    /// Nothing more will come.
    public func finish() { queue.finish() }

    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

    public struct Iterator: AsyncIteratorProtocol {
        let queue: BoundedEventQueue<CameraChange>

        /// Nothing once the connection is over and everything was read.
        public func next() async -> CameraChange? { await queue.next() }
    }
}
