import Bridge
import Camera
import Digest

/// Compares a few photos on a card with photos that look the same and are known, by their content.
struct CardComparer {
    let camera: any CameraDriver
    let ledger: any TransferLedger
    let workers: PhotoWorkers

    /// The newest photos are the likeliest to be known; the oldest where a card is the event's alone.
    private static let newest = 12
    private static let oldest = 4
    /// Looked at beyond these where only one photo can be compared: it may be one that was rated on the body since.
    private static let more = 48
    /// So many that are the same are enough, and so many that are not.
    private static let enough = 2
    private static let mostCompared = 4
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
        var (same, different): ([CameraIdentity: Int], [CameraIdentity: Int]) = ([:], [:])
        let matches = try await matches(with: known)
        for match in matches.prefix(Self.mostCompared) {
            guard let digest = try await digest(of: match.offer) else { continue }
            for (body, digests) in match.digests {
                if digests.contains(digest) {
                    same[body, default: 0] += 1
                } else {
                    different[body, default: 0] += 1
                }
            }
            if same.contains(where: { $0.value >= Self.enough }) { break }
        }
        let doubted = different.filter { body, count in
            let comparable = matches.count { $0.digests[body] != nil }
            return same[body] != nil || count >= min(Self.enough, comparable)
        }
        return CardComparison(same: Set(same.keys), different: Set(doubted.keys))
    }

    /// Those that look like one that is known, the smallest first.
    private func matches(with bodies: [CameraIdentity]) async throws -> [Match] {
        var references = try await camera.glance().sorted()
        var (matches, photos) = try await look(at: chosen(of: references), bodies)
        if photos == 0, !references.isEmpty {
            references = try await camera.references().sorted()
            (matches, photos) = try await look(at: chosen(of: references), bodies)
        }
        if matches.count == 1 {
            let further = references.dropFirst(Self.oldest).dropLast(Self.newest).suffix(Self.more)
            matches += try await look(at: further.reversed(), bodies).matches
        }
        return matches.sorted { $0.offer.identity.size < $1.offer.identity.size }
    }

    private func chosen(of references: [PhotoReference]) -> [PhotoReference] {
        Set(references.suffix(Self.newest) + references.prefix(Self.oldest)).sorted(by: >)
    }

    private func look(
        at references: [PhotoReference], _ bodies: [CameraIdentity]
    ) async throws -> (matches: [Match], photos: Int) {
        var (matches, photos): ([Match], Int) = ([], 0)
        for reference in references {
            guard let offer = try await harmless({ try await camera.describe(reference, withRating: false) }),
                let offer
            else { continue }
            photos += 1
            guard offer.key != nil, offer.identity.size <= Self.largest else { continue }
            var digests: [CameraIdentity: Set<String>] = [:]
            for body in bodies {
                let theirs = try await ledger.digests(ofPhotosLike: offer, of: body)
                if !theirs.isEmpty { digests[body] = theirs }
            }
            if !digests.isEmpty { matches.append(Match(offer: offer, digests: digests)) }
        }
        return (matches, photos)
    }

    /// Nothing when the camera does not give it, or not all of it.
    private func digest(of offer: Offer) async throws -> String? {
        let hasher = SHA256()
        let intake = FetchOptions(into: Nowhere(), hasher: hasher, workers: workers)
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
