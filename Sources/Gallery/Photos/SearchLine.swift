/// Whose searches take turns with others'.
package struct SearchClient: Hashable, Sendable {
    enum Guest: Hashable, Sendable {
        /// By its browser's cookie, or its account.
        case known(String)
        /// All others behind the address.
        case unknown
    }

    let address: PeerKey
    let guest: Guest

    init(_ address: PeerKey, _ guest: Guest = .unknown) {
        self.address = address
        self.guest = guest
    }

    static let mostWaiting = 1000
    static let mostOfAddress = 256

    /// How many of its searches may wait. One who types has one at a time; of those who are not known, half a second's work
    /// where one search takes eight milliseconds.
    var most: Int {
        switch guest {
        case .known: 8
        case .unknown: 64
        }
    }
}

/// Searches that wait: the addresses that they come from take turns, and so do the guests behind each. A hall has one address,
/// and there a guest with a script is one of all.
struct SearchLine<Search> {
    private struct Waiting {
        let number: UInt64
        let search: Search
    }

    /// Those of one address. No list is empty.
    private struct Address {
        var lines: [SearchClient.Guest: [Waiting]] = [:]
        /// The guests that wait, as their turns come.
        var order: [SearchClient.Guest] = []
        var count = 0
    }

    private var addresses: [PeerKey: Address] = [:]
    /// The addresses that wait, as their turns come.
    private var order: [PeerKey] = []
    private(set) var count = 0

    func hasRoom(for client: SearchClient) -> Bool {
        let address = addresses[client.address]
        return count < SearchClient.mostWaiting && address?.count ?? 0 < SearchClient.mostOfAddress
            && address?.lines[client.guest]?.count ?? 0 < client.most
    }

    mutating func join(_ search: Search, _ number: UInt64, _ client: SearchClient) {
        if addresses[client.address] == nil { order.append(client.address) }
        var address = addresses[client.address] ?? Address()
        if address.lines[client.guest] == nil { address.order.append(client.guest) }
        address.lines[client.guest, default: []].append(Waiting(number: number, search: search))
        address.count += 1
        addresses[client.address] = address
        count += 1
    }

    /// Nothing where it does not wait.
    mutating func leave(_ number: UInt64, _ client: SearchClient) -> Search? {
        let line = addresses[client.address]?.lines[client.guest]
        return line?.firstIndex { $0.number == number }.flatMap { take(client, at: $0) }
    }

    /// The one whose turn it is. Its address and its guest come last from then on.
    mutating func next() -> Search? {
        guard let address = order.first, let guest = addresses[address]?.order.first else { return nil }
        let search = take(SearchClient(address, guest), at: 0)
        if order.first == address { order.append(order.removeFirst()) }
        if let first = addresses[address]?.order.first, first == guest {
            addresses[address]?.order.removeFirst()
            addresses[address]?.order.append(guest)
        }
        return search
    }

    private mutating func take(_ client: SearchClient, at place: Int) -> Search? {
        guard var address = addresses[client.address] else { return nil }
        let search = address.lines[client.guest]?.remove(at: place).search
        address.count -= 1
        count -= 1
        if address.lines[client.guest]?.isEmpty ?? true {
            address.lines[client.guest] = nil
            address.order.removeAll { $0 == client.guest }
        }
        addresses[client.address] = address.count > 0 ? address : nil
        if address.count == 0 { order.removeAll { $0 == client.address } }
        return search
    }
}
