import Basics
import Bridge
import PTP
import Synchronization

/// The bytes of a photo out of the body's memory: once, and all of them.
extension SonyDriver {
    func canResume(_ offer: Offer) -> Bool { false }

    func fetch(
        _ offer: Offer, from offset: UInt64, into intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        try await throwIfEnded()
        guard offset == 0 else {
            var failure = gone(offer.reference, .getObject)
            failure.trouble = .startOver
            throw failure
        }
        guard queue.begin(offer.reference) else { throw notThere(offer) }
        wake()
        let came = Counter()
        let onMoved = intake.onMoved
        do throws(CameraError) {
            let fetched = try await session.fetch(
                .sonyOldestShot, .whole, into: intake.sink, hasher: intake.hasher, workers: intake.workers,
                noProgress: intake.noProgress, atMost: await plain.mostBytes(of: offer)
            ) { count in
                came.add(count)
                onMoved(count)
            }
            queue.gaveAll(at: session.time.now)
            // One without a byte is not kept by those who take photos, and so is not let go of either.
            if fetched.received == 0 { queue.isLost(offer.reference, at: session.time.now) }
            wake()
            return FetchedBytes(received: fetched.received, announced: fetched.announced)
        } catch {
            if case .ended = error.problem, offer.hasFinalSize, came.value == offer.identity.size {
                // Every byte is here; what the end of the connection took is the body's word that it was all.
                queue.gaveAll(at: session.time.now)
                return FetchedBytes(received: came.value)
            }
            let failure = brokeOff(error, offer, came.value)
            wake()
            throw failure
        }
    }

    /// Why a photo that was told cannot be read now.
    private func notThere(_ offer: Offer) -> CameraFailure {
        if case .brokenOff(let shot, _) = queue.state, shot.reference == offer.reference {
            var failure = gone(offer.reference, .getObject).about(offer)
            failure.reason = "the camera has not said yet whether it still has it"
            failure.trouble = .notNow
            return failure
        }
        let wasGiven: Bool
        if case .given(let shot) = queue.state {
            wasGiven = shot.reference == offer.reference
        } else {
            wasGiven = false
        }
        queue.isLost(offer.reference, at: session.time.now)
        wake()
        var failure = gone(offer.reference, .getObject).about(offer)
        if wasGiven {
            failure.reason = "the camera has given it away already, and gives a photo out of its memory once"
            failure.advice = "Look for it on the card in the camera."
        }
        return failure
    }

    /// What a failure in the middle of a photo means: for the photo, too.
    private func brokeOff(_ error: CameraError, _ offer: Offer, _ received: UInt64) -> CameraFailure {
        var failure = CameraFailure(error.about(offer.identity.path))
        failure.object = ListedPlace(offer.reference)
        guard case .reading(let shot) = queue.state else { return failure }
        if case .answered = error.problem, received == 0, !error.hasLostSession {
            queue.gaveNothing(at: session.time.now)
            return failure
        }
        queue.brokeOff(after: received, at: session.time.now)
        let fate = fate(of: shot, received)
        if case .connectionOver(.lost(let reason), let mayBeItsDoing) = failure.trouble {
            failure.trouble = .connectionOver(.lost("\(reason) \(fate)."), mayBeItsDoing: mayBeItsDoing)
        }
        failure.advice += " \(fate)."
        return failure
    }

    /// What is not wanted stands before what is: the body gives the next one when this one has been read.
    func discard(_ shot: SonyShot) async throws(CameraError) {
        guard queue.begin(shot.reference) else { return }
        let workers = PhotoWorkers.start()
        defer { workers.shutDown() }
        do throws(CameraError) {
            _ = try await session.fetch(
                .sonyOldestShot, .whole, into: Nowhere(), workers: workers,
                atMost: plain.settings.largestObject)
            queue.gaveAll(at: session.time.now)
            queue.release(shot.reference, at: session.time.now)
        } catch {
            if case .answered = error.problem {
                queue.gaveNothing(at: session.time.now)
                queue.release(shot.reference, at: session.time.now)
                queue.refused(at: session.time.now)
            } else {
                queue.brokeOff(after: 0, at: session.time.now)
            }
            guard error.isHarmless else { throw error }
        }
    }

    func release(_ offer: Offer) async throws(CameraFailure) {
        queue.release(offer.reference, at: session.time.now)
        wake()
    }

    func delete(_ reference: PhotoReference) async throws(CameraFailure) {
        throw CameraFailure(session.error(.notSupported(.deleteObject), "photo \(reference)"))
    }

    /// Asking for anything else of the oldest photo is not known to be harmless.
    func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8] {
        throw CameraFailure(session.error(.notSupported(.getThumb), "photo \(reference)"))
    }

    func bytes(
        of offer: Offer, _ range: Range<UInt64>, noProgress: Duration?
    ) async throws(CameraFailure) -> [UInt8] {
        throw CameraFailure(session.error(.notSupported(.getPartialObject), "photo \(offer.reference)"))
    }
}

extension CameraFailure {
    fileprivate func about(_ offer: Offer) -> CameraFailure {
        var failure = self
        failure.subject = offer.identity.path
        failure.object = ListedPlace(offer.reference)
        return failure
    }
}

/// Counts bytes from any thread.
private final class Counter: Sendable {
    private let count = Mutex<UInt64>(0)

    var value: UInt64 { count.withLock { $0 } }
    func add(_ more: UInt64) { count.withLock { $0 += more } }
}

private struct Nowhere: PayloadSink {
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {}
}
