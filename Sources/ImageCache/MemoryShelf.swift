/// Images in memory, up to so many bytes; the one that was asked for longest ago goes first.
struct MemoryShelf {
    struct Held {
        var row: ImageRow
        let bytes: [UInt8]
    }

    private struct Place {
        var held: Held
        var use: UInt64
    }

    let capacity: Int
    let largest: Int
    private var places: [String: Place] = [:]
    /// Keys in the order of their uses; an entry whose number is not its key's last is passed over.
    private var uses: [(key: String, use: UInt64)] = []
    private var firstUse = 0
    private var nextUse: UInt64 = 0
    private(set) var bytes = 0

    /// Entries that are passed over are cleared away when they are more than the others.
    private static let slack = 64

    init(capacity: Int, largest: Int) {
        self.capacity = capacity
        self.largest = largest
    }

    var count: Int { places.count }

    /// Without counting as a use.
    func peek(_ key: String) -> Held? { places[key]?.held }

    /// Without counting as a use. Looks at all of them.
    func row(of object: ImageObject, _ kind: String) -> ImageRow? {
        places.values.first { $0.held.row.object == object && $0.held.row.kind == kind }?.held.row
    }

    mutating func find(_ key: String) -> Held? {
        guard places[key] != nil else { return nil }
        use(key)
        return places[key]?.held
    }

    mutating func put(_ held: Held) {
        let key = held.row.cacheKey
        remove(key)
        guard held.bytes.count <= min(capacity, largest) else { return }
        while bytes + held.bytes.count > capacity, let oldest = oldest() { remove(oldest) }
        places[key] = Place(held: held, use: 0)
        bytes += held.bytes.count
        use(key)
    }

    /// The same bytes, of which more is known now.
    mutating func renew(_ row: ImageRow) {
        places[row.cacheKey]?.held.row = row
    }

    mutating func remove(_ key: String) {
        guard let place = places.removeValue(forKey: key) else { return }
        bytes -= place.held.bytes.count
    }

    mutating func removeAll(where isMeant: (ImageRow) -> Bool) {
        for (key, place) in places where isMeant(place.held.row) { remove(key) }
    }

    private mutating func use(_ key: String) {
        nextUse += 1
        places[key]?.use = nextUse
        uses.append((key, nextUse))
        guard uses.count - firstUse > 2 * places.count + Self.slack else { return }
        uses = uses[firstUse...].filter { places[$0.key]?.use == $0.use }
        firstUse = 0
    }

    private mutating func oldest() -> String? {
        while firstUse < uses.count {
            let (key, use) = uses[firstUse]
            firstUse += 1
            if places[key]?.use == use { return key }
        }
        return nil
    }
}
