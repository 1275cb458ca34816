package import Basics
package import Bridge
import Digest

/// The photos of one event at a gallery, as the account that is logged in may see them.
package struct GalleryPhotos: PhotoGallery {
    package let event: String
    private let gallery: GalleryAccount
    private let file: CredentialsFile

    private var api: GalleryAPI { gallery.api }

    /// `account` is for the place's address, and `file` is where it has its log-in from.
    package init(_ place: GalleryPlace, account: GalleryAccount, file: CredentialsFile) {
        precondition(account.api.address == place.address, "the account is at another gallery")
        event = place.event
        gallery = account
        self.file = file
    }

    package func account() throws -> String? {
        try file.read()[api.address].map { entry in
            // Two galleries may have the same id, and an address may be long.
            "\(SHA256.of(Array("\(entry.server) \(entry.user.id)".utf8)))"
        }
    }

    package func openEvent() async throws -> GalleryEventSpan? {
        try await unlessGone { [api, event] token throws(GalleryError) in
            GalleryEventSpan(expiresAt: try await api.event(event, token).expiresAt)
        }
    }

    package func photo(_ id: String) async throws -> GalleryPhoto? {
        try await unlessGone { [api] token throws(GalleryError) in try await api.photo(id, token) }
    }

    package func fates(of ids: [String]) async throws -> [String: GalleryPhoto.Fate] {
        guard !ids.isEmpty else { return [:] }
        let found = try await gallery.perform { [api] token throws(GalleryError) in
            try await api.photos(ids, token)
        }
        // A word of a newer version is none of those that take a photo away.
        return found.mapValues { GalleryPhoto.Fate(rawValue: $0.state) ?? .shown }
    }

    package func imageAddress(of key: String) async throws -> (url: String, headers: [HTTPHeader]) {
        let token = try await gallery.perform { token throws(GalleryError) in token }
        return (
            api.address.url("images/\(GalleryAPI.escaped(key))"),
            [HTTPHeader("Authorization", "Bearer \(token)")]
        )
    }

    private func unlessGone<Value: Sendable>(
        _ call: (String) async throws(GalleryError) -> Value
    ) async throws(GalleryError) -> Value? {
        do throws(GalleryError) {
            return try await gallery.perform(call)
        } catch .refused(let refusal) where refusal.isItsOwn && [404, 410].contains(refusal.status) {
            return nil
        }
    }
}

extension GalleryAPI {
    func photo(_ id: String, _ token: String) async throws(GalleryError) -> GalleryPhoto {
        let answer = try await call("GET", "photos/\(Self.escaped(id))", token: token)
        return try reading("the photo") { () throws(GalleryResponseFields.Mismatch) in
            let fields = try GalleryResponseFields(answer.data)
            return GalleryPhoto(
                isHidden: try fields.flag("hidden"), thumbKey: try fields.id("thumbKey"),
                screenKey: try fields.id("screenKey"))
        }
    }
}
