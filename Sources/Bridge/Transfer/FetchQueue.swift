import Basics

/// What is still to be fetched from one camera, and in which order: what would be lost first, then what viewers
/// wait for, then by arrival; what has cost connections comes behind the others. A photo that was not ready comes back
/// later without holding up the others.
public struct FetchQueue: Equatable, Sendable {
    public enum Standing: Equatable, Sendable {
        case usual
        /// The connection ended over it once: behind all that have cost nothing.
        case behind
        /// It has cost several connections: last.
        case suspect
    }

    public struct Item: Equatable, Sendable {
        public var capture: Capture
        public var offer: Offer
        public var standing = Standing.usual
        /// Tries in this connection that came to nothing.
        public var failures = 0
        /// Not before this.
        public var due: Duration
        let arrival: Int

        /// Lower goes first.
        func rank(_ jpegFirst: Bool) -> Int {
            switch standing {
            case .behind: return 3
            case .suspect: return 4
            case .usual: break
            }
            if offer.isInMemory { return 0 }
            return jpegFirst && offer.identity.kind != .picture ? 2 : 1
        }
    }

    /// Tries of one photo in one connection. At the next connection it is tried anew.
    public static let mostFailures = 8
    private static let pauses = Backoff(first: .milliseconds(250), longest: .seconds(8))

    /// A place in one of the lines. It stands for its photo as long as its number is the photo's; what has
    /// lost it is passed over.
    private struct QueueEntry: Comparable {
        let due: Duration
        let arrival: Int
        let capture: CaptureID
        let number: Int

        static func < (left: QueueEntry, right: QueueEntry) -> Bool {
            (left.due, left.arrival) < (right.due, right.arrival)
        }
    }

    /// Who is removed and comes again gets another number, and not its old place.
    private struct Arrival: Equatable {
        let capture: CaptureID
        let number: Int
    }

    private let jpegFirst: Bool
    private var items: [CaptureID: Item] = [:]
    /// A camera may give one reference to two photos; the last that got it counts.
    private var references: [PhotoReference: [CaptureID]] = [:]
    /// Those that never failed, by rank, in order of arrival.
    private var lanes: [[Arrival]] = [[], [], [], [], []]
    private var heads = [0, 0, 0, 0, 0]
    /// Failed, and due later: the number of each, and the places by time. The first place always counts.
    private var delayed: [CaptureID: Int] = [:]
    private var later = Heap<QueueEntry>()
    /// Failed, and due again: the number of each, and the places by rank.
    private var dueAgain: [CaptureID: Int] = [:]
    private var again = [
        Heap<QueueEntry>(), Heap<QueueEntry>(), Heap<QueueEntry>(), Heap<QueueEntry>(), Heap<QueueEntry>(),
    ]
    /// Those that have cost connections.
    private var blamed: Set<CaptureID> = []
    private var arrivals = 0
    private var places = 0

    public init(jpegFirst: Bool) {
        self.jpegFirst = jpegFirst
    }

    public var count: Int { items.count }
    public var isEmpty: Bool { items.isEmpty }
    /// One waits that has cost nothing.
    public var hasUnblamed: Bool { items.count > blamed.count }

    /// The same photo announced twice is fetched once; what the camera says of it last counts.
    public mutating func add(
        _ capture: Capture, _ offer: Offer, standing: Standing = .usual, at now: Duration
    ) {
        let id = capture.id
        guard let known = items[id] else {
            let item = Item(
                capture: capture, offer: offer, standing: standing, due: now, arrival: arrivals)
            arrivals += 1
            keep(item)
            references[offer.reference, default: []].append(id)
            lanes[item.rank(jpegFirst)].append(Arrival(capture: id, number: item.arrival))
            return
        }
        var item = known
        (item.offer, item.standing) = (offer, standing)
        keep(item)
        dropReference(of: known)
        references[offer.reference, default: []].append(id)
        let rank = item.rank(jpegFirst)
        guard rank != known.rank(jpegFirst), delayed[id] == nil else { return }
        if let number = dueAgain[id] {
            again[rank].insert(QueueEntry(due: .zero, arrival: item.arrival, capture: id, number: number))
        } else {
            lanes[rank].append(Arrival(capture: id, number: item.arrival))
        }
    }

    private mutating func keep(_ item: Item) {
        items[item.capture.id] = item
        if item.standing == .usual {
            if !blamed.isEmpty { blamed.remove(item.capture.id) }
        } else {
            blamed.insert(item.capture.id)
        }
    }

    public mutating func remove(_ capture: CaptureID) {
        if let item = items.removeValue(forKey: capture) { dropReference(of: item) }
        if !blamed.isEmpty { blamed.remove(capture) }
        delayed[capture] = nil
        dueAgain[capture] = nil
        passOverLost()
    }

    private mutating func dropReference(of item: Item) {
        references[item.offer.reference]?.removeAll { $0 == item.capture.id }
        if references[item.offer.reference]?.isEmpty == true { references[item.offer.reference] = nil }
    }

    public func item(called reference: PhotoReference) -> Item? {
        references[reference]?.last.flatMap { items[$0] }
    }

    public func item(_ capture: CaptureID) -> Item? { items[capture] }

    /// Takes out what is fetched next; nothing when nothing is due. A suspect is not taken while any other is left,
    /// due or not.
    public mutating func next(at now: Duration) -> Item? {
        admit(at: now)
        for rank in lanes.indices {
            if rank == lanes.count - 1, hasUnblamed { return nil }
            // What failed before has waited longest.
            while let place = again[rank].popFirst() {
                if let item = items[place.capture], dueAgain[place.capture] == place.number,
                    item.rank(jpegFirst) == rank
                {
                    return taken(item)
                }
            }
            while heads[rank] < lanes[rank].count {
                let arrival = lanes[rank][heads[rank]]
                let id = arrival.capture
                heads[rank] += 1
                if let item = items[id], item.arrival == arrival.number, item.rank(jpegFirst) == rank,
                    delayed[id] == nil, dueAgain[id] == nil
                {
                    return taken(item)
                }
            }
            lanes[rank] = []
            heads[rank] = 0
        }
        return nil
    }

    /// Moves those whose time has come to where they are taken from.
    private mutating func admit(at now: Duration) {
        while let place = later.first, place.due <= now {
            _ = later.popFirst()
            let id = place.capture
            if let item = items[id], delayed[id] == place.number {
                delayed[id] = nil
                dueAgain[id] = place.number
                again[item.rank(jpegFirst)].insert(
                    QueueEntry(due: .zero, arrival: item.arrival, capture: id, number: place.number))
            }
        }
        passOverLost()
    }

    private mutating func passOverLost() {
        while let place = later.first, delayed[place.capture] != place.number { _ = later.popFirst() }
    }

    private mutating func taken(_ item: Item) -> Item {
        remove(item.capture.id)
        return item
    }

    /// When to look again where ``next(at:)`` gave nothing.
    public var nextDelayed: Duration? { later.first?.due }

    /// When the first of those that wait is due; nothing when nothing waits.
    public var nextDue: Duration? {
        items.count > delayed.count ? .zero : later.first?.due
    }

    /// Puts a photo back that could not be fetched. False when that was once too often; then it is not in
    /// the queue, even if it was announced again meanwhile.
    public mutating func putBack(_ item: Item, at now: Duration) -> Bool {
        var item = item
        item.failures += 1
        guard item.failures < Self.mostFailures else {
            remove(item.capture.id)
            return false
        }
        item.due = now + Self.pauses.ceiling(afterFailures: item.failures)
        putBack(item)
        return true
    }

    /// The same without blame: it was our disk or the connection, not the photo.
    public mutating func putBack(_ item: Item, notBefore due: Duration) {
        var item = item
        item.due = max(item.due, due)
        putBack(item)
    }

    private mutating func putBack(_ item: Item) {
        var item = item
        let id = item.capture.id
        if let newer = items[id] {
            // Announced again while it was being fetched: what the camera said last counts.
            (item.capture, item.offer) = (newer.capture, newer.offer)
            dropReference(of: newer)
        }
        keep(item)
        references[item.offer.reference, default: []].append(id)
        dueAgain[id] = nil
        delayed[id] = places
        later.insert(QueueEntry(due: item.due, arrival: item.arrival, capture: id, number: places))
        places += 1
        passOverLost()
    }
}
