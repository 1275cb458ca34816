/// Who is hashed for before others.
package struct HashPriority: Equatable, Sendable, CaseIterable {
    package let rawValue: Int

    /// A device that has logged in before.
    package static let first = HashPriority(rawValue: 0)
    /// An address that has not tried of late.
    package static let usual = after(tries: 0)
    package static let last = HashPriority(rawValue: 15)
    package static let allCases = (first.rawValue...last.rawValue).map(HashPriority.init)

    /// By how often an address has tried in the past day and was not right: never, once, 2 or 3 times, 4 to 7 times, and so on.
    /// However many addresses guess, one that has tried as often waits for each of them that often only.
    package static func after(tries count: Int) -> HashPriority {
        let digits = Int.bitWidth - max(0, count).leadingZeroBitCount
        return HashPriority(rawValue: min(first.rawValue + 1 + digits, last.rawValue))
    }
}

/// A line with room for so many, in which some ranks go before others, and in each rank who came first.
struct HashQueue<QueuedOrder> {
    let most: Int
    private var ranks: [[QueuedOrder]] = HashPriority.allCases.map { _ in [] }

    init(most: Int) {
        self.most = most
    }

    var count: Int { ranks.reduce(0) { $0 + $1.count } }

    /// Which has to leave for it: the last of a lower rank, or the newcomer itself; none while there is room.
    mutating func join(_ ticket: QueuedOrder, _ rank: HashPriority) -> QueuedOrder? {
        guard count >= most else {
            ranks[rank.rawValue].append(ticket)
            return nil
        }
        guard let lower = ranks.indices.last(where: { $0 > rank.rawValue && !ranks[$0].isEmpty }) else {
            return ticket
        }
        ranks[rank.rawValue].append(ticket)
        return ranks[lower].removeLast()
    }

    mutating func next() -> QueuedOrder? {
        guard let rank = ranks.firstIndex(where: { !$0.isEmpty }) else { return nil }
        return ranks[rank].removeFirst()
    }
}
