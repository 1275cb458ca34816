import Synchronization

/// A count that one thread keeps and others read.
package final class Tally: Sendable {
    private let total = Atomic<UInt64>(0)

    package init() {}

    package func add(_ count: UInt64) {
        total.add(count, ordering: .relaxed)
    }

    package var value: UInt64 { total.load(ordering: .relaxed) }
}
