/// Removes what was left: places whose time is over, objects without a reference, uploads that never came. It looks
/// before it removes anything.
package struct Sweeper: Sendable {
    private let store: StorePool
    private let storage: any ObjectStorage
    /// There is something to work on.
    private let onLanded: @Sendable () -> Void
    private let log: @Sendable (String) -> Void

    /// "Touches no key until 24 h after its last URL expired".
    package static let grace = Duration.seconds(24 * 3600)
    /// How long bytes are kept that may become a photo when the client retries.
    package static let curable = Duration.seconds(7 * 24 * 3600)
    /// How many of each at a time, so that others get their turn.
    static let atOnce = 200

    package init(
        store: StorePool, storage: any ObjectStorage, onLanded: @escaping @Sendable () -> Void,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.storage = storage
        self.onLanded = onLanded
        self.log = log
    }

    /// Once over everything that is due.
    package func sweep() async throws {
        _ = try await store { try $0.sweepTokens() }
        try await store { try $0.dropUnwantedPurges() }
        try await expire()
        try await sweepPlaces()
        try await remove()
    }

    private func expire() async throws {
        for upload in try await store({ try $0.overdue(limit: Self.atOnce) }) {
            guard try await !find(upload) else { continue }
            try await store({ try $0.nothingCame(to: upload) })
        }
    }

    /// Looks at an upload's places. Says whether bytes have been found.
    package func find(_ upload: String) async throws -> Bool {
        for key in try await store({ try $0.openPlaces(of: upload) }) {
            guard try await isThere(key) else { continue }
            if try await store({ try $0.landed(key) }) {
                onLanded()
                return true
            }
        }
        return false
    }

    private func isThere(_ key: String) async throws(StorageProblem) -> Bool {
        try await storage.look(key) != nil
    }

    private func sweepPlaces() async throws {
        for place in try await store({ try $0.endedPlaces(limit: Self.atOnce) }) {
            if place.isWanted, try await isThere(place.key), try await store({ try $0.landed(place.key) }) {
                onLanded()
                continue
            }
            try await store { try $0.forget(place) }
        }
    }

    private func remove() async throws {
        for key in try await store({ try $0.dueRemovals(limit: Self.atOnce) }) {
            do throws(StorageProblem) {
                try await storage.remove(key)
            } catch {
                log("object \(key) could not be removed, which is tried again later: \(error)")
                try await store { try $0.postponeRemoval(key) }
                continue
            }
            try await store { try $0.removed(key) }
        }
    }
}

/// A place whose time is over for good.
struct EndedPlace: Equatable, Sendable {
    let key: String
    /// Its upload still waits for bytes.
    let isWanted: Bool
}
