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
    private var handles: [UInt32: CaptureID] = [:]
    /// By rank, in order of arrival; what has been taken out or put back since is passed over.
    private var lanes: [[CaptureID]] = [[], [], []]
    private var heads = [0, 0, 0]
    /// Failed, and due later.
    private var delayed: Set<CaptureID> = []
    private var arrivals = 0

    public init(jpegFirst: Bool) {
        self.jpegFirst = jpegFirst
    }

    public var count: Int { items.count }
    public var isEmpty: Bool { items.isEmpty }

    /// The same photo announced twice is fetched once; what the camera says of it last counts.
    public mutating func add(_ capture: Capture, _ offer: Offer, at now: Duration) {
        if let known = items[capture.id] {
            handles[known.offer.handle] = nil
            let rank = known.rank(jpegFirst)
            items[capture.id]?.offer = offer
            if let new = items[capture.id]?.rank(jpegFirst), new != rank { lanes[new].append(capture.id) }
        } else {
            let item = Item(capture: capture, offer: offer, due: now, arrival: arrivals)
            arrivals += 1
            items[capture.id] = item
            lanes[item.rank(jpegFirst)].append(capture.id)
        }
        handles[offer.handle] = capture.id
    }

    public mutating func remove(_ capture: CaptureID) {
        if let item = items.removeValue(forKey: capture) { handles[item.offer.handle] = nil }
        delayed.remove(capture)
    }

    public func item(withHandle handle: UInt32) -> Item? {
        handles[handle].flatMap { items[$0] }
    }

    /// Takes out what is fetched next; nothing when nothing is due.
    public mutating func next(at now: Duration) -> Item? {
        for rank in lanes.indices {
            // What failed before has waited longest.
            let again = delayed.compactMap { items[$0] }.filter {
                $0.due <= now && $0.rank(jpegFirst) == rank
            }
            if let item = again.min(by: { $0.arrival < $1.arrival }) { return taken(item) }
            while heads[rank] < lanes[rank].count {
                let id = lanes[rank][heads[rank]]
                heads[rank] += 1
                if let item = items[id], !delayed.contains(id), item.rank(jpegFirst) == rank {
                    return taken(item)
                }
            }
            lanes[rank] = []
            heads[rank] = 0
        }
        return nil
    }

    private mutating func taken(_ item: Item) -> Item {
        remove(item.capture.id)
        return item
    }

    /// When the first of those that wait is due; nothing when nothing waits.
    public var nextDue: Duration? {
        items.count > delayed.count ? .zero : delayed.compactMap { items[$0]?.due }.min()
    }

    /// Puts a photo back that could not be fetched. False when that was once too often.
    public mutating func putBack(_ item: Item, at now: Duration) -> Bool {
        var item = item
        item.failures += 1
        guard item.failures < Self.mostFailures else { return false }
        item.due = now + Self.pauses.ceiling(afterFailures: item.failures)
        putBack(item)
        return true
    }

    /// The same without blame: it was our disk or the connection, not the photo.
    public mutating func putBack(_ item: Item) {
        items[item.capture.id] = item
        handles[item.offer.handle] = item.capture.id
        delayed.insert(item.capture.id)
    }
}
