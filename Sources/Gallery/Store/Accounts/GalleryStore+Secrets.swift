import Basics
import Database

/// What all nodes sign with, where several share a database.
extension GalleryStore {
    struct SigningKey: Equatable, Sendable {
        let number: Int64
        let secret: [UInt8]
    }

    /// The newest first.
    func signingKeys() throws -> [SigningKey] {
        try database.all("SELECT number, secret FROM signing_keys ORDER BY number DESC") {
            SigningKey(number: try $0["number"], secret: try $0["secret"])
        }
    }

    /// The first, made by the node that starts first.
    func firstSigningKey() throws -> [SigningKey] {
        let known = try signingKeys()
        if !known.isEmpty { return known }
        try database.run(
            """
            INSERT INTO signing_keys (number, secret, created_at) VALUES (1, ?, ?) ON CONFLICT (number) DO NOTHING
            """, random.bytes(ServerSecret.length), wall.wallNow.milliseconds)
        return try signingKeys()
    }
}

extension GalleryDatabase {
    /// Of all nodes the same; made when the first of them starts.
    package func sharedSecret() async throws -> ServerSecret {
        let keys = try await store { try $0.firstSigningKey() }
        guard let key = keys.first else {
            throw Unavailable(cause: "the key that nodes sign with was removed while it was read")
        }
        return ServerSecret(key.secret)
    }
}
