import Synchronization

/// What targets that were asked for lately were found to be: a hall of guests asks for the same few hundred images, and to
/// take a target apart and find its route takes longer than to find the target itself.
final class RecentTargets: Sendable {
    struct Found: Sendable {
        let target: Target
        let route: Route
        let parameters: [String: String]
    }

    /// Some megabytes; when there are more it begins anew.
    static let most = 4096
    /// Bytes of a target that is kept. Nothing that many clients ask for is as long.
    static let longest = 128

    private let known = Mutex<[String: Found]>([:])

    /// Of ASCII alone: beyond it a text is equal to others of other bytes.
    private static func isPlain(_ target: String) -> Bool {
        target.utf8.count <= longest && target.utf8.allSatisfy { $0 < 0x80 }
    }

    func find(_ target: String, _ method: String) -> Found? {
        guard method == "GET", Self.isPlain(target) else { return nil }
        return known.withLock { $0[target] }
    }

    /// Of routes that may be answered at once, from memory: others take their time anyway.
    func keep(_ found: Found, _ target: String, _ method: String) {
        guard method == "GET", Self.isPlain(target), case .quickOr = found.route.handler else { return }
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[target] = found
        }
    }
}
