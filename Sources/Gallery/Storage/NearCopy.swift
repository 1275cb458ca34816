import Basics
import Glibc
import Synchronization

/// One object's copy on this machine's disk. What knows it may give it out without asking anew, as long as it is there.
///
/// - There: a file that is whole. It is left when it is too old, makes room for others, or its object is deleted.
/// - Gone: its file is removed, or will be in a moment.
package final class NearCopy: Equatable, Sendable {
    package let path: String
    package let size: UInt64
    let name: String
    private let end: Timestamp
    private let counter: Counter
    private let isGone = Atomic<Bool>(false)
    /// In milliseconds: when it was given out last, and when its file was looked for.
    private let usedAt: Atomic<Int64>
    private let seenAt: Atomic<Int64>

    /// How often copies were given out.
    final class Counter: Sendable {
        private let count = Atomic<UInt64>(0)

        var value: UInt64 { count.load(ordering: .relaxed) }
        fileprivate func add() { count.add(1, ordering: .relaxed) }
    }

    /// Of which one key has several, of one fetch after the other.
    static func name(of key: String, _ number: UInt64) -> String { "\(key).\(number)" }

    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && ObjectKey.isKey(parts[0]) && UInt64(parts[1]) != nil
    }

    /// How long a file that something else may remove is believed to be there.
    static let trust: Int64 = 1000

    init(_ name: String, of size: UInt64, in folder: String, at now: Timestamp, _ counter: Counter) {
        (self.name, self.size, path) = (name, size, "\(folder)/\(name)")
        end = now + CopyLimits.life
        self.counter = counter
        usedAt = Atomic(now.milliseconds)
        seenAt = Atomic(now.milliseconds)
    }

    package static func == (left: NearCopy, right: NearCopy) -> Bool { left === right }

    var lastUse: Int64 { usedAt.load(ordering: .relaxed) }
    func isOver(at now: Timestamp) -> Bool { end <= now }

    /// Whether it may be given out at this moment, which is noted.
    func isThere(at now: Timestamp) -> Bool {
        guard !isGone.load(ordering: .relaxed), end > now else { return false }
        let moment = now.milliseconds
        if abs(moment - seenAt.load(ordering: .relaxed)) >= Self.trust {
            guard access(path, R_OK) == 0 else { return false }
            seenAt.store(moment, ordering: .relaxed)
        }
        usedAt.store(moment, ordering: .relaxed)
        counter.add()
        return true
    }

    func leave() { isGone.store(true, ordering: .relaxed) }
}
