import Basics

/// How much is copied to a node's disk, and for how long.
package enum CopyLimits {
    /// Bytes of all copies, where an operator says nothing, and what an operator may say.
    package static let usualBytes: UInt64 = 1 << 30
    /// What a page of an event needs at least, with some hundred tiles.
    package static let leastBytes: UInt64 = 16 << 20
    package static let mostBytes: UInt64 = 1 << 40
    /// So much of the disk stays free, or an eighth of a small one.
    static let room: UInt64 = 1 << 30
    /// Of files in one folder.
    static let mostCopies = 100_000
    /// What was deleted in the bucket by another node lies here no longer.
    static let life = Duration.seconds(3600)
    /// Who asks for an object that has been fetched for longer fetches it anew: the first connection may stand still.
    static let longestJoin = Duration.seconds(3)
}

extension NearCopies {
    struct State: Sendable {
        /// One question to the bucket, and how many wait for its answer.
        struct Fetch: Sendable {
            let number: UInt64
            let task: Task<Result<ObjectContent, StorageProblem>, Never>
            let began: Timestamp
            var waiting = 1
        }

        private(set) var copies: [String: NearCopy] = [:]
        private(set) var bytes: UInt64 = 0
        private(set) var fetched: UInt64 = 0
        private var fetches: [String: Fetch] = [:]
        private var turn: UInt64 = 0
        private var isEvicting = false
        /// That nothing can be kept was said, and is not said again until something was.
        var isTroubled = false

        mutating func number() -> UInt64 {
            turn += 1
            return turn
        }

        // MARK: Copies

        /// The name of the file whose place it takes: one that was too old, or gone.
        mutating func put(_ copy: NearCopy, of key: String) -> [String] {
            let gone = drop([key])
            copies[key] = copy
            bytes += copy.size
            return gone
        }

        /// The names of their files.
        mutating func drop(_ keys: some Sequence<String>) -> [String] {
            keys.compactMap { key in
                guard let copy = copies.removeValue(forKey: key) else { return nil }
                copy.leave()
                bytes -= copy.size
                return copy.name
            }
        }

        private func isOver(_ most: UInt64, _ part: UInt64) -> Bool {
            bytes > most / 10 * part || copies.count > CopyLimits.mostCopies / 10 * Int(part)
        }

        /// One at a time does it.
        mutating func beginsEviction(beyond most: UInt64) -> Bool {
            guard !isEvicting, isOver(most, 10) else { return false }
            isEvicting = true
            return true
        }

        /// A tenth more than there has to be, so that not each new copy looks through all of them.
        mutating func evict(_ order: [String], beyond most: UInt64) -> [String] {
            isEvicting = false
            var gone: [String] = []
            for key in order {
                guard isOver(most, 9) else { break }
                gone += drop([key])
            }
            return gone
        }

        // MARK: Fetches

        mutating func join(_ key: String, at now: Timestamp) -> Fetch? {
            guard let fetch = fetches[key], now - fetch.began < CopyLimits.longestJoin else { return nil }
            fetches[key]?.waiting += 1
            return fetch
        }

        mutating func begin(_ fetch: Fetch, of key: String) -> Fetch {
            fetches[key] = fetch
            fetched += 1
            return fetch
        }

        /// Whether nothing waits for it any more.
        mutating func leave(_ key: String, _ number: UInt64) -> Bool {
            guard let fetch = fetches[key], fetch.number == number else { return false }
            fetches[key]?.waiting -= 1
            guard fetch.waiting <= 1 else { return false }
            fetches[key] = nil
            return true
        }

        /// Whether it is still the one that was begun for that key: nothing was deleted, and no other one begun.
        mutating func ended(_ key: String, _ number: UInt64) -> Bool {
            guard fetches[key]?.number == number else { return false }
            fetches[key] = nil
            return true
        }

        /// Also what is being fetched at this moment is not kept.
        mutating func forget(_ key: String) -> [String] {
            fetches[key] = nil
            return drop([key])
        }
    }
}
