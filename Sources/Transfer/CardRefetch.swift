package import Bridge
package import Camera
package import Store

/// Photos that the ledger knows, brought off one card once more, each compared with its SHA-256.
package struct CardRefetch: Sendable {
    private let repair: SpoolRepair
    private let workers: PhotoWorkers

    package init(repair: SpoolRepair, workers: PhotoWorkers) {
        self.repair = repair
        self.workers = workers
    }

    /// The card cannot give it.
    package struct NotOnCard: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Which of these photos the card has.
    package func find(
        _ photos: [SpooledCapture], on camera: any CameraDriver, _ wish: SurveyOptions = SurveyOptions()
    ) async throws -> [CaptureID: Offer] {
        let offers: [Offer]
        switch try await CardSurvey.of(camera, wish) {
        case .card(let card): offers = card.offers
        case .notVerifiable(let camera, let reason):
            throw NotOnCard(description: "\(camera): \(reason)")
        case .notReachable(let address, let reason):
            throw NotOnCard(description: "\(address): \(reason)")
        }
        let wanted = Dictionary(
            photos.compactMap { photo in photo.key.map { ($0, photo.id) } },
            uniquingKeysWith: { first, _ in first })
        var found: [CaptureID: Offer] = [:]
        for offer in offers {
            if let key = offer.key, let id = wanted[key] { found[id] = offer }
        }
        return found
    }

    /// The reference may mean another photo by now, so it is looked at first.
    package func bring(
        _ photo: SpooledCapture, _ offer: Offer, from camera: any CameraDriver
    ) async throws -> SpoolRepair.Mending {
        let now = try await camera.describe(offer.reference, withRating: false)
        guard let now, now.identity.path == offer.identity.path, now.identity.size == offer.identity.size,
            now.identity.captureDate == offer.identity.captureDate
        else { throw NotOnCard(description: "something else has its place on the card by now; ask again") }
        let incoming = try await repair.begin(photo)
        let intake = FetchOptions(into: SpoolSink(incoming, verified: { _ in }), workers: workers)
        _ = try await camera.fetch(offer, from: 0, into: intake)
        return try await repair.finish(photo, incoming)
    }
}
