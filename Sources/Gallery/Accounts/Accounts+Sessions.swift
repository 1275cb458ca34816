import Basics
package import HTTPServer

/// Where an account is logged in, and what ends.
extension Accounts {
    /// GET /me/sessions
    package func sessions(_ request: Request) async throws -> Response {
        let account = try await authenticate(request)
        let own = token(of: request)?.family
        let sessions = try await store { try $0.sessions(of: account.id) }
        return .data(
            .array(
                sessions.map { session in
                    [
                        "id": .string(session.id), "device": session.device.json,
                        "createdAt": session.createdAt.json, "lastUsedAt": session.lastUsedAt.json,
                        "isCurrent": .bool(session.id == own),
                    ]
                }))
    }

    /// DELETE /me/sessions/{id}
    package func endSession(_ request: Request) async throws -> Response {
        let account = try await authenticate(request)
        let id = try UploadEndpoints.id(request, "id", of: "log-in")
        guard try await store({ try $0.endLogin(id, of: account.id) }) else {
            throw APIError.notFound("log-in")
        }
        return Response(status: 204)
    }

    /// DELETE /me/sessions: all but the one that asks.
    package func endOtherSessions(_ request: Request) async throws -> Response {
        let account = try await authenticate(request)
        try await store { try $0.endLogins(of: account.id, except: token(of: request)?.family) }
        return Response(status: 204)
    }

    /// What a program calls itself, as far as it is kept.
    static func device(_ request: Request) -> String? {
        let name = request["User-Agent"].map { name in
            String(
                String.UnicodeScalarView(
                    name.unicodeScalars.filter { $0.value >= 0x20 }.prefix(longestDevice)))
        }
        return name?.isEmpty == true ? nil : name
    }

    private static let longestDevice = 200

    // MARK: For the operator

    /// `gallery user delete`, before it is asked: what goes with it.
    package func belongings(of name: String) async throws -> String {
        Self.words(for: try await existing(name))
    }

    private func existing(_ name: String) async throws -> GalleryStore.Belongings {
        guard let all = try await store({ try $0.belongings(of: name.lowercased()) }) else {
            throw APIError.notFound("account: \(name)")
        }
        return all
    }

    private static func words(for all: GalleryStore.Belongings) -> String {
        let size = all.bytes >= 1_000_000 ? "\(all.bytes / 1_000_000) MB" : "\(all.bytes) bytes"
        return "\(all.account.email) (\(all.account.displayName)): \(all.events.counted("event", "events")), "
            + "\(all.photos.counted("photo", "photos")) with \(size) of originals, "
            + all.sessions.counted("log-in", "log-ins")
    }

    /// `gallery user delete`
    package func deleteUser(_ name: String) async throws -> String {
        let all = try await existing(name)
        try await store { try $0.deleteAccount(all.account.id) }
        return "deleted: \(Self.words(for: all)). Files are removed as soon as the storage can."
    }
}
