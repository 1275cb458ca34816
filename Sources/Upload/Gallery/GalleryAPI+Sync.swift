package import Basics
package import Bridge

extension GalleryAPI {
    /// A page holds up to 5000 records, each with a caption of up to 2000 characters; most have none.
    private static let pageLimits = jsonLimits(bytes: 32 << 20, elements: 2_000_000)
    private static let mostRecords = 100_000

    /// What changed there after `stamp`, once these changes have been looked at.
    func sync(
        since stamp: Timestamp?, _ changes: [OutgoingChange], _ token: String
    ) async throws(GalleryError) -> SyncAnswer {
        let body: JSONValue = [
            "lastSync": .optional(stamp) { .string(CivilTime.rfc3339(milliseconds: $0.milliseconds)) },
            "changes": .array(changes.map(\.json)),
        ]
        let answer = try await call("POST", "sync", token: token, body: body, limits: Self.pageLimits)
        let received = wall.wallNow
        return try reading("what has changed") { () throws(GalleryResponseFields.Mismatch) in
            do throws(GalleryRecord.Unreadable) {
                return try Self.answer(
                    answer.data ?? .null, clockAhead: answer.date.map { $0 - received })
            } catch {
                throw GalleryResponseFields.Mismatch(description: error.description)
            }
        }
    }

    private static func answer(
        _ data: JSONValue, clockAhead: Duration?
    ) throws(GalleryRecord.Unreadable) -> SyncAnswer {
        let fields = RecordFields(data)
        guard let changes = data["changes"]?.array, changes.count <= mostRecords,
            let rejected = data["rejected"]?.array, rejected.count <= mostRecords
        else { throw GalleryRecord.Unreadable("there are no lists of changes") }
        var records: [GalleryRecord] = []
        for change in changes { records.append(try GalleryRecord(told: change)) }
        var rejections: [SyncRejection] = []
        for rejection in rejected {
            let fields = RecordFields(rejection)
            rejections.append(
                SyncRejection(
                    record: try fields.optionalText("id", most: UntrustedText.longestID),
                    code: try fields.optionalText("code", most: UntrustedText.longestID) ?? "",
                    message: UntrustedText.clean(
                        try fields.optionalText("message", most: longestAnswer) ?? "", most: longestMessage)))
        }
        return SyncAnswer(
            stamp: try fields.moment("serverTimestamp"), records: records,
            // A gallery of an older version tells all at once.
            isMore: try fields.flag("more") ?? false, rejections: rejections, clockAhead: clockAhead)
    }
}

/// A gallery as its copy is kept: our log-in there, and what its failures mean for those who can wait.
package struct GallerySync: SyncServer {
    private let gallery: GalleryAccount
    private let file: CredentialsFile

    package init(_ gallery: GalleryAccount, file: CredentialsFile) {
        self.gallery = gallery
        self.file = file
    }

    package func account() async throws(SyncFailure) -> String {
        do throws(CredentialsFile.Problem) {
            if let entry = try file.read()[gallery.api.address] { return entry.user.id }
        } catch {
            throw .passing(error.description)
        }
        throw SyncFailure(.loggedOut(server: "\(gallery.api.address)"))
    }

    package func exchange(
        since stamp: Timestamp?, _ changes: [OutgoingChange]
    ) async throws(SyncFailure) -> SyncAnswer {
        do throws(GalleryError) {
            return try await gallery.perform { [api = gallery.api] token throws(GalleryError) in
                try await api.sync(since: stamp, changes, token)
            }
        } catch {
            throw SyncFailure(error)
        }
    }
}

extension SyncFailure {
    init(_ error: GalleryError) {
        switch error.general {
        case .destinationFailed(let text, let after): self = .passing(text, after: after)
        case .held(_, let text): self = .operatorNeeded(text)
        case .cancelled: self = .cancelled
        // What it refuses as a whole it refuses again: another version, or an account that may not.
        case nil: self = .operatorNeeded("\(error)")
        }
    }
}
