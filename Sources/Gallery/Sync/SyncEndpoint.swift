import Basics
package import HTTPServer

/// POST /sync: brings what a client changed while it was offline, and takes what others did.
package struct SyncEndpoint: Sendable {
    package static let mostChanges = 1000
    package static let mostPulled = 5000
    /// A change of which not even this much can be read is named by nothing.
    private static let longestName = 100

    private let store: StorePool
    private let pulls: Int

    package init(store: StorePool, pulls: Int = mostPulled) {
        self.store = store
        self.pulls = pulls
    }

    private struct Rejection {
        let id: JSONValue
        let type: JSONValue
        let refusal: SyncRefusal

        var json: JSONValue {
            [
                "id": id, "type": type, "code": .string(refusal.reason.code),
                "message": .string(refusal.message),
            ]
        }
    }

    package func sync(_ request: Request, of account: Account) async throws -> Response {
        let wish = try JSONFields.read(request) { fields in
            (
                last: fields.optional("lastSync", .time),
                changes: fields.required("changes", .array(0...Self.mostChanges))
            )
        }
        var rejections: [Rejection] = []
        var changes: [SyncChange] = []
        for json in wish.changes {
            do {
                changes.append(try SyncChange(json))
            } catch let error as APIError {
                rejections.append(Self.rejection(of: json, Self.refusal(error)))
            }
        }
        // An album may be made together with its event; what concerns one record stays in its order.
        let inOrder = SyncKind.allCases.flatMap { kind in changes.filter { $0.kind == kind } }
        let results = inOrder.isEmpty ? [] : try await store { try $0.push(inOrder, of: account.id) }
        // Those who lost may have seen the winner long ago, and have to be told again.
        var unsettled: [SyncChange] = []
        for (change, result) in zip(inOrder, results) {
            switch result {
            case .taken: break
            case .lost: unsettled.append(change)
            case .refused(let refusal):
                unsettled.append(change)
                rejections.append(
                    Rejection(id: .string(change.id), type: .string(change.kind.rawValue), refusal: refusal))
            }
        }
        let pull = try await store { [unsettled] in
            try $0.pull(
                after: wish.last?.milliseconds ?? .min, of: account.id, besides: unsettled, limit: pulls)
        }
        return .data([
            "serverTimestamp": .string(CivilTime.rfc3339(milliseconds: pull.stamp)),
            "changes": .array(pull.records.map(\.json)), "more": .bool(pull.isMore),
            "rejected": .array(rejections.map(\.json)),
        ])
    }

    /// As much of its name as can be said.
    private static func rejection(of json: JSONValue, _ refusal: SyncRefusal) -> Rejection {
        func name(_ key: String) -> JSONValue {
            guard let text = json[key]?.string, text.utf8.count <= longestName else { return .null }
            return .string(text)
        }
        return Rejection(id: name("id"), type: name("type"), refusal: refusal)
    }

    private static func refusal(_ error: APIError) -> SyncRefusal {
        guard !error.fields.isEmpty else { return .wrong("a change must be a JSON object") }
        return .wrong("\(error)")
    }
}

extension SyncRefusal.Reason {
    /// The contract's word.
    fileprivate var code: String {
        switch self {
        case .notFound: "NOT_FOUND"
        case .wrong: "UNPROCESSABLE"
        case .conflict: "CONFLICT"
        case .clockAhead: "CLOCK_AHEAD"
        case .gone: "GONE"
        }
    }
}
