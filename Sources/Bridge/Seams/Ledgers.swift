public import Basics

/// What transferring photos asks of the ledger. Everything that returns is durable.
public protocol TransferLedger: Sendable {
    func meet(_ camera: CameraIdentity, at address: String) async throws -> CameraID
    /// The bodies that were last met at this address, the latest first.
    func bodies(at address: String) async throws -> [KnownBody]
    /// What is known of this body; nothing when it was never met.
    func body(_ camera: CameraIdentity) async throws -> KnownBody?
    /// Those of the same maker, model and serial number, the likelier first to be met at this address; of a body without a
    /// serial number those of its name.
    func bodies(like body: KnownBody, at address: String) async throws -> [KnownBody]
    func learn(_ body: KnownBody) async throws
    /// Whether any photo of that body is here, or was.
    func hasPhotos(of camera: CameraIdentity) async throws -> Bool
    /// The SHA-256 of the photos of that body that look like this one, in any event.
    func digests(ofPhotosLike offer: Offer, of camera: CameraIdentity) async throws -> Set<String>
    /// Rows of photos that look like these, and are this body's as `adoption` has it, are its own from now on.
    func adopt(_ offers: [Offer], by camera: CameraID, _ adoption: Adoption) async throws
    /// Kept until it is nothing: a connection may end before the photos have been looked at. The body need not be in the
    /// ledger yet.
    func note(pending adoption: Adoption?, by camera: CameraIdentity) async throws
    func pendingAdoption(by camera: CameraIdentity) async throws -> Adoption?

    /// One row for each photo: the one it has, or a new one. In one transaction.
    func record(
        _ sightings: [Sighting], of camera: CameraID, in event: BridgeEvent, connection: String
    ) async throws -> [Capture]

    /// The next byte is about to come, after so many that are kept. During this boot all of the file is to be trusted,
    /// after another only what is noted as verified, which is never more than was kept.
    func beginReceiving(_ capture: CaptureID, kept: UInt64, boot: String) async throws
    /// Nothing of its partial file is to be trusted any more.
    func distrust(_ capture: CaptureID) async throws
    /// Its reference means another photo by now.
    func detach(_ capture: CaptureID) async throws
    /// What it has cost in all.
    func charge(_ capture: CaptureID, _ cost: FailedFetchCost) async throws
    /// What the camera calls it for ever.
    func name(_ capture: CaptureID, stableID: String) async throws
    /// The camera says by now how large it really is.
    func identify(_ capture: CaptureID, as offer: Offer) async throws
    /// So much of the partial file is on the disk for certain.
    func note(_ capture: CaptureID, verified: UInt64, boot: String) async throws
    /// The photo and all of its jobs, in one transaction.
    func stage(_ capture: CaptureID, _ photo: StagedPhoto, skipsDuplicates: Bool) async throws -> Staging
    func settle(_ capture: CaptureID, as state: CaptureState, because reason: String) async throws
    /// Photos of this camera that are known and not here, and not among those of this connection.
    func missing(of camera: CameraID, in event: BridgeEvent, notSeenBy connection: String) async throws
        -> [MissingCapture]
    /// What may be deleted from this camera's card: every job of it has its receipt.
    func deletable(of camera: CameraID, in event: BridgeEvent) async throws -> [CaptureID]
    func deleted(_ capture: CaptureID) async throws
    /// Which photos of this camera belong to the event. What the connection shows of the camera's clock is kept, before
    /// the photos that it shows are.
    func meet(_ camera: CameraID, in event: BridgeEvent, _ contact: ClockContact) async throws -> TakingRule
    func journal(_ entry: JournalEntry) async throws
}

/// Whose photos may be those of a body that was told apart from others only now.
public struct Adoption: Equatable, Sendable {
    /// What it calls itself: photos that a body of that name has shown are its own.
    public var wireID: String?
    /// All that bear its serial number.
    public var namesakes: [CameraIdentity]
    /// Those of them whose photos it has on its card. Of these also photos whose rows do not say which body showed them.
    public var proven: [CameraIdentity]

    public init(wireID: String?, namesakes: [CameraIdentity], proven: [CameraIdentity] = []) {
        self.wireID = wireID
        self.namesakes = namesakes
        self.proven = proven
    }
}

extension Adoption {
    /// As the ledger keeps it.
    public var json: JSONValue {
        .object([
            (key: "wireID", value: .optional(wireID, JSONValue.string)),
            (key: "namesakes", value: .array(namesakes.map(Self.json))),
            (key: "proven", value: .array(proven.map(Self.json))),
        ])
    }

    public init(json: JSONValue) {
        self.init(
            wireID: json["wireID"]?.string,
            namesakes: (json["namesakes"]?.array ?? []).compactMap(Self.identity),
            proven: (json["proven"]?.array ?? []).compactMap(Self.identity))
    }

    private static func json(_ camera: CameraIdentity) -> JSONValue {
        .array([.string(camera.manufacturer), .string(camera.model), .string(camera.body)])
    }

    private static func identity(_ json: JSONValue) -> CameraIdentity? {
        let parts = (json.array ?? []).compactMap(\.string)
        guard parts.count == 3 else { return nil }
        return CameraIdentity(manufacturer: parts[0], model: parts[1], body: parts[2])
    }
}

/// A wanted photo that the camera has not shown again.
public struct MissingCapture: Equatable, Sendable {
    public let id: CaptureID
    public let path: String
    public let isInMemory: Bool

    public init(id: CaptureID, path: String, isInMemory: Bool) {
        self.id = id
        self.path = path
        self.isInMemory = isInMemory
    }

    /// Why it is said to be lost.
    public var reason: String {
        isInMemory
            ? "it was in the camera's memory when the connection was lost; if the camera still has it, it comes as a new photo"
            : "it is not on the card any more"
    }
}

/// What delivering asks of the ledger. Everything that returns is durable.
public protocol UploadLedger: Sendable {
    /// Jobs of one destination that wait and are in no window yet, best first.
    func claim(_ count: Int, to destination: DestinationID, newestFirst: Bool) async throws -> [Job]
    /// Those that a gallery works on.
    func claimSent(_ count: Int, to destination: DestinationID) async throws -> [Job]
    /// They are in no window any more.
    func release(_ jobs: [JobID]) async throws
    /// All of them at once, in their order. Those that did not fit what the ledger holds are left out and named.
    func save(_ changes: [JobChange]) async throws -> [JobMismatch]
}

/// Where a destination keeps what it has to remember of one job.
public protocol JobNotes: Sendable {
    /// Durable when it returns. Nothing forgets what was there.
    func note(_ text: String?, of job: JobID) async throws
}

/// What telling others asks of the ledger. Everything that returns is durable.
public protocol WebhookLedger: Sendable {
    /// What one listener is still to be told, in the order in which it happened.
    func messages(to url: String, atMost count: Int) async throws -> [Message]
    /// It has heard it.
    func told(_ message: Int64) async throws
    /// It is told again then. It counts when the listener refused this message.
    func notTold(_ message: Message, because problem: String, again: Timestamp, counts: Bool) async throws
    /// It is not told of this any more, and the journal says so, calling the listener by a name without secrets.
    func givenUp(_ message: Message, because problem: String, by name: String) async throws
}
