import Basics
import Database
import Postgres

/// What all nodes sign with, where several share a database.
extension GalleryStore {
    /// The newest first.
    package func signingKeys() throws -> [ServerSecret.Key] {
        try database.all(
            """
            SELECT number, secret, created_at, (created_at <= \(ServerClock.now) - ?)::int::bigint AS is_known
                FROM signing_keys WHERE number > 0 ORDER BY number DESC
            """, KeyRing.introduction.wholeMilliseconds
        ) { row in
            ServerSecret.Key(
                number: try row["number"], try row["secret"], createdAt: try row.moment("created_at"),
                isKnownToAll: try row.get("is_known", as: Int64.self) == 1)
        }
    }

    /// The first is made by the node that starts first.
    func firstSigningKeys() throws -> [ServerSecret.Key] {
        let known = try signingKeys()
        if !known.isEmpty { return known }
        try add(signingKey: SigningKey.firstNumber)
        return try signingKeys()
    }

    private func add(signingKey number: Int64) throws {
        try database.run(
            """
            INSERT INTO signing_keys (number, secret, created_at) VALUES (?, ?, \(ServerClock.now))
                ON CONFLICT (number) DO NOTHING
            """, number, random.bytes(ServerSecret.length))
    }

    /// One after the other, whichever program asks.
    private func changeSigningKeys<Result>(_ change: (ServerSecret) throws -> Result) throws -> Result {
        try write {
            try database.run("LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
            return try change(ServerSecret(try signingKeys()))
        }
    }

    func addSigningKey() throws -> Int64 {
        try changeSigningKeys { secret in
            let number = try secret.nextNumber()
            try add(signingKey: number)
            return number
        }
    }

    func retireSigningKey(_ number: Int64) throws {
        try changeSigningKeys { secret in
            try secret.mayRetire(number)
            try database.run("DELETE FROM signing_keys WHERE number = ?", number)
        }
    }
}

/// The keys of nodes that share a database.
package struct SharedKeys: KeyPlace {
    private let store: StorePool

    package init(_ store: StorePool) {
        self.store = store
    }

    package func load() async throws -> ServerSecret {
        let keys = try await store { try $0.firstSigningKeys() }
        guard !keys.isEmpty else {
            throw Unavailable(cause: "the keys that nodes sign with were removed while they were read")
        }
        return ServerSecret(keys)
    }

    package func add() async throws -> Int64 { try await store { try $0.addSigningKey() } }
    package func retire(_ number: Int64) async throws { try await store { try $0.retireSigningKey(number) } }
}
