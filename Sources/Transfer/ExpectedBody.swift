package import Bridge

/// Which body may answer at a place, besides any that was met before.
package enum ExpectedBody: Equatable, Sendable {
    /// The one that the ledger knows there; any where it knows none.
    case asKnownThere
    /// That one: it was looked for, and its address may be new.
    case body(CameraIdentity)
    /// The operator has added it by its place or its announcement, and it has not been met.
    case added
}

extension TransferSession {
    /// Those that are waited for at a place.
    func bodies(at place: String, _ expected: ExpectedBody) async throws -> [KnownBody] {
        switch expected {
        case .asKnownThere: try await ledger.bodies(at: place)
        case .body(let identity): try await ledger.body(identity).map { [$0] } ?? []
        case .added: []
        }
    }
}
