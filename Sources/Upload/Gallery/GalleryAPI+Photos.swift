import Basics
package import Bridge

/// What a gallery says of one photo that was uploaded there.
struct UploadedPhoto: Equatable, Sendable {
    let id: String
    let state: String
    let size: UInt64
    let sha256: String
    /// Its bytes are in the gallery's storage; nothing where they need not be.
    let isStored: Bool?

    init(_ value: JSONValue) throws(GalleryResponseFields.Mismatch) {
        let fields = try GalleryResponseFields(value)
        id = try fields.id("photoId")
        state = try fields.text("state", most: 100)
        sha256 = try fields.text("sha256", most: 64)
        guard let size = fields.value("size")?.integer.flatMap({ UInt64(exactly: $0) }) else {
            throw GalleryResponseFields.Mismatch(description: "'size' is no size")
        }
        self.size = size
        isStored = fields.value("stored")?.bool
    }

    func standing(of receipt: Receipt) -> Standing {
        switch state {
        case "deleted": .withdrawn("the host has deleted it")
        case "hidden": .withdrawn("the host has hidden it")
        case "shown" where isStored == false: .altered("the gallery's storage does not have its bytes")
        case "shown": receipt.standing(ofSize: size) ?? receipt.standing(ofDigest: sha256)
        default: .notCheckable("the gallery says '\(UntrustedText.clean(state, most: 100))' of it")
        }
    }
}

extension GalleryAPI {
    /// Photos asked about in one question.
    static let mostPhotosAsked = 50

    /// What has become of photos. Those that the gallery does not know are left out.
    func photos(_ ids: [String], _ token: String) async throws(GalleryError) -> [String: UploadedPhoto] {
        precondition(ids.count <= Self.mostPhotosAsked, "a gallery is asked of so many at a time")
        let list = ids.map(Self.escaped).joined(separator: ",")
        let answer = try await call("GET", "uploads/photos?ids=\(list)", token: token)
        return try reading("what has become of photos") { () throws(GalleryResponseFields.Mismatch) in
            guard let list = answer.data?.array, list.count <= Self.mostPhotosAsked else {
                throw GalleryResponseFields.Mismatch(description: "there is no list")
            }
            var found: [String: UploadedPhoto] = [:]
            for value in list {
                let photo = try UploadedPhoto(value)
                found[photo.id] = photo
            }
            return found
        }
    }
}

extension GalleryDestination {
    package var mostLooked: Int { GalleryAPI.mostPhotosAsked }

    package func look(at receipts: [Receipt]) async -> [Standing] {
        let ids = Set(receipts.compactMap(\.photoID)).sorted()
        guard !ids.isEmpty else { return receipts.map { _ in Self.noPhoto } }
        do throws(GalleryError) {
            let found = try await photos(ids)
            // A gallery tells an account of its own photos only.
            if found.count < ids.count, let problem = try await otherAccount() {
                return receipts.map { _ in .unanswered(problem) }
            }
            return receipts.map { receipt in
                guard let id = receipt.photoID else { return Self.noPhoto }
                return found[id].map { $0.standing(of: receipt) } ?? .gone
            }
        } catch {
            // A gallery of an older version has no such question.
            if case .refused(let refusal) = error, refusal.isItsOwn, [404, 405].contains(refusal.status) {
                return receipts.map { _ in
                    .nothingCheckable("this gallery does not tell what became of photos")
                }
            }
            return receipts.map { _ in .unanswered("\(error)") }
        }
    }

    private static let noPhoto = Standing.notCheckable("its receipt names no photo of a gallery")
}
