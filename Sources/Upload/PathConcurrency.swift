package import Bridge

/// How many uploads at a time each network path is worth now: its ceiling, and what was found out below it.
package struct PathConcurrency: Sendable {
    /// A destination's way as it was said last.
    package struct Way: Equatable, Sendable {
        /// Destinations of one name share the slots. Another name is another network, of which nothing is known.
        package var path: String
        package var ceiling: Int
        package var isUp: Bool

        package init(path: String, ceiling: Int, isUp: Bool) {
            self.path = path
            self.ceiling = ceiling
            self.isUp = isUp
        }
    }

    private struct Pace: Sendable {
        var adaptive: AdaptiveSlots
        /// What had left for each of its destinations when it was last looked at: one that joins brings a past with it.
        var moved: [DestinationID: UInt64] = [:]
    }

    package private(set) var ways: [DestinationID: Way] = [:]
    private var paces: [String: Pace] = [:]

    package init() {}

    /// The destinations whose slots are other ones now.
    package mutating func set(_ way: Way, to destination: DestinationID) -> [DestinationID] {
        let former = ways.updateValue(way, forKey: destination)
        if paces[way.path] == nil { paces[way.path] = Pace(adaptive: AdaptiveSlots(ceiling: way.ceiling)) }
        paces[way.path]?.adaptive.ceiling(way.ceiling)
        if let former, former.path != way.path {
            paces[former.path]?.moved[destination] = nil
            // A network that is left and joined again is not the same one.
            if destinations(on: former.path).isEmpty { paces[former.path] = nil }
        }
        return destinations(on: way.path)
    }

    package func slots(to destination: DestinationID) -> Int {
        guard let way = ways[destination], way.isUp, let pace = paces[way.path] else { return 0 }
        return min(pace.adaptive.slots, way.ceiling)
    }

    /// What has left since the last time. The destinations whose slots are other ones now.
    package mutating func sample(
        moved: (DestinationID) -> UInt64, underWay: (DestinationID) -> Int, at now: Duration
    ) -> [DestinationID] {
        var changed: [DestinationID] = []
        for path in paces.keys.sorted() {
            guard var pace = paces[path] else { continue }
            let destinations = destinations(on: path)
            var left: UInt64 = 0
            for destination in destinations {
                let total = moved(destination)
                left &+= total - min(pace.moved[destination] ?? total, total)
                pace.moved[destination] = total
            }
            let before = pace.adaptive.slots
            pace.adaptive.moved(left, underWay: destinations.reduce(0) { $0 + underWay($1) }, at: now)
            paces[path] = pace
            if pace.adaptive.slots != before { changed += destinations }
        }
        return changed
    }

    private func destinations(on path: String) -> [DestinationID] {
        ways.filter { $0.value.path == path }.map(\.key).sorted { $0.number < $1.number }
    }
}
