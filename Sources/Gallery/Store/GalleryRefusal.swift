/// Why the gallery did not do what was asked: one of its rules, and no failure of anything.
package enum GalleryRefusal: Error, Equatable, Sendable {
    package enum Subject: String, Sendable {
        case event, photo, upload, camera, comment, album
    }

    /// Also for what is another account's: the one who asks learns nothing from it.
    case notFound(Subject)
    /// Deleted, while something was done in its name.
    case accountGone
    case consentMissing(version: Int)
    case noCredits
    case eventOver(name: String)
    /// The idempotency key came with another request before.
    case keyUsedBefore
    /// The upload's state does not allow it; the reason is ``UploadStateMachine``'s.
    case uploadConflict(String)
    case slugTaken(String)
    case tooManyEvents(Int)
    case tooManyAlbums(Int)
    case tooManyInvitations(Int)
    case tooManyTags(photo: String, Int)
    /// No photo of that event, or none that guests see.
    case coverNotSeen
    /// Guests could never look.
    case endsBeforeItBegins
    /// Of one device in an event.
    case tooManyHearts(Int)
    /// Of a photo.
    case tooManyComments(Int)
    /// That id came with another comment before.
    case commentKnown
    /// The hosts take no photos of guests.
    case guestUploadsClosed
    /// What guests may spend is spent, or the host's own credits are: guests are not told which.
    case guestUploadsFull
    /// Of one device, or of all of an event.
    case tooManyGuestUploads
}

extension GalleryRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notFound(let subject): "there is no such \(subject.rawValue)"
        case .accountGone: "the account has been deleted"
        case .consentMissing(let version):
            "consent to version \(version) of the terms is needed before uploads"
        case .noCredits: "no credits are left; get some, and uploads go on"
        case .eventOver(let name):
            "the event '\(name)' has ended; set a later end on the host's page, or upload to another"
        case .keyUsedBefore: "this Idempotency-Key was used for another upload"
        case .uploadConflict(let reason): reason
        case .slugTaken(let slug): "the address '\(slug)' belongs to another event; choose another"
        case .tooManyEvents(let most):
            "an account has at most \(most) events, deleted ones included; use another account"
        case .tooManyAlbums(let most): "an event has at most \(most) albums; use one that is there"
        case .tooManyInvitations(let most): "\(most) invitations are open; wait until some have ended"
        case .tooManyTags(let photo, let most):
            "photo \(photo) would have more than \(most) tags; nothing was changed"
        case .coverNotSeen: "coverPhoto must be a photo of this event that guests see"
        case .endsBeforeItBegins: "expiresAt must be after startsAt"
        case .tooManyHearts(let most):
            "a guest gives at most \(most) hearts at an event; take another back first"
        case .tooManyComments(let most): "a photo has at most \(most) comments"
        case .commentKnown: "this id was used for another comment; send it with another"
        case .guestUploadsClosed: "the hosts of this event take no photos of guests"
        case .guestUploadsFull: "the hosts cannot take more photos of guests just now; tell them"
        case .tooManyGuestUploads: "too many photos are on their way; finish or end some, and go on"
        }
    }
}
