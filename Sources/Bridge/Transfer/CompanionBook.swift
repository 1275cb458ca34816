/// Which photos of a card are taken, for what belongs to one of them: a voice memo or a sidecar goes with its photo.
struct CompanionBook: Equatable, Sendable {
    private enum Standing: Equatable {
        case taken
        case passedOver(FilterRule)
    }

    /// By slot, folders and name without its ending, as one number: a full card has a hundred thousand photos.
    private var photos: [Int: Standing] = [:]
    /// Passed over with their photo, which may be taken after all: a photographer protects it after it was shot.
    private var passedOver: [Int: Set<PhotoReference>] = [:]

    private static func shot(_ offer: Offer) -> Int {
        var hasher = Hasher()
        hasher.combine(offer.identity.slot)
        hasher.combine(offer.identity.folders)
        hasher.combine(offer.identity.stem)
        return hasher.finalize()
    }

    /// A photo and what becomes of it. Of a RAW and its JPEG one that is taken is enough. Gives the companions that are
    /// to be looked at again.
    mutating func met(_ offer: Offer, _ objection: FilterRule?) -> Set<PhotoReference> {
        guard !offer.isInMemory, !offer.identity.isCompanion else { return [] }
        let shot = Self.shot(offer)
        guard let objection else {
            photos[shot] = .taken
            return passedOver.removeValue(forKey: shot) ?? []
        }
        if photos[shot] != .taken { photos[shot] = .passedOver(objection) }
        return []
    }

    /// What speaks against a companion, where its photo is known. `own`: what the rules say of it by itself.
    func objection(to offer: Offer, own: FilterRule?) -> FilterRule? {
        guard offer.identity.isCompanion, let photo = photos[Self.shot(offer)] else { return own }
        switch (photo, own) {
        // Formats are named one by one: this one is, or is not, among them.
        case (_, .format): return .format
        case (.passedOver(.format), _): return own
        case (.taken, _): return nil
        case (.passedOver(let rule), _): return rule
        }
    }

    /// A companion that was passed over.
    mutating func leftOut(_ offer: Offer) {
        guard offer.identity.isCompanion else { return }
        passedOver[Self.shot(offer), default: []].insert(offer.reference)
    }
}
