package import Basics

/// Whether a storage is the one that the photos of a database lie in, as far as a few of them tell: nodes that were told of
/// different places would each show what the others lack, and sweep where nothing of theirs lies.
package struct StorageProof: Sendable {
    private let storage: any ObjectStorage
    private let reader: ReaderPool
    private let time: any TimeSource

    /// A storage that takes longer is not waited for at the start.
    static let patience = Duration.seconds(5)
    /// Events are deleted while it is looked.
    private static let tries = 3

    package init(_ storage: any ObjectStorage, _ reader: ReaderPool, time: any TimeSource) {
        self.storage = storage
        self.reader = reader
        self.time = time
    }

    /// It has none of the objects that were asked for.
    package struct Elsewhere: Error, CustomStringConvertible {
        package let description: String
    }

    /// Throws where there are photos, and the storage answers that it has none of those it was asked for. Of a storage that
    /// cannot be asked `/ready` says so, again and again.
    package func require(named name: String) async throws {
        var asked: [String] = []
        for _ in 0..<Self.tries {
            let keys = try await reader { try $0.sampledKeys() }
            if keys.isEmpty { return }
            if keys == asked { throw Self.elsewhere(name, keys.count) }
            guard try await lacksAll(keys) else { return }
            asked = keys
        }
    }

    private static func elsewhere(_ name: String, _ count: Int) -> Elsewhere {
        Elsewhere(
            description:
                "the photos of this database do not lie in \(name): of \(count) that were looked for, none is there. "
                + "Is --storage the place that they were put to? 'gallery check' with the same options says what is "
                + "missing. Where they are truly lost, --objects-are-lost starts all the same")
    }

    /// Whether there are photos, and it has all of those that it is asked for. False also where it cannot be asked.
    func hasAll() async throws -> Bool {
        let keys = try await reader { try $0.sampledKeys() }
        do throws(StorageProblem) {
            for key in keys where try await storage.look(key) == nil { return false }
            return !keys.isEmpty
        } catch {
            return false
        }
    }

    /// False also where it cannot be asked in time.
    private func lacksAll(_ keys: [String]) async throws -> Bool {
        try await time.answer(within: Self.patience) { await hasNone(of: keys) } ?? false
    }

    private func hasNone(of keys: [String]) async -> Bool {
        do throws(StorageProblem) {
            for key in keys where try await storage.look(key) != nil { return false }
            // A bucket that is not there answers the same of an object.
            _ = try await storage.list(after: ObjectKey.beyondAll, limit: 1)
            return true
        } catch {
            // What it says is what /ready says.
            return false
        }
    }
}

extension TimeSource {
    /// Nothing where it takes longer; it is cancelled then.
    func answer<Answer: Sendable>(
        within limit: Duration, _ question: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer? {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await question() }
            group.addTask {
                try await sleep(until: now + limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
