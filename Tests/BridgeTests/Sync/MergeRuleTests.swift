import Basics
import Bridge
import TestSupport
import Testing

/// A record as the rule keeps it: the version, and what was written with it.
private struct Kept: Equatable {
    var version: RecordVersion
    var text: String

    mutating func take(_ change: RecordChange, _ text: String, mayReturn: Bool = true) -> MergeRule.Verdict {
        let verdict = MergeRule.verdict(on: change, over: version, at: nil, mayReturn: mayReturn)
        if verdict == .accepted { self = Kept(version: change.version, text: text) }
        return verdict
    }
}

@Suite struct MergeRuleTests {
    private static func moment(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
    private static let now = moment(1_795_000_000_000)

    private static let changes: [RecordChange] = (0..<6).map { index in
        let at = now + .milliseconds(Int64(index) * 7 - 100)
        return index % 3 == 1 ? RecordChange(.delete, updatedAt: at) : RecordChange(.upsert, updatedAt: at)
    }

    /// All orders of so many things.
    private static func orders(_ count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return orders(count - 1).flatMap { order in
            (0...order.count).map { place in
                var longer = order
                longer.insert(count - 1, at: place)
                return longer
            }
        }
    }

    @Test("in whatever order changes arrive, the newest stays")
    func everyOrder() {
        let orders = Self.orders(Self.changes.count)
        #expect(orders.count == 720)
        let results = orders.map { order -> Kept in
            var kept = Kept(version: RecordVersion(updatedAt: Self.moment(0)), text: "")
            for index in order { _ = kept.take(Self.changes[index], "\(index)") }
            return kept
        }
        #expect(results.allSatisfy { $0 == Kept(version: Self.changes[5].version, text: "5") })
    }

    @Test("a change that arrives twice changes nothing the second time", arguments: Cases.seeds(full: 500))
    func idempotent(seed: UInt64) {
        var random = Seeded(seed)
        var once = Kept(version: RecordVersion(updatedAt: Self.moment(0)), text: "")
        var twice = once
        var sent: [(RecordChange, String)] = []
        for index in 0..<30 {
            let change = RecordChange(
                random.chance(30) ? .delete : .upsert,
                updatedAt: Self.now + .milliseconds(Int64.random(in: 0..<20, using: &random)))
            sent.append((change, "\(index)"))
            _ = once.take(change, "\(index)")
            _ = twice.take(change, "\(index)")
            // Any of the earlier ones comes once more.
            if random.chance(50), let (change, text) = sent.randomElement(using: &random) {
                let verdict = twice.take(change, text)
                #expect(verdict != .accepted)
            }
            #expect(once == twice)
        }
    }

    @Test("what was changed in the same millisecond stays as the server has it, whatever it is")
    func ties() {
        for current in [
            RecordVersion(updatedAt: Self.now), RecordVersion(updatedAt: Self.now, deletedAt: Self.now),
        ] {
            for action in [RecordChange.Action.upsert, .delete] {
                let change = RecordChange(action, updatedAt: Self.now)
                #expect(MergeRule.verdict(on: change, over: current, at: Self.now) == .tie)
            }
        }
    }

    @Test("a newer upsert brings a record back, an older one does not, and a photo never comes back")
    func returning() {
        let deleted = RecordVersion(updatedAt: Self.now, deletedAt: Self.now)
        let newer = RecordChange(.upsert, updatedAt: Self.now + .milliseconds(1))
        let older = RecordChange(.upsert, updatedAt: Self.now + .milliseconds(-1))
        #expect(MergeRule.verdict(on: newer, over: deleted, at: Self.now) == .accepted)
        #expect(newer.version.deletedAt == nil)
        #expect(MergeRule.verdict(on: older, over: deleted, at: Self.now) == .older)
        #expect(MergeRule.verdict(on: newer, over: deleted, at: Self.now, mayReturn: false) == .gone)
        #expect(MergeRule.verdict(on: older, over: deleted, at: Self.now, mayReturn: false) == .gone)
        let again = RecordChange(.delete, updatedAt: Self.now + .milliseconds(1))
        #expect(MergeRule.verdict(on: again, over: deleted, at: Self.now, mayReturn: false) == .accepted)
    }

    @Test("five minutes ahead is the most that is taken, also for the time of a delete")
    func ahead() {
        let edge = Self.now + .seconds(300)
        let beyond = edge + .milliseconds(1)
        #expect(
            MergeRule.verdict(on: RecordChange(.upsert, updatedAt: edge), over: nil, at: Self.now)
                == .accepted)
        #expect(
            MergeRule.verdict(on: RecordChange(.upsert, updatedAt: beyond), over: nil, at: Self.now) == .ahead
        )
        let delete = RecordChange(.delete, updatedAt: Self.now, deletedAt: beyond)
        #expect(MergeRule.verdict(on: delete, over: nil, at: Self.now) == .ahead)
        // It is not older by being refused: against a record that is newer still it is refused too.
        let newer = RecordVersion(updatedAt: beyond + .seconds(1))
        #expect(
            MergeRule.verdict(on: RecordChange(.upsert, updatedAt: beyond), over: newer, at: Self.now)
                == .ahead)
    }

    @Test("a delete keeps its time, and has that of the change where none is said; an upsert has none")
    func deleteTimes() {
        let earlier = Self.now + .seconds(-9)
        #expect(RecordChange(.delete, updatedAt: Self.now).version.deletedAt == Self.now)
        #expect(RecordChange(.delete, updatedAt: Self.now, deletedAt: earlier).version.deletedAt == earlier)
        #expect(RecordChange(.upsert, updatedAt: Self.now, deletedAt: earlier).version.deletedAt == nil)
    }
}
