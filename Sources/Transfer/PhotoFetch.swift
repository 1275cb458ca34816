import Basics
import Bridge
import Camera
import Digest
import Posix
import Store

/// A photo all of whose bytes are in its partial file, with what is known of them.
struct FetchedFile: Sendable {
    let incoming: IncomingPhoto
    /// Empty where no hash is wanted.
    let sha256: String
}

/// Brings one photo's bytes into its partial file: one step after the other.
struct PhotoFetch {
    let order: FetchOrder
    let camera: any CameraDriver
    let session: TransferSession
    let place: String
    let shelf: any PhotoShelf
    let workers: PhotoWorkers
    let time: any TimeSource
    /// Counts bytes that have never been so far before.
    let moved: Tally
    /// Counts all of them.
    let heard: Tally

    private var offer: Offer { order.offer }

    /// `onBegan` is told when there is room and the first byte is about to come, after so many that are kept.
    func run(onBegan: (UInt64) -> Void) async -> (FetchEnd, FetchEffort, FetchedFile?) {
        let came = Tally()
        let beganAt = time.now
        var kept: UInt64 = 0
        var file: FetchedFile?
        let end: FetchEnd
        guard session.inHand.take(order.capture.id) else { return (.inOtherHands, FetchEffort(), nil) }
        defer { session.inHand.leave(order.capture.id) }
        do {
            end = try await bring(came, &file) { position in
                kept = position
                onBegan(position)
            }
        } catch let failure as CameraFailure {
            end = Self.end(of: failure)
        } catch let error as DiskError {
            end = .disk(error.meaning, "\(error)")
        } catch let error as CaptureMismatch {
            end = .settledElsewhere("\(error)")
        } catch is CancellationError {
            end = .failed(.cancelled, "it was ended")
        } catch {
            end = .ledger("\(error)")
        }
        let effort = FetchEffort(bytes: came.value, time: time.now - beganAt, reached: kept + came.value)
        return (end, effort, file)
    }

    private static func end(of failure: CameraFailure) -> FetchEnd {
        guard failure.trouble == .taker else { return .failed(failure.trouble, failure.cause) }
        let error = failure.takerFailure as? DiskError
        return .disk(error?.meaning ?? .other, error.map { "\($0)" } ?? failure.cause)
    }

    private func bring(
        _ came: Tally, _ file: inout FetchedFile?, _ onBegan: (UInt64) -> Void
    ) async throws -> FetchEnd {
        let id = order.capture.id
        let size = offer.hasFinalSize ? offer.identity.size : nil
        if let lack = try await shelf.lack(ofRoomFor: size ?? 0, of: id) { throw DiskError(.noRoom, lack) }
        if offer.stableID == nil, let stableID = try await camera.stableID(of: offer) {
            try await session.ledger.name(id, stableID: stableID)
        }
        var asked = offer
        if order.doubtsSize { asked.identity.size = 0 }
        let canResume = await camera.canResume(asked)
        let incoming = try await shelf.open(order.capture, offer, mayResume: canResume && !order.startsOver)
        try await session.ledger.beginReceiving(id, kept: incoming.kept, boot: session.boot)
        if let breach = try await breach(in: incoming, before: incoming.kept) {
            try await shelf.discard(id)
            return .seamDiffers(breach)
        }
        let hasher = session.settings.hashes ? SHA256() : nil
        if let hasher, incoming.kept > 0 { try await shelf.hash(incoming, into: hasher) }
        onBegan(incoming.kept)
        let fetched = try await stream(asked, incoming, hasher, came)
        let total = incoming.kept + fetched.received
        if fetched.parts > 1, incoming.kept == 0,
            let breach = try await breach(in: incoming, before: min(total, Self.inASecondPart))
        {
            try await shelf.discard(id)
            return .seamDiffers(breach)
        }
        let end = try await judged(total, cameInParts: fetched.parts > 0 || incoming.kept > 0)
        if case .whole = end {
            file = FetchedFile(incoming: incoming, sha256: hasher.map { "\($0.finish())" } ?? "")
        } else {
            try await shelf.discard(id)
        }
        return end
    }

    // MARK: The seam

    /// Compared where new bytes are put behind kept ones: enough for any two places of a photo to differ.
    private static let overlap: UInt64 = 4096
    /// At 0 there is nothing to be seen of a body that ignores offsets.
    private static let leastOffset = IncomingPhoto.leastKept / 2
    /// Inside the second part of a photo that came in parts, and at no part's beginning.
    private static let inASecondPart: UInt64 = (1 << 20) + 1000 + overlap

    /// Bodies have been seen to give an object's beginning whatever offset was asked for. What the camera gives just before
    /// a position has to be what is kept there, and is asked for at an offset that is not 0; says what is wrong.
    private func breach(in incoming: IncomingPhoto, before position: UInt64) async throws -> String? {
        guard position >= IncomingPhoto.leastKept else { return nil }
        let range = max(position - min(position, Self.overlap), Self.leastOffset)..<position
        let theirs = try await camera.bytes(of: offer, range, noProgress: order.timeout)
        let ours = try await shelf.bytes(of: incoming, range)
        if theirs == ours { return nil }
        return
            "what the camera gives at \(range.lowerBound) is not what it gave before; it is fetched from its beginning"
    }

    // MARK: Bytes

    private func stream(
        _ asked: Offer, _ incoming: IncomingPhoto, _ hasher: SHA256?, _ came: Tally
    ) async throws -> FetchedBytes {
        let notes = Mailbox<UInt64>()
        let sink = shelf.sink(incoming) { notes.post($0) }
        let (ledger, capture, boot) = (session.ledger, order.capture.id, session.boot)
        let (kept, furthest, moved, heard) = (incoming.kept, order.furthest, moved, heard)
        let onMoved = session.settings.onMoved
        var intake = FetchOptions(into: sink, hasher: hasher, workers: workers) { count in
            came.add(count)
            heard.add(count)
            onMoved(count)
            if kept + came.value > furthest { moved.add(count) }
        }
        intake.noProgress = order.timeout ?? intake.noProgress
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while let lengths = await notes.next() {
                    if let last = lengths.last { try await ledger.note(capture, verified: last, boot: boot) }
                }
            }
            defer { notes.close() }
            return try await camera.fetch(asked, from: incoming.kept, into: intake)
        }
    }

    // MARK: The count

    /// Whether that many bytes are all of it.
    private func judged(_ total: UInt64, cameInParts: Bool) async throws -> FetchEnd {
        var fetched = Fetched(offer: offer, size: total)
        fetched.cameInParts = cameInParts
        if offer.hasFinalSize, offer.identity.size == total { return .whole(fetched) }
        // A body's memory is free once it has been read: there is no second time, and what came is all there is.
        if offer.isInMemory, total > 0 {
            fetched.isDisputed = offer.hasFinalSize
            return .whole(fetched)
        }
        // It may have been written while it was read: what the camera says of it now counts.
        let now = try await camera.describe(offer.reference, withRating: false)
        if let now, now.hasFinalSize, now.identity.size == total {
            fetched.offer.identity = now.identity
            try await session.ledger.identify(order.capture.id, as: fetched.offer)
            return .whole(fetched)
        }
        let claimed = [now, offer].compactMap { $0 }.first(where: \.hasFinalSize)?.identity.size
        guard let claimed else { return total == 0 ? .empty : .whole(fetched) }
        // The same count twice, each time with OK: what the camera says of its size is wrong.
        guard order.believes == total, total > 0 else {
            return .sizeDiffers(received: total, claimed: claimed)
        }
        fetched.isDisputed = true
        return .whole(fetched)
    }
}
