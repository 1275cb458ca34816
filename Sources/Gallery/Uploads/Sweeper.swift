import Bridge
import Database

/// Puts away what was left: places whose time is over, objects that nobody refers to, uploads that never came. It looks
/// before it removes anything.
package struct Sweeper: Sendable {
    private let store: GalleryStore
    private let storage: any ObjectStorage
    /// There is something to work on.
    private let onLanded: @Sendable () -> Void
    private let log: @Sendable (String) -> Void

    /// "Touches no key until 24 h after its last URL expired".
    package static let grace = Duration.seconds(24 * 3600)
    /// How long bytes are kept that may become a photo when somebody retries.
    package static let curable = Duration.seconds(7 * 24 * 3600)
    /// How many of each at a time, so that others get their turn.
    static let atOnce = 200

    package init(
        store: GalleryStore, storage: any ObjectStorage, onLanded: @escaping @Sendable () -> Void,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.storage = storage
        self.onLanded = onLanded
        self.log = log
    }

    /// Once over everything that is due.
    package func sweep() async throws {
        try await store.sweepTokens()
        try await expire()
        try await sweepPlaces()
        try await remove()
    }

    private func expire() async throws {
        for upload in try await store.overdue(limit: Self.atOnce) {
            guard try await !find(upload) else { continue }
            try await store.nothingCame(to: upload)
        }
    }

    /// Looks at an upload's places. Says whether bytes have been found.
    package func find(_ upload: String) async throws -> Bool {
        for key in try await store.openPlaces(of: upload) {
            guard try await isThere(key) else { continue }
            if try await store.landed(key) {
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
        for place in try await store.endedPlaces(limit: Self.atOnce) {
            if place.isWanted, try await isThere(place.key), try await store.landed(place.key) {
                onLanded()
                continue
            }
            try await store.forget(place)
        }
    }

    private func remove() async throws {
        for key in try await store.dueRemovals(limit: Self.atOnce) {
            do throws(StorageProblem) {
                try await storage.remove(key)
            } catch {
                log("object \(key) could not be removed, which is tried again later: \(error)")
                try await store.postponeRemoval(key)
                continue
            }
            try await store.removed(key)
        }
    }
}

/// A place whose time is over for good.
struct EndedPlace: Equatable, Sendable {
    let key: String
    /// Its upload still waits for bytes.
    let isWanted: Bool
    /// A photo's original lies there, or bytes that are being worked on.
    let isKept: Bool
}

extension GalleryStore {
    func overdue(limit: Int) throws -> [String] {
        try database.all(
            "SELECT id FROM uploads WHERE status = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
            wall.wallNow.milliseconds, limit
        ) { try $0.get(0) }
    }

    func endedPlaces(limit: Int) throws -> [EndedPlace] {
        let now = wall.wallNow.milliseconds
        return try database.all(
            """
            SELECT places.object_key, status IN ('pending', 'expired'),
                coalesce(uploads.object_key = places.object_key, 0) AND status IN ('processing', 'completed')
            FROM places JOIN uploads ON uploads.id = upload_id
            WHERE places.expires_at < ? AND NOT (places.expires_at >= ? AND status = 'failed'
                AND error_code IN ('PROCESSING_TIMEOUT', 'STORAGE_ERROR', 'INSUFFICIENT_CREDITS'))
            ORDER BY places.expires_at LIMIT ?
            """, now - Sweeper.grace.wholeMilliseconds, now - Sweeper.curable.wholeMilliseconds, limit
        ) { row in EndedPlace(key: try row.get(0), isWanted: try row.get(1), isKept: try row.get(2)) }
    }

    func forget(_ place: EndedPlace) throws {
        try database.transaction {
            if !place.isKept {
                try removeSoon([place.key])
                try database.run("UPDATE uploads SET object_key = NULL WHERE object_key = ?", place.key)
            }
            try database.run("DELETE FROM places WHERE object_key = ?", place.key)
        }
    }

    func dueRemovals(limit: Int) throws -> [String] {
        try database.all(
            "SELECT object_key FROM removals WHERE due_at <= ? ORDER BY due_at LIMIT ?",
            wall.wallNow.milliseconds,
            limit
        ) { try $0.get(0) }
    }

    func removed(_ key: String) throws {
        try database.run("DELETE FROM removals WHERE object_key = ?", key)
    }

    /// A minute, then two, then four, to an hour.
    func postponeRemoval(_ key: String) throws {
        try database.run(
            """
            UPDATE removals SET tries = tries + 1, due_at = ? + min(3600000, 60000 * (1 << min(tries, 6)))
            WHERE object_key = ?
            """, wall.wallNow.milliseconds, key)
    }
}
