import Synchronization

/// How many may listen at a time, and how many do.
package final class StreamPlaces: Sendable {
    /// One of them, which is free when its stream lets go of it.
    package final class Place: Sendable {
        private let places: StreamPlaces

        fileprivate init(in places: StreamPlaces) {
            self.places = places
        }

        deinit {
            places.count.subtract(1, ordering: .relaxed)
        }
    }

    private let most: Int
    private let count = Atomic<Int>(0)

    package init(most: Int) {
        self.most = most
    }

    package var taken: Int { count.load(ordering: .relaxed) }

    /// Nothing where all are taken.
    package func take() -> Place? {
        guard count.add(1, ordering: .relaxed).newValue <= most else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        return Place(in: self)
    }
}
