/// Who is hashed for before others.
package enum HashRank: Int, CaseIterable, Sendable {
    /// A device that has logged in before.
    case first
    case usual
    /// An address that has tried often of late.
    case last
}

/// A line with room for so many, in which some ranks go before others, and in each rank who came first.
struct WaitingLine<Ticket> {
    let most: Int
    private var ranks: [[Ticket]] = HashRank.allCases.map { _ in [] }

    init(most: Int) {
        self.most = most
    }

    var count: Int { ranks.reduce(0) { $0 + $1.count } }

    /// Who has to leave for it: the last of a lower rank, or the newcomer himself; nobody while there is room.
    mutating func join(_ ticket: Ticket, _ rank: HashRank) -> Ticket? {
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

    mutating func next() -> Ticket? {
        guard let rank = ranks.firstIndex(where: { !$0.isEmpty }) else { return nil }
        return ranks[rank].removeFirst()
    }
}
