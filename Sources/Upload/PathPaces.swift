import Bridge

/// How many uploads at a time each network path is worth now: its ceiling, and what was found out below it.
struct PathPaces: Sendable {
    /// A destination's way as it was said last.
    struct Way: Equatable, Sendable {
        /// Whoever says the same shares the slots. Another name is another network, of which nothing is known.
        var path: String
        var ceiling: Int
        var isUp: Bool
    }

    private struct Pace: Sendable {
        var adaptive: AdaptiveSlots
        /// What had left by this path when it was last looked at.
        var moved: UInt64 = 0
    }

    private(set) var ways: [DestinationID: Way] = [:]
    private var paces: [String: Pace] = [:]

    /// The destinations whose slots are other ones now.
    mutating func set(_ way: Way, to destination: DestinationID) -> [DestinationID] {
        let former = ways.updateValue(way, forKey: destination)
        if paces[way.path] == nil { paces[way.path] = Pace(adaptive: AdaptiveSlots(ceiling: way.ceiling)) }
        paces[way.path]?.adaptive.ceiling(way.ceiling)
        // A network that is left and joined again is not the same one.
        if let former, former.path != way.path, destinations(on: former.path).isEmpty {
            paces[former.path] = nil
        }
        return destinations(on: way.path)
    }

    func slots(to destination: DestinationID) -> Int {
        guard let way = ways[destination], way.isUp, let pace = paces[way.path] else { return 0 }
        return min(pace.adaptive.slots, way.ceiling)
    }

    /// What has left since the last time. The destinations whose slots are other ones now.
    mutating func sample(
        moved: (DestinationID) -> UInt64, underWay: (DestinationID) -> Int, at now: Duration
    ) -> [DestinationID] {
        var changed: [DestinationID] = []
        for path in paces.keys.sorted() {
            guard var pace = paces[path] else { continue }
            let destinations = destinations(on: path)
            let total = destinations.reduce(0) { $0 &+ moved($1) }
            let before = pace.adaptive.slots
            pace.adaptive.moved(
                total &- min(pace.moved, total), underWay: destinations.reduce(0) { $0 + underWay($1) }, at: now)
            pace.moved = total
            paces[path] = pace
            if pace.adaptive.slots != before { changed += destinations }
        }
        return changed
    }

    private func destinations(on path: String) -> [DestinationID] {
        ways.filter { $0.value.path == path }.map(\.key).sorted { $0.number < $1.number }
    }
}
