import Basics
import Bridge
import PTP

/// What lies in a Nikon's memory, one behind the other under one handle: how it is found, and how the body has its place
/// back.
extension NikonDriver {
    private var canFree: Bool { plain.device.supports(.nikonDeleteImageInMemory) }

    /// Once in a connection: what was told in the one before, and not fetched, is not told again. A body that keeps nothing
    /// there answers Invalid_ObjectHandle.
    func lookIntoMemory() -> PhotoReference? {
        guard canFree, !jobs.isLocked, !hasLookedIntoMemory else { return nil }
        hasLookedIntoMemory = true
        return noticing.withLock { $0.look() }
    }

    /// The body wants its memory back, and then has the next photo of a burst there; in picture-transfer mode it waits to be
    /// told how the job has ended.
    func release(_ offer: Offer) async throws(CameraFailure) {
        let reference = offer.reference
        guard NikonInMemory.handle(reference) != nil else {
            if let handle = ObjectHandle(reference) { jobs.came(handle) }
            return
        }
        // The place of what is not there any more has been given to another photo, or the body is asked for it already.
        guard noticing.withLock(\.inMemory).contains(reference) else { return }
        for change in try await free(reference) { changes.push(change) }
    }

    /// Asked one time: a body that refuses is asked again, behind what it has to tell.
    func free(_ reference: PhotoReference) async throws(CameraFailure) -> [CameraChange] {
        guard canFree, let handle = NikonInMemory.handle(reference) else {
            return noticing.withLock { $0.released(reference, .notOffered, at: time.now) }
        }
        let problem: CameraError
        do throws(CameraError) {
            let reply = try await session.exchange(Call(.nikonDeleteImageInMemory, [handle.rawValue]))
            if reply.code == .ok || reply.code == .invalidObjectHandle {
                hasSaidThatItKeeps = false
                return noticing.withLock { $0.released(reference, .free, at: time.now) }
            }
            problem = session.error(.answered(.nikonDeleteImageInMemory, reply.code, .nikon))
        } catch {
            guard error.isHarmless else { throw CameraFailure(error) }
            problem = error
        }
        let isUnknown = problem.code == .operationNotSupported
        let told = noticing.withLock {
            $0.released(reference, isUnknown ? .notOffered : .refused, at: time.now)
        }
        // Busy it is for seconds.
        guard problem.code != .deviceBusy, !hasSaidThatItKeeps else { return told }
        hasSaidThatItKeeps = true
        return [.remark("\(problem.problem). \(problem.advice)")] + told
    }
}
