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
    /// How many of each are listed at a time.
    static let atOnce = 200
    /// Places whose bytes became a photo are put away by one statement.
    static let usedAtOnce = 2000
    /// How many lists of each are worked through before the others get their turn: with a bucket that is a minute's work.
    static let mostPieces = 10

    package init(
        store: StorePool, storage: any ObjectStorage, onLanded: @escaping @Sendable () -> Void,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.storage = storage
        self.onLanded = onLanded
        self.log = log
    }

    /// Once over what is due: a busy studio leaves a thousand places a minute.
    package func sweep() async throws {
        _ = try await store { try $0.sweepTokens() }
        try await store { try $0.dropUnwantedPurges() }
        try await all(expire)
        // Nearly all places are of this kind, and nothing has to be looked for there.
        try await all(of: Self.usedAtOnce) {
            try await store { try $0.forgetUsedPlaces(limit: Self.usedAtOnce) }
        }
        try await all(sweepPlaces)
        try await all(remove)
    }

    /// Piece by piece, each of which leaves less, until one is not full.
    private func all(of count: Int = atOnce, _ piece: () async throws -> Int) async throws {
        for _ in 0..<Self.mostPieces {
            try Task.checkCancellation()
            if try await piece() < count { return }
        }
    }

    private func expire() async throws -> Int {
        let uploads = try await store { try $0.overdue(limit: Self.atOnce) }
        for upload in uploads {
            guard try await !find(upload) else { continue }
            try await store({ try $0.nothingCame(to: upload) })
        }
        return uploads.count
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

    private func sweepPlaces() async throws -> Int {
        let places = try await store { try $0.endedPlaces(limit: Self.atOnce) }
        for place in places {
            if place.isWanted, try await isThere(place.key), try await store({ try $0.landed(place.key) }) {
                onLanded()
                continue
            }
            try await store { try $0.forget(place) }
        }
        return places.count
    }

    /// A storage that removes nothing of a whole piece is left alone until the next pass.
    private func remove() async throws -> Int {
        let keys = try await store { try $0.dueRemovals(limit: Self.atOnce) }
        var removed = 0
        for key in keys {
            do throws(StorageProblem) {
                try await storage.remove(key)
            } catch {
                log("object \(key) could not be removed, which is tried again later: \(error)")
                try await store { try $0.postponeRemoval(key) }
                continue
            }
            try await store { try $0.removed(key) }
            removed += 1
        }
        return removed == 0 ? 0 : keys.count
    }
}

/// A place whose time is over for good.
struct EndedPlace: Equatable, Sendable {
    let key: String
    /// Its upload still waits for bytes.
    let isWanted: Bool
}
