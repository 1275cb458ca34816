import Bridge

/// A driver that knows what bodies of one make do beyond plain PTP: how they are greeted, how they tell of new photos, how
/// they give the bytes. Whatever they do as the standard has it, ``plain`` does.
///
/// A maker's driver lives as long as its connection: ``begin(_:)`` first, then ``notice()`` beside whatever the connection
/// is used for, and ``end()`` before the session is closed.
protocol MakerDriver: CameraDriver {
    /// As the ledger and the operator call it: `canon`, `nikon`, `sony`.
    static var name: String { get }

    /// The same connection by the standard.
    var plain: GenericDriver { get }

    /// What has to be done before anything else is asked of such a body. A person may be needed: `onStep` says for what.
    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure)

    /// Asks for what is new as this make has it and pushes it into ``CameraDriver/changes``, until the task is cancelled. A
    /// body that tells by itself needs nothing here.
    func notice() async throws(CameraFailure)

    /// Leaves the body as its photographer wants it, as far as the connection still stands.
    func end() async
}

extension MakerDriver {
    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {}
    func notice() async throws(CameraFailure) {}
    func end() async {}

    // MARK: As the standard has it

    var body: KnownBody { get async { await plain.body } }

    func bear(_ identity: CameraIdentity, after former: KnownBody?, insteadOf other: KnownBody?) async {
        await plain.bear(identity, after: former, insteadOf: other)
    }

    var abilities: CameraAbilities { get async { await plain.abilities } }
    var changes: CameraChanges { plain.changes }

    func survey(_ wish: SurveyOptions, onDescribed: @Sendable () -> Void) async throws(CameraFailure)
        -> Survey
    {
        try await plain.survey(wish, onDescribed: onDescribed)
    }

    func references() async throws(CameraFailure) -> Set<PhotoReference> { try await plain.references() }
    func glance() async throws(CameraFailure) -> Set<PhotoReference> { try await plain.glance() }

    func describe(_ reference: PhotoReference, withRating: Bool) async throws(CameraFailure) -> Offer? {
        try await plain.describe(reference, withRating: withRating)
    }

    func canResume(_ offer: Offer) async -> Bool { await plain.canResume(offer) }

    func fetch(
        _ offer: Offer, from offset: UInt64, into intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        try await plain.fetch(offer, from: offset, into: intake)
    }

    func bytes(
        of offer: Offer, _ range: Range<UInt64>, noProgress: Duration?
    ) async throws(CameraFailure) -> [UInt8] {
        try await plain.bytes(of: offer, range, noProgress: noProgress)
    }

    func stableID(of offer: Offer) async throws(CameraFailure) -> String? {
        try await plain.stableID(of: offer)
    }

    func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8] {
        try await plain.thumbnail(reference)
    }

    func release(_ offer: Offer) async throws(CameraFailure) { try await plain.release(offer) }
    func delete(_ reference: PhotoReference) async throws(CameraFailure) { try await plain.delete(reference) }
    func clock() async throws(CameraFailure) -> Int64? { try await plain.clock() }
    func keepAlive() async throws(CameraFailure) { try await plain.keepAlive() }
    func facts() async throws(CameraFailure) -> BodyFacts { try await plain.facts() }
    func rawNotices(_ each: @Sendable (RawNotice) async -> Bool) async { await plain.rawNotices(each) }
    func throwIfEnded() async throws(CameraFailure) { try await plain.throwIfEnded() }
}
