/// What is still to be fetched from one camera, and in which order: what would be lost first, then what everybody
/// waits for, then by arrival. A photo that was not ready comes back later without holding up the others.
public struct FetchQueue: Equatable, Sendable {
    public struct Item: Equatable, Sendable {
        public var capture: Capture
        public var offer: Offer
        /// Tries in this connection that came to nothing.
        public var failures = 0
        /// Not before this.
        public var due: Duration
        let arrival: Int

        /// Lower goes first.
        func rank(_ jpegFirst: Bool) -> Int {
            if offer.isInMemory { return 0 }
            return jpegFirst && offer.identity.kind != .picture ? 2 : 1
        }
    }

    /// Tries of one photo in one connection. At the next connection it is tried anew.
    public static let mostFailures = 8
    private static let pauses = Backoff(first: .milliseconds(250), longest: .seconds(8))

    private let jpegFirst: Bool
    private var items: [CaptureID: Item] = [:]
    private var arrivals = 0

    public init(jpegFirst: Bool) {
        self.jpegFirst = jpegFirst
    }

    public var count: Int { items.count }
    public var isEmpty: Bool { items.isEmpty }

    /// The same photo announced twice is fetched once; what the camera says of it last counts.
    public mutating func add(_ capture: Capture, _ offer: Offer, at now: Duration) {
        if items[capture.id] != nil {
            items[capture.id]?.offer = offer
        } else {
            items[capture.id] = Item(capture: capture, offer: offer, due: now, arrival: arrivals)
            arrivals += 1
        }
    }

    public mutating func remove(_ capture: CaptureID) {
        items[capture] = nil
    }

    public func item(withHandle handle: UInt32) -> Item? {
        items.values.first { $0.offer.handle == handle }
    }

    /// Takes out what is fetched next; nothing when nothing is due.
    public mutating func next(at now: Duration) -> Item? {
        let ready = items.values.filter { $0.due <= now }
        guard let best = ready.min(by: { ($0.rank(jpegFirst), $0.arrival) < ($1.rank(jpegFirst), $1.arrival) })
        else { return nil }
        items[best.capture.id] = nil
        return best
    }

    /// When the first of those that wait is due.
    public var nextDue: Duration? { items.values.map(\.due).min() }

    /// Puts a photo back that could not be fetched. False when that was once too often.
    public mutating func putBack(_ item: Item, at now: Duration) -> Bool {
        var item = item
        item.failures += 1
        guard item.failures < Self.mostFailures else { return false }
        item.due = now + Self.pauses.ceiling(afterFailures: item.failures)
        items[item.capture.id] = item
        return true
    }

    /// The same without blame: it was our disk, not the photo.
    public mutating func putBackUnharmed(_ item: Item) {
        items[item.capture.id] = item
    }
}
