import Bridge

/// Tells photos apart that have name, folder, date, size and format in common and lie on the card at the same time:
/// the second of them gets a number. (Over connections a photo has another handle and is still the same photo, so
/// handles tell nothing; within one connection two of them are two photos.)
struct TwinRegister {
    private var handles: [PhotoIdentity: [UInt32]] = [:]
    private var identities: [UInt32: PhotoIdentity] = [:]
    /// Looks that several photos have had.
    private var doubled: Set<PhotoIdentity> = []

    mutating func told(_ offer: Offer) -> Offer {
        guard !offer.isInMemory, offer.hasFinalSize else { return offer }
        if identities[offer.handle] != offer.identity { remove(offer.handle) }
        var alike = handles[offer.identity, default: []]
        if !alike.contains(offer.handle) { alike.append(offer.handle) }
        handles[offer.identity] = alike
        if alike.count > 1 { doubled.insert(offer.identity) }
        identities[offer.handle] = offer.identity
        var told = offer
        told.twin = alike.firstIndex(of: offer.handle) ?? 0
        return told
    }

    /// Whether another photo that looks the same lies, or lay, beside it.
    func hasTwin(_ offer: Offer) -> Bool {
        handles[offer.identity, default: []].count > 1 || doubled.contains(offer.identity)
    }

    mutating func remove(_ handle: UInt32) {
        guard let identity = identities.removeValue(forKey: handle) else { return }
        handles[identity]?.removeAll { $0 == handle }
    }
}
