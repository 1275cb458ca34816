public import Bridge
import PTP

/// The bytes of a photo: whole objects where the camera gives them, parts to go on in the middle, and either for the other
/// where a camera lists one and refuses it.
extension GenericDriver {
    private var givesWholes: Bool { traits.wholes == .listed && device.supports(.getObject) }
    private var givesParts: Bool { traits.parts == .listed && !partOperations.isEmpty }

    public func canResume(_ offer: Offer) -> Bool {
        !offer.isInMemory && canBeCut(offer)
    }

    private func canBeCut(_ offer: Offer) -> Bool {
        guard offer.hasFinalSize, givesParts, !withoutParts.contains(offer.reference) else { return false }
        return reachesAll(of: offer.identity.size)
    }

    private func reachesAll(of size: UInt64) -> Bool {
        partOperations.contains { $0.reaches(size) }
    }

    public func fetch(
        _ offer: Offer, from offset: UInt64, into intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        let size = offer.identity.size
        if offset > 0 { return try await parts(offer, from: offset, size: size, intake) }
        let canBeCut = canBeCut(offer)
        if usualPart != nil, canBeCut { return try await parts(offer, from: 0, size: size, intake) }
        if givesWholes { return try await whole(offer, intake, orParts: canBeCut) }
        // A camera that gives nothing but parts is asked for them until nothing comes, where it names no size.
        return try await parts(
            offer, from: 0, size: offer.hasFinalSize ? size : nil, intake)
    }

    func mostBytes(of offer: Offer) -> UInt64 {
        let (size, largest) = (offer.identity.size, settings.largestObject)
        guard offer.hasFinalSize, size < largest else { return largest }
        let lie = max(settings.sizesMayLieBy, min(size, largest / 3) * 3)
        return lie < largest - size ? size + lie : largest
    }

    private func whole(
        _ offer: Offer, _ intake: FetchOptions, orParts canBeCut: Bool
    ) async throws(CameraFailure) -> FetchedBytes {
        let failure: CameraError
        do throws(CameraError) {
            let fetched = try await bring(offer, .whole, intake)
            // Parts of these were refused, and the whole is given: that is how this body is.
            if refusedParts.contains(offer.reference) { givenWhole.insert(offer.reference) }
            if givenWhole.count >= Self.photosThatTell { learn { $0.parts = .refused } }
            return FetchedBytes(received: fetched.received, announced: fetched.announced)
        } catch {
            failure = error
        }
        guard canBeCut, failure.code == .operationNotSupported else { throw CameraFailure(failure) }
        learn { $0.wholes = .refused }
        return try await parts(offer, from: 0, size: offer.identity.size, intake)
    }

    private func parts(
        _ offer: Offer, from offset: UInt64, size: UInt64?, _ intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        let part = usualPart ?? FetchPlan.usualPart
        do {
            let fetched = try await bring(
                offer, .parts(of: part, from: offset, size: size, by: partOperations), intake)
            return FetchedBytes(
                received: fetched.received, announced: fetched.announced, parts: fetched.parts)
        } catch {
            throw partsFailure(error, of: offer)
        }
    }

    /// Advertised, and refused or done wrong: the photo is fetched whole instead, from its first byte.
    private func partsFailure(_ error: CameraError, of offer: Offer) -> CameraFailure {
        var failure = CameraFailure(error)
        guard error.isRefusal || error.isOfWrongLength, givesWholes else { return failure }
        withoutParts.insert(offer.reference)
        // A part of the wrong length is about that part.
        if error.isRefusal { refusedParts.insert(offer.reference) }
        // "Operation not supported" says it for good; other refusals may be about this object alone.
        if error.code == .operationNotSupported { learn { $0.parts = .refused } }
        failure.trouble = .startOver
        return failure
    }

    /// Photos whose parts were refused and that were given whole then, after which parts are not asked for any more.
    private static let photosThatTell = 2

    private func bring(
        _ offer: Offer, _ plan: FetchPlan, _ intake: FetchOptions
    ) async throws(CameraError) -> Fetched {
        guard let handle = ObjectHandle(offer.reference) else {
            throw session.error(.answered(.getObject, .invalidObjectHandle, nil), offer.identity.path)
        }
        do throws(CameraError) {
            return try await session.fetch(
                handle, plan, into: intake.sink, hasher: intake.hasher, workers: intake.workers,
                noProgress: intake.noProgress, atMost: mostBytes(of: offer), onMoved: intake.onMoved)
        } catch {
            throw error.about(offer.identity.path)
        }
    }

    public func bytes(
        of offer: Offer, _ range: Range<UInt64>, noProgress: Duration?
    ) async throws(CameraFailure) -> [UInt8] {
        let handle = try handle(offer.reference)
        do throws(CameraError) {
            return try await session.part(of: handle, range, by: partOperations, noProgress: noProgress)
        } catch {
            throw partsFailure(error, of: offer)
        }
    }
}

extension CameraError {
    /// What the camera answered, where it answered. Not inlined: Swift 6.3 in release then fails to compile a function
    /// that looks at an error and passes it on.
    @inline(never) var code: ResponseCode? {
        if case .answered(_, let code, _) = problem { code } else { nil }
    }

    /// The connection stands, and what came is not what was asked for.
    var isOfWrongLength: Bool {
        switch problem {
        case .tooMuchData, .dataCutShort: true
        default: false
        }
    }

    /// The camera does not want to do that at all, as far as its answer tells.
    var isRefusal: Bool {
        if isForNow { return false }
        return switch code {
        case nil, .deviceBusy, .invalidObjectHandle, .accessDenied, .storeNotAvailable, .invalidStorageID,
            .incompleteTransfer, .sessionNotOpen, .invalidTransactionID:
            false
        case .some: true
        }
    }

    /// A Canon's "Object not ready", and its General_Error for a photo that is looked at or deleted on the body meanwhile:
    /// "never treat as permanent".
    private var isForNow: Bool {
        guard case .answered(_, let code, .canon) = problem else { return false }
        return [
            .generalError, ResponseCode.Canon.objectNotReady, ResponseCode.Canon.memoryStatusNotReady,
        ].contains(code)
    }
}
