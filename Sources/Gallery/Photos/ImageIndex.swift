package import Basics
import Bridge
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
        let reader: ImageReader
        var known: [String: Image] = [:]
    }

    private let state: Mutex<State>
    /// Enough for the pages that are looked at; when there are more it begins anew.
    private static let mostKnown = 50_000

    package init(path: String) throws {
        // The connection goes into the lock and is used only there.
        state = Mutex(State(reader: try ImageReader(path: path)))
    }

    package func find(_ key: String) throws -> Image? {
        guard ObjectKey.isKey(key) else { return nil }
        return try state.withLock { state in
            if let known = state.known[key] { return known }
            guard let image = try state.reader.image(key) else { return nil }
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
            try state.reader.isLoggedIn(account, family: family)
        }
    }
}
