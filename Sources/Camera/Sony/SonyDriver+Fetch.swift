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
        guard queue.begin(offer.reference) else { throw absent(offer) }
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
            if fetched.received == 0 { queue.release(offer.reference, at: session.time.now) }
            wake()
            return FetchedBytes(received: fetched.received, announced: fetched.announced)
        } catch {
            if case .ended = error.problem, offer.hasFinalSize, came.value == offer.identity.size {
                // Every byte is here; what the end of the connection took is the body's word that it was all.
                queue.gaveAll(at: session.time.now)
                return FetchedBytes(received: came.value)
            }
            let failure = stopped(error, offer, came.value)
            wake()
            throw failure
        }
    }

    private func absent(_ offer: Offer) -> CameraFailure {
        var failure = gone(offer.reference, .getObject).about(offer)
        switch queue.absence(of: offer.reference, at: session.time.now) {
        case .notSaidYet:
            failure.reason = "the camera has not said yet whether it still has it"
            failure.trouble = .notNow
        case .givenAway:
            failure.reason = "the camera has given it away already, and gives a photo out of its memory once"
            failure.advice = "Look for it on the card in the camera."
        case .notThere: break
        }
        wake()
        return failure
    }

    /// What a failure before the end of a photo means: for the photo, too.
    private func stopped(_ error: CameraError, _ offer: Offer, _ received: UInt64) -> CameraFailure {
        var failure = CameraFailure(error.about(offer.identity.path))
        failure.object = ListedPlace(offer.reference)
        plain.unseen.met(error)
        guard let shot = queue.reading else { return failure }
        stop(error, received)
        if error.isDenial(received) {
            failure.trouble = .notNow
            failure.advice = "It is asked for again if the camera says that it still has it."
        }
        guard !error.isAnswer(received) else { return failure }
        let fate = fate(of: shot, received)
        if case .connectionOver(.lost(let reason), let mayBeItsDoing) = failure.trouble {
            failure.trouble = .connectionOver(.lost("\(reason) \(fate)."), mayBeItsDoing: mayBeItsDoing)
        }
        failure.advice += " \(fate)."
        return failure
    }

    private func stop(_ error: CameraError, _ received: UInt64) {
        if error.isDenial(received) {
            queue.saysItIsGone(at: session.time.now)
        } else if error.isAnswer(received) {
            queue.gaveNothing(at: session.time.now)
        } else {
            queue.brokeOff(after: received, at: session.time.now)
        }
    }

    /// What is not wanted stands before what is: the body gives the next one when this one has been read.
    func discard(_ shot: SonyShot) async throws(CameraError) {
        guard queue.begin(shot.reference) else { return }
        let workers = PhotoWorkers.start()
        defer { workers.shutDown() }
        let came = Counter()
        do throws(CameraError) {
            _ = try await session.fetch(
                .sonyOldestShot, .whole, into: Nowhere(), workers: workers,
                atMost: plain.settings.largestObject, onMoved: { came.add($0) })
            queue.gaveAll(at: session.time.now)
            explainThrownAway(shot)
        } catch {
            stop(error, came.value)
            if came.value > 0 { explainThrownAway(shot) }
            try bear(error, .getObject)
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

extension CameraError {
    /// The body said no before the first byte: the photo is where it was.
    fileprivate func isAnswer(_ received: UInt64) -> Bool {
        if case .answered = problem { received == 0 && !hasLostSession } else { false }
    }

    /// It said that there is no such photo.
    fileprivate func isDenial(_ received: UInt64) -> Bool {
        isAnswer(received) && code == .invalidObjectHandle
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
