extension APIError {
    /// What the store refused, in the contract's words.
    init(_ refusal: GalleryRefusal) {
        switch refusal {
        case .notFound(let subject): self = .notFound(subject.rawValue)
        case .accountGone: self.init(.unauthenticated, "\(refusal)")
        case .consentMissing: self.init(.consentRequired, "\(refusal)")
        case .noCredits: self.init(.paymentRequired, "\(refusal)")
        case .eventOver: self.init(.gone, "\(refusal)")
        case .keyUsedBefore, .uploadConflict, .slugTaken, .tooManyEvents, .tooManyAlbums, .tooManyInvitations,
            .tooManyHearts, .tooManyComments, .commentKnown:
            self.init(.conflict, "\(refusal)")
        case .guestUploadsClosed: self.init(.forbidden, "\(refusal)")
        case .guestUploadsFull: self.init(.paymentRequired, "\(refusal)")
        case .tooManyGuestUploads: self.init(.rateLimited, "\(refusal)", retryAfter: .seconds(60))
        case .tooManyTags(let photo, let most):
            self.init(
                .unprocessable, "not valid: addTags",
                fields: [
                    ("addTags", ["would give photo \(photo) more than \(most) tags; nothing was changed"])
                ])
        case .coverNotSeen:
            self.init(
                .conflict, "\(refusal)",
                fields: [("coverPhoto", ["must be a photo of this event that guests see"])])
        case .endsBeforeItBegins:
            self.init(
                .unprocessable, "not valid: expiresAt",
                fields: [("expiresAt", ["must be after startsAt"])])
        }
    }
}
