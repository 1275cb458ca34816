package import Bridge
import Database
import Synchronization

/// What stands behind a key, found at once: by every request for an image, on the network's own thread.
package final class ImageIndex: Sendable {
    package struct Image: Equatable, Sendable {
        package let key: String
        package let owner: String
        package let event: String
        package let pinHash: String?
        /// Of its event; guests may look until then.
        package let expiresAt: Timestamp?
        package let isHidden: Bool
        package let allowsOriginals: Bool
        package let guestKey: GuestKey
        package let type: String
        package let size: UInt64
        /// The name under which somebody keeps it; renditions have none.
        package let name: String?

        var isOriginal: Bool { name != nil }
    }

    private struct State {
        let database: Connection
        var known: [String: Image] = [:]
    }

    private let state: Mutex<State>
    /// Enough for the pages that are looked at; when there are more it begins anew.
    private static let mostKnown = 50_000

    package init(path: String) throws {
        // The connection goes into the lock and is used only there.
        let database = try Connection.openForReading(path: path, GallerySchema.migrations)
        state = Mutex(State(database: database))
    }

    package func find(_ key: String) throws -> Image? {
        guard ObjectKey.isKey(key) else { return nil }
        return try state.withLock { state in
            if let known = state.known[key] { return known }
            guard let image = try Self.look(key, in: state.database) else { return nil }
            if state.known.count >= Self.mostKnown { state.known = [:] }
            state.known[key] = image
            return image
        }
    }

    /// Something was deleted, hidden or shown, or an event was closed or opened. Whoever wrote that calls this before he
    /// answers: from then on nothing is found as it was before.
    package func forget() {
        state.withLock { $0.known = [:] }
    }

    /// Whether that log-in has not ended. Never remembered.
    func isLoggedIn(_ account: String, family: String) throws -> Bool {
        try state.withLock { state in
            try state.database.first(
                "SELECT 1 FROM token_families WHERE id = ? AND account_id = ? AND revoked_at IS NULL",
                family, account
            ) { _ in true } ?? false
        }
    }

    private static func look(_ key: String, in database: Connection) throws -> Image? {
        try database.first(
            """
            SELECT event_id, pin_hash, thumb_key = ?1, screen_key = ?1, content_type, size, thumb_size,
                screen_size, filename, photos.id, events.owner_id, expires_at, hidden, allows_originals, guest_key
            FROM photos JOIN events ON events.id = event_id
            WHERE photos.rowid = coalesce(
                    (SELECT rowid FROM photos WHERE thumb_key = ?1), (SELECT rowid FROM photos WHERE screen_key = ?1),
                    (SELECT rowid FROM photos WHERE original_key = ?1))
                AND photos.deleted_at IS NULL AND events.deleted_at IS NULL
            """, key
        ) { row in
            let isThumb = try row.get(2, as: Bool.self)
            let isScreen = try row.get(3, as: Bool.self)
            let type = try row.get(4, as: String.self)
            let name = try row.get(8, as: String?.self)
            return Image(
                key: key, owner: try row.get(10), event: try row.get(0), pinHash: try row.get(1),
                expiresAt: try row.moment(11), isHidden: try row.get(12), allowsOriginals: try row.get(13),
                guestKey: try GuestKey(row.get(14)),
                type: isThumb || isScreen ? "image/jpeg" : type,
                size: try row.get(isThumb ? 6 : isScreen ? 7 : 5),
                name: isThumb || isScreen
                    ? nil : Photo.name(filename: name, id: try row.get(9), contentType: type))
        }
    }
}
