import Basics
import Bridge
import PTP

/// Photos as a Nikon has them: not ready at once, in its memory, or behind a lock.
extension NikonDriver {
    /// Photos in its memory come one after the other: one that is not wanted stands before the next.
    var abilities: CameraAbilities {
        get async {
            var abilities = await plain.abilities
            abilities.handsOver = true
            return abilities
        }
    }

    func describe(
        _ reference: PhotoReference, withRating: Bool
    ) async throws(CameraFailure) -> Offer? {
        let inMemory = NikonInMemory.handle(reference)
        let handle = inMemory ?? ObjectHandle(reference)
        if let handle { jobs.used(handle, at: time.now) }
        let notReady = noticing.withLock { noticing in
            handle.flatMap { noticing.notReady($0, at: time.now) }
        }
        do throws(CameraFailure) {
            var offer = try await plain.describe(
                inMemory.map { PhotoReference($0) } ?? reference, withRating: withRating && inMemory == nil,
                retries: notReady.map { [$0, .busy] } ?? [])
            offer?.reference = reference
            if inMemory != nil {
                offer?.isInMemory = true
                offer?.isOnlyCopy = true
            }
            offer?.wantsRelease = handle.map { jobs.handles.contains($0) } ?? false
            return offer
        } catch {
            noteIfGone(reference, error)
            throw explained(error)
        }
    }

    private func noteIfGone(_ reference: PhotoReference, _ error: CameraFailure) {
        guard error.trouble == .gone else { return }
        for change in noticing.withLock({ $0.gone(reference, at: time.now) }) { changes.push(change) }
    }

    func survey(
        _ wish: SurveyOptions, onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        let survey = try await surveyOfCards(wish, onDescribed)
        let looked = lookIntoMemory()
        let inMemory = noticing.withLock(\.inMemory)
        var all = try await survey.adding(inMemory.sorted(), of: self, wish, onDescribed)
        // There was none, or it was the last.
        for reference in inMemory.subtracting(noticing.withLock(\.inMemory)) {
            all.references.remove(reference)
            all.unreadable[reference] = nil
        }
        // It says otherwise that nothing lies there.
        if let looked, all.unreadable.removeValue(forKey: looked) != nil {
            all.references.remove(looked)
            for change in noticing.withLock({ $0.gone(looked, at: time.now) }) { changes.push(change) }
        }
        if let looked, all.offers.contains(where: { $0.reference == looked }) {
            plain.unseen.met(.nikonKeptInMemory)
        }
        return all
    }

    private func surveyOfCards(
        _ wish: SurveyOptions, _ onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        var survey = try await plain.survey(wish, onDescribed: onDescribed)
        // A body behind its lock refuses everything it lists, folders included.
        guard survey.offers.isEmpty, survey.references.count == survey.unreadable.count,
            let any = survey.references.min()
        else { return survey }
        do throws(CameraFailure) {
            _ = try await plain.describe(any, withRating: false)
            return survey
        } catch {
            guard error.answer == ResponseCode.accessDenied.rawValue else { return survey }
            guard takesJobs else { throw locked(error) }
            jobs.locked()
            survey.references = []
            survey.unreadable = [:]
            return survey
        }
    }

    /// Asking again changes nothing: a person has to choose another mode.
    private func locked(_ error: CameraFailure) -> CameraFailure {
        var failure = explained(error)
        failure.subject = nil
        failure.object = nil
        failure.trouble = .connectionOver(.needsPerson(failure.cause), mayBeItsDoing: false)
        failure.outcome = .notPermitted
        return failure
    }

    private var takesJobs: Bool { traits.takesJobs && plain.device.supports(.nikonAdvancedTransfer) }

    /// "Access lock 0x200F: wrong camera mode."
    func explained(_ failure: CameraFailure) -> CameraFailure {
        guard failure.answer == ResponseCode.accessDenied.rawValue else { return failure }
        var failure = failure
        failure.advice = NikonWords(plain.device).leavePictureTransfer
        return failure
    }

    // MARK: Bytes

    /// As plain PTP calls it.
    private func plainly(_ offer: Offer) -> Offer {
        guard let handle = NikonInMemory.handle(offer.reference) else { return offer }
        var plain = offer
        plain.reference = PhotoReference(handle)
        return plain
    }

    func fetch(
        _ offer: Offer, from offset: UInt64, into intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        let handle = ObjectHandle(offer.reference)
        if let handle { jobs.used(handle, at: time.now) }
        do throws(CameraFailure) {
            return try await plain.fetch(plainly(offer), from: offset, into: intake)
        } catch {
            noteIfGone(offer.reference, error)
            throw explained(error)
        }
    }

    func bytes(
        of offer: Offer, _ range: Range<UInt64>, noProgress: Duration?
    ) async throws(CameraFailure) -> [UInt8] {
        do throws(CameraFailure) {
            return try await plain.bytes(of: plainly(offer), range, noProgress: noProgress)
        } catch {
            throw explained(error)
        }
    }

    func stableID(of offer: Offer) async throws(CameraFailure) -> String? {
        NikonInMemory.handle(offer.reference) == nil ? try await plain.stableID(of: offer) : nil
    }

    func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8] {
        try await plain.thumbnail(NikonInMemory.handle(reference).map { PhotoReference($0) } ?? reference)
    }
}
