import Bridge
import Database
package import HTTPServer

/// What has become of a photo, for whoever uploaded it: also when it is not shown any more.
struct PhotoFate: Equatable, Sendable {
    enum State: String, Sendable {
        case shown
        /// The host does not show it to guests.
        case hidden
        case deleted
    }

    let id: String
    let event: String
    let state: State
    let size: UInt64
    let sha256: String
    let originalKey: String

    init(_ row: Row) throws {
        id = try row.get(0)
        event = try row.get(1)
        size = try row.get(2)
        sha256 = try row.get(3)
        originalKey = try row.get(4)
        let isHidden: Bool = try row.get(5)
        state = try row.get(6, as: Bool.self) ? .deleted : isHidden ? .hidden : .shown
    }

    /// `isStored`: its bytes are in the storage; nothing where they need not be.
    func json(isStored: Bool?) -> JSONValue {
        [
            "photoId": .string(id), "eventId": .string(event), "state": .string(state.rawValue),
            "size": .unsigned(size), "sha256": .string(sha256),
            "stored": isStored.map { .bool($0) } ?? .null,
        ]
    }
}

extension GalleryStore {
    /// Those of these photos that are this account's, in the order they were asked for.
    func fates(of photos: [String], of account: String) throws -> [PhotoFate] {
        try photos.compactMap { id in
            try database.first(
                """
                SELECT id, event_id, size, sha256, original_key, hidden, deleted_at IS NOT NULL FROM photos
                WHERE id = ? AND owner_id = ?
                """, id, account, as: PhotoFate.init)
        }
    }
}

extension UploadEndpoints {
    package func photos(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let ids = try Self.askedIDs(request, of: "photos")
        var answers: [JSONValue] = []
        for fate in try await store.fates(of: ids, of: account.id) {
            var isStored: Bool?
            if fate.state == .shown { isStored = try await storage.look(fate.originalKey)?.size == fate.size }
            answers.append(fate.json(isStored: isStored))
        }
        return .data(.array(answers))
    }

    /// What is no id is nothing that is here.
    static func askedIDs(_ request: Request, of kind: String) throws -> [String] {
        let asked = (request.query["ids"] ?? "").split(separator: ",").map(String.init)
        guard (1...mostAsked).contains(asked.count) else {
            throw APIError(
                .unprocessable, "this cannot be taken: ids",
                fields: [("ids", ["must name from 1 to \(mostAsked) \(kind)"])])
        }
        return asked.compactMap(FieldRule.canonicalUUID)
    }
}
