import Basics
import Bridge
import Camera
import Posix
import Store
import Synchronization
import Transfer
import Upload

/// How the cards are reached: through the bridge that has the cameras, or by connecting to them.
protocol CardAccess: Sendable {
    /// Lets the restorer work with every camera that answers. Says of the others why not.
    func visit(_ restorer: PhotoRestorer) async -> [String]
}

/// Brings files of photos into the spool again: off a card, else out of a destination that has them. What has another SHA-256
/// than the ledger says is never taken for the photo.
final class PhotoRestorer: Sendable {
    enum Outcome: Equatable, Sendable {
        case restored(from: String)
        /// No source could give it; what was tried.
        case none(String)
    }

    let photos: [SpooledCapture]
    private let ledger: Ledger
    private let repair: SpoolRepair
    private let errand: CardRefetch
    /// Of the bridge that runs; nothing where none does.
    private let underWay: Deliveries?
    /// What begins again as soon as a photo is there.
    private let wanted: [CaptureID: [(job: JobID, reason: String)]]
    private let state = Mutex(State())

    private static let card = "the card"

    private struct State {
        var restored: [CaptureID: String] = [:]
        var begun: Set<JobID> = []
        var reasons: [CaptureID: [String]] = [:]
    }

    init(
        _ photos: [SpooledCapture], wanted: [CaptureID: [(job: JobID, reason: String)]] = [:],
        ledger: Ledger, repair: SpoolRepair, workers: PhotoWorkers, underWay: Deliveries?
    ) {
        self.wanted = wanted
        self.photos = photos
        self.ledger = ledger
        self.repair = repair
        self.underWay = underWay
        errand = CardRefetch(repair: repair, workers: workers)
    }

    /// Those that are still wanted.
    var open: [SpooledCapture] {
        let restored = state.withLock { $0.restored }
        return photos.filter { restored[$0.id] == nil }
    }

    /// Deliveries that have begun again.
    var begun: Set<JobID> { state.withLock { $0.begun } }

    func outcome(of photo: SpooledCapture) -> Outcome {
        state.withLock { state in
            if let source = state.restored[photo.id] { return .restored(from: source) }
            let reasons = state.reasons[photo.id] ?? []
            return .none(
                reasons.isEmpty ? "no card has it, and no other destination" : reasons.joined(separator: "; ")
            )
        }
    }

    func restore(_ cards: any CardAccess, _ destinations: [any Destination], _ reader: LedgerReader)
        async throws
    {
        guard !photos.isEmpty else { return }
        let problems = await cards.visit(self)
        for photo in open {
            try Task.checkCancellation()
            for problem in problems { note(photo, problem) }
            for (id, receipt) in try reader.receipts(of: photo.id) {
                guard let destination = destinations.first(where: { $0.id == id }), !destination.consumes
                else { continue }
                // Not read for nothing: it cannot be what the camera wrote.
                guard receipt.sha256 == photo.sha256 else {
                    note(photo, "\(destination.url) has a copy with its caption, not what the camera wrote")
                    continue
                }
                if try await read(photo, receipt, destination) { break }
            }
        }
    }

    // MARK: A card

    func find(on camera: any CameraDriver, _ wish: SurveyOptions = SurveyOptions()) async throws -> [(
        SpooledCapture, Offer
    )] {
        let photos = open
        let found = try await errand.find(photos, on: camera, wish)
        return photos.compactMap { photo in found[photo.id].map { (photo, $0) } }
    }

    /// Throws what ended the connection; what is the photo's own is noted.
    func bring(_ photo: SpooledCapture, _ offer: Offer, from camera: any CameraDriver) async throws {
        let error = try await bring(photo, from: Self.card) { [errand] in
            try await errand.bring(photo, offer, from: camera)
        }
        if let failure = error as? CameraFailure, failure.isEndOfConnection { throw failure }
    }

    // MARK: One photo, from one source

    /// Why it did not work, which is noted as well. Throws what concerns more than this photo.
    private func bring(
        _ photo: SpooledCapture, from source: String, _ body: () async throws -> SpoolRepair.Mending
    ) async throws -> (any Error)? {
        guard await repair.take(photo.id) else {
            note(photo, "another command is fetching it at this moment")
            return nil
        }
        let result: Result<(any Error)?, any Error>
        do {
            result = .success(try await bringInHand(photo, from: source, body))
        } catch {
            result = .failure(error)
        }
        await repair.giveBack(photo.id)
        return try result.get()
    }

    private func bringInHand(
        _ photo: SpooledCapture, from source: String, _ body: () async throws -> SpoolRepair.Mending
    ) async throws -> (any Error)? {
        let jobs = try await ledger.keepBack(photo.id)
        let result = await withoutDeliveries(of: photo, jobs, body)
        try await ledger.letGo(photo.id, jobs)
        switch result {
        case .success(let mending):
            try await take(mending, photo, from: source)
            return nil
        case .failure(let error):
            note(photo, source == Self.card ? "\(error)" : "\(source): \(error)")
            return error
        }
    }

    /// What is under way with the old file is stopped before there is a new one.
    private func withoutDeliveries(
        of photo: SpooledCapture, _ jobs: [JobID], _ body: () async throws -> SpoolRepair.Mending
    ) async -> Result<SpoolRepair.Mending, any Error> {
        do {
            if let underWay, !jobs.isEmpty { try await underWay.putAside(jobs) }
        } catch {
            return .failure(error)
        }
        do {
            return .success(try await body())
        } catch {
            return .failure(await discarded(photo) ?? error)
        }
    }

    /// Why the partial file could not be removed, if it could not.
    private func discarded(_ photo: SpooledCapture) async -> DiskError? {
        do throws(DiskError) {
            try await repair.discard(photo)
            return nil
        } catch {
            return error
        }
    }

    private func take(_ mending: SpoolRepair.Mending, _ photo: SpooledCapture, from source: String)
        async throws
    {
        switch mending {
        case .mended:
            let begun = try await ledger.restored(photo.id, redelivering: wanted[photo.id] ?? [])
            state.withLock { state in
                state.restored[photo.id] = source
                state.begun.formUnion(begun)
            }
        case .differs(let sha256):
            note(
                photo,
                "\(source) gives other bytes than the ledger knows (SHA-256 \(sha256)), and they are not used in its place"
            )
        }
    }

    private func note(_ photo: SpooledCapture, _ reason: String) {
        state.withLock { $0.reasons[photo.id, default: []].append(reason) }
    }

    // MARK: Another destination

    /// Whether it is there again.
    private func read(
        _ photo: SpooledCapture, _ receipt: Receipt, _ destination: any Destination
    ) async throws -> Bool {
        _ = try await bring(photo, from: destination.url) { [repair] in
            let incoming = try await repair.begin(photo)
            let copy = IncomingCopy(incoming.file, most: photo.size)
            try await destination.read(receipt) { copy.take($0) }
            if let problem = copy.problem { throw problem }
            return try await repair.finish(photo, incoming)
        }
        return !open.contains(photo)
    }
}

/// Bytes as they come, into a file.
private final class IncomingCopy: Sendable {
    private let file: any DiskFile
    /// What is longer is not the photo.
    private let most: UInt64
    private let state = Mutex<(position: UInt64, problem: DiskError?)>((0, nil))

    init(_ file: any DiskFile, most: UInt64) {
        self.file = file
        self.most = most
    }

    var problem: DiskError? { state.withLock { $0.problem } }

    func take(_ bytes: RawSpan) -> Bool {
        let position = state.withLock { $0.position }
        guard position + UInt64(bytes.byteCount) <= most else { return false }
        do throws(DiskError) {
            try file.write(bytes, at: position)
        } catch {
            state.withLock { $0.problem = error }
            return false
        }
        let count = UInt64(bytes.byteCount)
        state.withLock { $0.position += count }
        return true
    }
}
