import Bridge
import Camera
import Digest

/// Compares a few photos on a card with photos that look the same and are known, by their content.
struct CardSample {
    let camera: any CameraDriver
    let ledger: any TransferLedger
    let workers: PhotoWorkers

    /// The newest photos are the likeliest to be known; the oldest where a card is the event's alone.
    private static let newest = 12
    private static let oldest = 4
    private static let mostCompared = 2
    /// What takes longer to fetch than to find out otherwise.
    private static let largest: UInt64 = 128 << 20

    private struct Match {
        let offer: Offer
        let digests: [CameraIdentity: Set<String>]
    }

    func compared(with bodies: [CameraIdentity]) async throws -> CardComparison {
        var known: [CameraIdentity] = []
        for body in bodies where try await ledger.hasPhotos(of: body) { known.append(body) }
        guard !known.isEmpty else { return CardComparison() }
        var found = CardComparison()
        for match in try await matches(with: known) {
            guard let digest = try await digest(of: match.offer) else { continue }
            for (body, digests) in match.digests {
                if digests.contains(digest) {
                    found.same.insert(body)
                } else {
                    found.different.insert(body)
                }
            }
        }
        found.same.subtract(found.different)
        return found
    }

    /// The smallest of those that look like one that is known.
    private func matches(with bodies: [CameraIdentity]) async throws -> [Match] {
        let references = try await camera.references().sorted()
        let chosen = Set(references.suffix(Self.newest) + references.prefix(Self.oldest)).sorted(by: >)
        var matches: [Match] = []
        for reference in chosen {
            guard let offer = try await harmless({ try await camera.describe(reference, withRating: false) }),
                let offer, offer.key != nil, offer.identity.size <= Self.largest
            else { continue }
            var digests: [CameraIdentity: Set<String>] = [:]
            for body in bodies {
                let theirs = try await ledger.digests(ofPhotosLike: offer, of: body)
                if !theirs.isEmpty { digests[body] = theirs }
            }
            if !digests.isEmpty { matches.append(Match(offer: offer, digests: digests)) }
        }
        return Array(
            matches.sorted { $0.offer.identity.size < $1.offer.identity.size }.prefix(Self.mostCompared))
    }

    /// Nothing when the camera does not give it, or not all of it.
    private func digest(of offer: Offer) async throws -> String? {
        let hasher = SHA256()
        let intake = PhotoIntake(into: Nowhere(), hasher: hasher, workers: workers)
        let fetched = try await harmless { try await camera.fetch(offer, from: 0, into: intake) }
        guard let fetched, fetched.received == offer.identity.size else { return nil }
        return "\(hasher.finish())"
    }

    /// Nothing where only this photo is the matter; the transfer has its own ways with such.
    private func harmless<Result>(_ question: () async throws -> Result) async throws -> Result? {
        do {
            return try await question()
        } catch let failure as CameraFailure where !failure.isEndOfConnection {
            return nil
        }
    }

    private struct Nowhere: PayloadSink {
        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {}
    }
}
