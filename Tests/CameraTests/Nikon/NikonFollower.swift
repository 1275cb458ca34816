import Bridge
import Camera
import TestSupport

/// Follows what a camera tells, and brings every photo once.
struct NikonFollower {
    let driver: any CameraDriver
    let stand: GenericStand
    /// What was there before.
    private(set) var known: Set<PhotoReference>
    private(set) var photos: [String: [UInt8]] = [:]
    /// How often each was told by name.
    private(set) var told: [PhotoReference: Int] = [:]
    private(set) var offers: [Offer] = []
    private(set) var remarks: [String] = []
    /// Cards that came or went.
    private(set) var cards = 0

    init(_ driver: any CameraDriver, _ stand: GenericStand, known: Set<PhotoReference> = []) {
        self.driver = driver
        self.stand = stand
        self.known = known
    }

    /// Until it has so many, and so many were told by name.
    mutating func follow(until count: Int, told least: Int = 0) async throws {
        let changes = driver.changes.makeAsyncIterator()
        while photos.count < count || told.count < least, let change = await changes.next() {
            switch change {
            case .added(let reference):
                told[reference, default: 0] += 1
                try await bring([reference])
            case .mayHaveMore:
                try await bring(try await driver.references())
            case .cardsChanged:
                cards += 1
                known = []
                try await bring(try await driver.references())
            case .remark(let sentence): remarks.append(sentence)
            case .changed, .removed, .busy, .learned: break
            }
        }
    }

    private mutating func bring(_ references: Set<PhotoReference>) async throws {
        for reference in references.subtracting(known).sorted() {
            known.insert(reference)
            guard let offer = try await described(reference) else { continue }
            let sink = ArraySink()
            try await ConformanceCheck.fetch(offer, driver, into: sink, stand)
            let path = offer.identity.path
            if photos[path] != nil {
                photos["\(path), again"] = sink.bytes
            } else {
                photos[path] = sink.bytes
            }
            offers.append(offer)
            if offer.isInMemory || offer.wantsRelease {
                try await driver.release(offer)
            }
        }
    }

    /// Nothing for what is not there, as behind the last photo in a body's memory.
    private func described(_ reference: PhotoReference) async throws -> Offer? {
        do throws(CameraFailure) {
            return try await driver.describe(reference, withRating: false)
        } catch {
            guard error.trouble == .gone else { throw error }
            return nil
        }
    }
}
