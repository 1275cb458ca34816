import Basics
import Database
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

extension GalleryStore {
    /// A photo as processing makes one, with the upload that it came by.
    func putPhoto(_ event: String, owner: String, number: Int) throws -> String {
        try database.transaction {
            let id = newID()
            let now = wall.wallNow.milliseconds
            let keys = (0..<3).map { _ in newKey() }
            try database.run(
                """
                INSERT INTO uploads (id, account_id, event_id, request_hash, content_type, content_length, status,
                    object_key, photo_id, expires_at, created_at, completed_at)
                    VALUES (?, ?, ?, ?, 'image/jpeg', 1000, 'completed', ?, ?, ?, ?, ?)
                """, newID(), owner, event, [UInt8](repeating: 1, count: 32), keys[2], id, now, now, now)
            try database.run(
                """
                INSERT INTO photos (id, event_id, owner_id, sequence, sha256, content_type, size, width, height,
                    filename, created_at, thumb_key, screen_key, original_key, thumb_size, screen_size, thumb_width,
                    thumb_height, updated_at, stamp)
                    VALUES (?, ?, ?, ?, ?, 'image/jpeg', 1000, 60, 40, 'a.jpg', ?, ?, ?, ?, 10, 100, 6, 4, ?, ?)
                """, id, event, owner, try nextSequence(of: event),
                SHA256.of(Array("\(event)\(number)".utf8)).description, now, keys[0], keys[1], keys[2], now,
                try nextStamp(of: owner))
            return id
        }
    }

    /// An upload whose bytes may come yet.
    func putUpload(_ event: String, owner: String, key: String, until expiry: Timestamp) throws -> String {
        try database.transaction {
            let id = newID()
            try database.run(
                """
                INSERT INTO uploads (id, account_id, event_id, request_hash, content_type, content_length, status,
                    expires_at, created_at) VALUES (?, ?, ?, ?, 'image/jpeg', 1000, 'pending', ?, ?)
                """, id, owner, event, [UInt8](repeating: 1, count: 32), expiry.milliseconds,
                wall.wallNow.milliseconds)
            try database.run(
                "INSERT INTO places (object_key, upload_id, expires_at) VALUES (?, ?, ?)", key, id,
                expiry.milliseconds)
            return id
        }
    }

    /// Bytes that came to a place did not become a photo, and may yet.
    func fail(_ key: String, with code: String) throws {
        try database.run(
            """
            UPDATE uploads SET status = 'failed', error_code = ?1, object_key = ?2
                WHERE id = (SELECT upload_id FROM places WHERE object_key = ?2)
            """, code, key)
    }

    func photoKeys(_ id: String) throws -> [String] {
        try database.first("SELECT thumb_key, screen_key, original_key FROM photos WHERE id = ?", id) { row in
            [try row["thumb_key"], try row["screen_key"], try row["original_key"]]
        } ?? []
    }

    /// What is to be removed, and when.
    func removals() throws -> [String: Int64] {
        let rows = try database.all("SELECT object_key, due_at FROM removals") { row in
            (try row.get("object_key", as: String.self), try row.get("due_at", as: Int64.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    func number(_ sql: String) throws -> Int {
        try database.first("SELECT (\(sql)) AS number") { row in try row.get("number", as: Int.self) } ?? -1
    }
}

/// Accounts, and a place to sync with.
struct SyncGround: Sendable {
    let ground: AccountGround
    let endpoint: SyncEndpoint
    let owner: Account
    let changes = Shared<[GalleryChange]>([])

    init(seed: UInt64 = 1, pulls: Int = SyncEndpoint.mostPulled) async throws {
        ground = try AccountGround(seed: seed)
        let changes = changes
        ground.store.onCommit { new in changes.change { $0 += new } }
        endpoint = SyncEndpoint(store: ground.database.store, pulls: pulls)
        owner = try await ground.accounts.addUser(
            email: "host@example.org", name: "Host", password: "correct horse")
    }

    var store: GalleryStore { ground.store }
    var now: Timestamp { ground.wall.wallNow }

    func text(_ moment: Timestamp) -> String { CivilTime.rfc3339(milliseconds: moment.milliseconds) }

    func change(
        _ type: String, _ id: String, _ data: JSONValue? = nil, at moment: Timestamp? = nil,
        action: String? = nil
    ) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("type", .string(type)), ("id", .string(id)),
            ("action", .string(action ?? (data == nil ? "delete" : "upsert"))),
            ("updatedAt", .string(text(moment ?? now))),
        ]
        if let data { members.append(("data", data)) }
        return .object(members)
    }

    @discardableResult
    func sync(
        _ changes: [JSONValue] = [], since last: JSONValue = .null, by account: Account? = nil
    ) async throws -> SyncReply {
        let response = try await endpoint.sync(
            AccountGround.post(["lastSync": last, "changes": .array(changes)]), of: account ?? owner)
        return try SyncReply(try AccountGround.data(response))
    }
}

/// What a sync answered.
struct SyncReply: Sendable {
    let timestamp: JSONValue
    let changes: [JSONValue]
    let rejected: [JSONValue]
    let isMore: Bool

    init(_ data: JSONValue) throws {
        timestamp = try #require(data["serverTimestamp"])
        changes = try #require(data["changes"]?.array)
        rejected = try #require(data["rejected"]?.array)
        isMore = try #require(data["more"]?.bool as Bool?)
    }

    subscript(id: String) -> JSONValue? { changes.first { $0["id"]?.string == id } }
    var codes: [String?] { rejected.map { $0["code"]?.string } }
}

enum TestIDs {
    /// A UUID that is easily told from others.
    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
