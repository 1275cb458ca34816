import Synchronization

/// How many may listen at a time, and how many do: all together, and the clients of one address.
package final class StreamPlaces: Sendable {
    /// One of them, which is free when its stream lets go of it.
    package final class Place: Sendable {
        private let places: StreamPlaces
        private let client: AddressGroup?

        fileprivate init(in places: StreamPlaces, _ client: AddressGroup?) {
            self.places = places
            self.client = client
        }

        deinit {
            places.count.subtract(1, ordering: .relaxed)
            if let client { places.clients.giveBack(client) }
        }
    }

    private let most: Int
    private let count = Atomic<Int>(0)
    private let clients: ClientCounts

    package init(most: Int) {
        self.most = most
        clients = ClientCounts(most: ClientCounts.share(of: most))
    }

    package var taken: Int { count.load(ordering: .relaxed) }

    /// Nothing where all are taken, or all that one address may have.
    package func take(for client: AddressGroup? = nil) -> Place? {
        guard count.add(1, ordering: .relaxed).newValue <= most, client.map({ clients.take(for: $0) }) ?? true
        else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        return Place(in: self, client)
    }
}
