import Basics

/// So many at once, and after those one in each interval.
package struct BurstRule: Equatable, Sendable {
    package let burst: Int
    package let interval: Duration

    package init(_ burst: Int, thenEvery interval: Duration) {
        precondition(burst > 0 && interval > .zero, "a rule allows something, some time")
        self.burst = burst
        self.interval = interval
    }
}

/// What is left of such a rule, as one moment: when all of it has come back. Each use moves that by an interval, and it may
/// be a burst ahead ("generic cell rate algorithm"). Times only grow.
struct BurstLimiter: Equatable, Sendable {
    private var isWhole = Duration.zero

    /// How long until there is one more; nothing when there is now.
    func wait(_ rule: BurstRule, at now: Duration) -> Duration? {
        let behind = max(isWhole, now) - now + rule.interval - rule.interval * rule.burst
        return behind > .zero ? behind : nil
    }

    mutating func take(_ rule: BurstRule, at now: Duration) {
        isWhole = max(isWhole, now) + rule.interval
    }

    mutating func giveBack(_ rule: BurstRule) {
        isWhole = max(.zero, isWhole - rule.interval)
    }
}

extension BurstLimiter: StoredCount {
    var stored: String { "\(isWhole.wholeMilliseconds)" }

    init?(stored: some StringProtocol) {
        guard let milliseconds = Int64(stored) else { return nil }
        isWhole = .milliseconds(milliseconds)
    }
}

/// How many there were in the past day, counted by the hour: as many as in any 24 hours at the least, in at most 25 numbers.
struct DayCount: Equatable, Sendable {
    private struct Hour: Equatable, Sendable {
        let number: Int64
        var count: Int
    }

    private static let span: Int64 = 25
    private var hours: [Hour] = []

    private static func number(_ moment: Duration) -> Int64 { moment.components.seconds / 3600 }

    func count(at now: Duration) -> Int {
        let first = Self.number(now) - Self.span + 1
        return hours.reduce(0) { $1.number >= first ? $0 + $1.count : $0 }
    }

    /// How long until it is less than that; nothing when it is now.
    func wait(until most: Int, at now: Duration) -> Duration? {
        var left = count(at: now)
        guard left >= most else { return nil }
        let first = Self.number(now) - Self.span + 1
        for hour in hours where hour.number >= first {
            left -= hour.count
            if left < most { return .seconds((hour.number + Self.span) * 3600) - now }
        }
        return nil
    }

    mutating func note(at now: Duration) {
        let number = Self.number(now)
        if hours.last?.number != number {
            hours.removeAll { $0.number <= number - Self.span }
            hours.append(Hour(number: number, count: 0))
        }
        hours[hours.count - 1].count += 1
    }

    mutating func takeBack(noted moment: Duration) {
        guard let index = hours.lastIndex(where: { $0.number == Self.number(moment) }) else { return }
        hours[index].count -= 1
        if hours[index].count <= 0 { hours.remove(at: index) }
    }
}

extension DayCount: StoredCount {
    var stored: String { hours.map { "\($0.number):\($0.count)" }.joined(separator: ",") }

    init?(stored: some StringProtocol) {
        for part in stored.split(separator: ",").suffix(Int(Self.span)) {
            let numbers = part.split(separator: ":").compactMap { Int64($0) }
            guard numbers.count == 2, let count = Int(exactly: numbers[1]) else { return nil }
            hours.append(Hour(number: numbers[0], count: count))
        }
    }
}

/// What is kept of each key, for a bounded number of them: where there is no room, those go that have been quiet for
/// longest. To push one out a client has to be as many others meanwhile.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var lastUse: Duration
    }

    private let most: Int
    private let new: Value
    private var entries: [Key: Entry] = [:]

    init(most: Int, new: Value) {
        precondition(most >= 10, "a tenth of the keys makes room for the next")
        self.most = most
        self.new = new
    }

    var count: Int { entries.count }

    subscript(key: Key) -> Value { entries[key]?.value ?? new }

    /// As it is kept elsewhere.
    mutating func put(_ value: Value, of key: Key) { entries[key] = Entry(value: value, lastUse: .zero) }

    mutating func change(_ key: Key, at now: Duration, _ body: (inout Value) -> Void) {
        var entry = entries[key] ?? Entry(value: new, lastUse: now)
        if entries.count >= most, entries[key] == nil { makeRoom() }
        body(&entry.value)
        entry.lastUse = now
        entries[key] = entry
    }

    private mutating func makeRoom() {
        let uses = entries.values.map(\.lastUse).sorted()
        let limit = uses[most / 10]
        entries = entries.filter { $0.value.lastUse > limit }
    }
}
