import Basics
package import HTTPServer

/// What has become of a photo, for the client that uploaded it: also when it is not shown any more.
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

    /// `isStored`: its bytes are in the storage; nothing where they need not be.
    func json(isStored: Bool?) -> JSONValue {
        [
            "photoId": .string(id), "eventId": .string(event), "state": .string(state.rawValue),
            "size": .unsigned(size), "sha256": .string(sha256),
            "stored": isStored.map { .bool($0) } ?? .null,
        ]
    }
}

extension UploadEndpoints {
    package func photos(_ request: Request) async throws -> Response {
        let account = try await accounts.authenticate(request)
        let ids = try Self.askedIDs(request, of: "photos")
        var answers: [JSONValue] = []
        for fate in try await store({ try $0.fates(of: ids, of: account.id) }) {
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
                .unprocessable, "not valid: ids",
                fields: [("ids", ["must name from 1 to \(mostAsked) \(kind)"])])
        }
        return asked.compactMap(FieldRule.canonicalUUID)
    }
}
