import Bridge
import PTP

/// Photos: those on the card as the standard has them, and those that the body keeps in its memory until they are ours.
extension CanonDriver {
    /// Its memory is small: a photo in it that is not wanted takes the place of one that is.
    var abilities: CameraAbilities {
        get async {
            var abilities = await plain.abilities
            abilities.handsOver = true
            return abilities
        }
    }

    func survey(
        _ wish: SurveyOptions, onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        var survey = try await plain.survey(wish, onDescribed: onDescribed)
        survey.offers.removeAll { hasCome($0.reference) }
        for index in survey.offers.indices { complete(&survey.offers[index]) }
        return try await survey.adding(inMemory.map { PhotoReference($0) }, of: self, wish, onDescribed)
    }

    func references() async throws(CameraFailure) -> Set<PhotoReference> {
        try await plain.references().union(inMemory.map { PhotoReference($0) })
    }

    func glance() async throws(CameraFailure) -> Set<PhotoReference> {
        try await plain.glance().union(inMemory.map { PhotoReference($0) })
    }

    private var inMemory: [ObjectHandle] {
        watch.wantedFromMemory
    }

    /// It is the photo that came out of the memory while the card was still to have it.
    private func hasCome(_ reference: PhotoReference) -> Bool {
        ObjectHandle(reference).map { watch.cameFromMemory($0) || watch.isOurs($0) } ?? false
    }

    func describe(
        _ reference: PhotoReference, withRating: Bool
    ) async throws(CameraFailure) -> Offer? {
        if hasCome(reference) { return nil }
        do throws(CameraFailure) {
            guard var offer = try await plain.describe(reference, withRating: withRating) else { return nil }
            complete(&offer)
            return offer
        } catch {
            // What the body keeps for us may be no object to it: then what its request said is all there is to know.
            guard error.isAboutObject, let handle = ObjectHandle(reference),
                let object = watch.requested[handle], let offer = await offer(object)
            else { throw error }
            return offer
        }
    }

    private func complete(_ offer: inout Offer) {
        guard let handle = ObjectHandle(offer.reference) else { return }
        feed(.offered(handle))
        if watch.isOnlyInMemory(handle) { (offer.isInMemory, offer.isOnlyCopy) = (true, true) }
        if !offer.hasFinalSize, let size = watch.largeSize(of: handle) { offer.identity.size = size }
    }

    private func offer(_ object: CanonObject) async -> Offer? {
        guard let name = object.name, let format = object.format, let size = object.size else { return nil }
        let camera = await plain.body.identity
        var offer = Offer(
            identity: PhotoIdentity(
                manufacturer: camera.manufacturer, model: camera.model, body: camera.body, slot: 0,
                folders: [], name: name, size: size, captureDate: "", format: format.rawValue),
            reference: PhotoReference(object.handle))
        (offer.isInMemory, offer.isOnlyCopy) = (true, true)
        offer.formatName = format.described(for: .canon)
        return offer
    }

    // MARK: Bytes

    func fetch(
        _ offer: Offer, from offset: UInt64, into intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        feed(.fetchBegan)
        do throws(CameraFailure) {
            let fetched = try await plain.fetch(offer, from: offset, into: intake)
            fetchEnded()
            return fetched
        } catch {
            fetchEnded()
            throw error
        }
    }

    /// "Without TransferComplete the slot in its memory is never freed, and the camera stays busy": where it refuses to hear
    /// of it now, it is told again. What lies on a card is never touched: plain PTP's way to give memory back is to delete.
    func release(_ offer: Offer) async throws(CameraFailure) {
        guard offer.isInMemory else { return }
        let handle = try await plain.handle(offer.reference)
        try await perform(feed(.finished(handle)))
    }
}
