public import Bridge

/// What everything about one camera runs on.
public typealias CameraExecutor = SerialExecutor & TaskExecutor

/// One camera that has been reached and greeted, for as long as the connection stands.
///
/// A driver knows how one kind of body lists, describes and gives its photos, what its errors mean, and what a person
/// has to do on it. Nothing above it knows the body's protocol: a photo is a ``Bridge/PhotoReference``, a failure a
/// ``CameraFailure``. One thing at a time is asked of it; what the camera tells by itself comes in ``changes``.
public protocol CameraDriver: Sendable {
    /// Who it is, and what was known or has been learned of it by now.
    var body: KnownBody { get async }
    /// It has turned out to be that one, instead of the other that it was taken for: its photos are that one's from now on,
    /// and what is known of it counts again. Before anything of a photo is kept.
    func bear(_ identity: CameraIdentity, after former: KnownBody?, insteadOf other: KnownBody?) async
    var abilities: CameraAbilities { get async }
    /// What the camera tells by itself, until the connection is over. One reader.
    var changes: CameraChanges { get }

    /// Everything on all cards and in memory, described but for what is put off. A failure names the object that the
    /// camera was asked for; `onDescribed` is told of each one that it has answered for.
    func survey(
        _ wish: SurveyOptions, onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey

    /// What there is, undescribed: one question, for seeing whether anything is new.
    func references() async throws(CameraFailure) -> Set<PhotoReference>

    /// What there is, as far as a question or two tell: for those who look at a few photos only.
    func glance() async throws(CameraFailure) -> Set<PhotoReference>

    /// One object as it is now; nothing for what is no photo, such as a folder.
    func describe(_ reference: PhotoReference, withRating: Bool) async throws(CameraFailure) -> Offer?

    /// Whether a photo can be gone on with in its middle.
    func canResume(_ offer: Offer) async -> Bool

    /// Brings the photo's bytes from an offset on. Gives how many came; what was written before a failure is a true
    /// beginning of the rest.
    func fetch(_ offer: Offer, from offset: UInt64, into intake: FetchOptions) async throws(CameraFailure)
        -> FetchedBytes

    /// A few bytes out of a photo that can be resumed, to compare. `noProgress`: how long not one of them may come, where
    /// the usual timeout does not fit.
    func bytes(
        of offer: Offer, _ range: Range<UInt64>, noProgress: Duration?
    ) async throws(CameraFailure) -> [UInt8]

    /// What the camera calls the photo for ever; nothing where it has no such name.
    func stableID(of offer: Offer) async throws(CameraFailure) -> String?

    /// A small picture of it.
    func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8]

    /// The photo is durable here: a body that kept it in its memory gets its memory back.
    func release(_ offer: Offer) async throws(CameraFailure)

    func delete(_ reference: PhotoReference) async throws(CameraFailure)

    /// The camera's own clock, as seconds on an imagined clock without zones; nothing where it does not tell.
    func clock() async throws(CameraFailure) -> Int64?

    /// Shows the camera that we are there, as often as ``CameraAbilities/keepAliveEvery`` says.
    func keepAlive() async throws(CameraFailure)

    /// Everything the camera says of itself, for people.
    func facts() async throws(CameraFailure) -> BodyFacts

    /// Everything it tells by itself, as it tells it, until the connection is over or `each` says false. Instead of
    /// ``changes``, for people who look.
    func rawNotices(_ each: @Sendable (RawNotice) async -> Bool) async

    /// Throws why the connection is over, if it is.
    func throwIfEnded() async throws(CameraFailure)
}

/// What a body can do, as far as those above have to know.
public struct CameraAbilities: Equatable, Sendable {
    public var canDelete: Bool
    /// How often it wants to hear something; nothing for a body that waits for ever.
    public var keepAliveEvery: Duration?
    /// It gives its photos one after the other: one that is not wanted has to be released as well, or none comes after it.
    public var handsOver: Bool

    public init(canDelete: Bool, keepAliveEvery: Duration? = nil, handsOver: Bool = false) {
        self.canDelete = canDelete
        self.keepAliveEvery = keepAliveEvery
        self.handsOver = handsOver
    }
}

/// What arrived.
public struct FetchedBytes: Equatable, Sendable {
    /// Bytes that came in this fetch, not counting what was there before.
    public var received: UInt64
    /// What the camera announced before the bytes, where it announced anything.
    public var announced: UInt64?
    /// So many parts, each asked for by its offset and as far as the photo's size; 0 for a whole object.
    public var parts: Int

    public init(received: UInt64, announced: UInt64? = nil, parts: Int = 0) {
        self.received = received
        self.announced = announced
        self.parts = parts
    }
}
