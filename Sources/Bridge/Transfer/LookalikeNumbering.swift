/// Tells photos apart that have name, folder, date, size and format in common and lie on the card at the same time:
/// the second of them gets a number. (Over connections a photo has another reference and is still the same photo,
/// so references tell nothing; within one connection two of them are two photos.)
public struct LookalikeNumbering: Equatable, Sendable {
    public init() {}

    private var alike: [PhotoIdentity: [PhotoReference]] = [:]
    private var identities: [PhotoReference: PhotoIdentity] = [:]
    /// Looks that several photos have had.
    private var doubled: Set<PhotoIdentity> = []

    public mutating func numbered(_ offer: Offer) -> Offer {
        guard !offer.isInMemory, offer.hasFinalSize else { return offer }
        if identities[offer.reference] != offer.identity { remove(offer.reference) }
        var twins = alike[offer.identity, default: []]
        if !twins.contains(offer.reference) { twins.append(offer.reference) }
        alike[offer.identity] = twins
        if twins.count > 1 { doubled.insert(offer.identity) }
        identities[offer.reference] = offer.identity
        var numbered = offer
        numbered.twin = twins.firstIndex(of: offer.reference) ?? 0
        return numbered
    }

    /// Whether another photo that looks the same lies, or lay, beside it.
    public func hasTwin(_ offer: Offer) -> Bool {
        alike[offer.identity, default: []].count > 1 || doubled.contains(offer.identity)
    }

    public mutating func remove(_ handle: PhotoReference) {
        guard let identity = identities.removeValue(forKey: handle) else { return }
        alike[identity]?.removeAll { $0 == handle }
    }
}
