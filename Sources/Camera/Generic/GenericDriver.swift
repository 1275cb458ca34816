import Basics
public import Bridge
import Digest
import PTP
import Synchronization

/// A camera that answers to plain PTP/IP: the standard's operations and notices, and nothing of a maker's own.
///
/// What is learned on the way (parts that are advertised and refused, a session number that is wanted) is kept in
/// ``body`` and told as a change, so that the next connection begins with it.
public actor GenericDriver: CameraDriver {
    public static let name = "generic"

    private nonisolated let executor: any CameraExecutor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let session: CameraSession
    private nonisolated let said: Mutex<DeviceInfo>
    /// What the body says of itself.
    nonisolated var device: DeviceInfo { said.withLock { $0 } }
    let settings: GenericSettings
    public private(set) var body: KnownBody
    /// How it differs from others, by itself.
    private var learned: GenericQuirks
    /// The same with the operator's word, which counts more.
    var traits: GenericQuirks { learned.saying(settings.traits) }
    public nonisolated let changes: CameraChanges
    nonisolated let pushed: PushedNotices
    nonisolated let unseen: UnseenRemarks
    /// How it gives parts of an object, in the order in which they are tried for an offset.
    var partOperations: [PartOperation]
    /// Everything that can be cut is fetched in parts of this size.
    var usualPart: UInt32?
    /// Folders that have been described in this connection.
    var folders: [ObjectHandle: FolderTree.Folder] = [:]
    /// Folders whose names are not asked for any more.
    var namelessFolders: Set<ObjectHandle> = []
    /// The folders of photos that lie in one without a name, as the survey named them.
    var incompletePaths: [ObjectHandle: [String]] = [:]
    /// Folders that can be asked for what is in them, and where they are.
    var openFolders: [ObjectHandle: StorageID] = [:]
    /// Those of them that did not tell when they were asked last.
    var shutFolders: Set<ObjectHandle> = []
    /// The list of a card was seen to hold what lies in its folders, or not to. Nothing before the first walk.
    var listsAtOnce: Bool?
    /// One question brought the list of all cards, or was not asked yet.
    var listsAllStorages = true
    /// No object has been without its own name for ever yet.
    var hasStableIDs = true
    /// What has refused its parts in this connection, and what of that was given whole afterwards.
    var refusedParts: Set<PhotoReference> = []
    var givenWhole: Set<PhotoReference> = []
    /// What is fetched whole in this connection, because its parts were refused or of the wrong length.
    var withoutParts: Set<PhotoReference> = []

    private var brokenOff: CameraFailure?

    init(
        _ session: CameraSession, device: DeviceInfo, body: KnownBody, learned: GenericQuirks,
        settings: GenericSettings, changes: CameraChanges, pushed: PushedNotices, unseen: UnseenRemarks
    ) {
        executor = session.executor
        self.session = session
        said = Mutex(device)
        self.body = body
        self.learned = learned
        self.settings = settings
        self.changes = changes
        self.pushed = pushed
        self.unseen = unseen
        partOperations = PartOperation.standard.filter { device.supports($0.code) }
        usualPart = settings.part
    }

    /// Some bodies list more once they are in another mode.
    func lookAgain() async throws(CameraError) {
        let device = try await session.deviceAgain()
        said.withLock { $0 = device }
    }

    /// How bodies of this make give parts of an object; what the operator says about their size counts more.
    func give(parts operations: [PartOperation], of size: UInt32? = nil) {
        partOperations = operations.filter { device.supports($0.code) }
        usualPart = settings.part ?? size
    }

    public func bear(_ identity: CameraIdentity, after former: KnownBody?, insteadOf other: KnownBody?) {
        let inherited = Self.traits(of: other)
        let ownWords = learned.words.filter { inherited[$0.key] != $0.value }
        let hasAnsweredProbes = learned.peculiarities.hasAnsweredProbes
        learned = GenericQuirks(words: Self.traits(of: former)).saying(ownWords)
        learned.peculiarities.hasAnsweredProbes = hasAnsweredProbes
        body.identity = identity
        body.shows(body.wireID, after: former)
        (body.port, body.pairing, body.traits) = (former?.port, former?.pairing, learned.words)
    }

    private static func traits(of known: KnownBody?) -> [String: String] {
        known?.driver == name ? known?.traits ?? [:] : [:]
    }

    public var abilities: CameraAbilities {
        CameraAbilities(canDelete: device.supports(.deleteObject), keepAliveEvery: settings.quiet)
    }

    public func throwIfEnded() async throws(CameraFailure) {
        try await CameraFailure.attempt { () throws(CameraError) in try await session.throwIfEnded() }
        if let brokenOff { throw brokenOff }
    }

    /// Nothing new would be heard of in this connection any more: its user is told to leave, and the next one begins with
    /// asking again.
    func breakOff(_ failure: CameraFailure) {
        brokenOff = failure
        changes.finish()
    }

    // MARK: What was learned

    /// Known from now on, and in the connections to come.
    func learn(_ change: (inout GenericQuirks) -> Void) {
        let before = learned
        change(&learned)
        guard learned != before else { return }
        body.traits = learned.words
        changes.push(.learned(body))
    }

    // MARK: Small questions

    public func clock() async throws(CameraFailure) -> Int64? {
        guard device.deviceProperties.contains(.dateTime), device.supports(.getDevicePropValue) else {
            return nil
        }
        do throws(CameraError) {
            return CivilTime(ptp: try await session.text(of: .dateTime))?.secondsSince1970
        } catch {
            guard error.isHarmless else { throw CameraFailure(error) }
            return nil
        }
    }

    public func delete(_ reference: PhotoReference) async throws(CameraFailure) {
        let handle = try handle(reference)
        try await CameraFailure.attempt(about: reference) { () throws(CameraError) in
            try await session.delete(handle)
        }
    }

    /// Deleting is how plain PTP says that the memory may be used again.
    public func release(_ offer: Offer) async throws(CameraFailure) {
        guard device.supports(.deleteObject) else { return }
        try await delete(offer.reference)
    }

    public func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8] {
        let handle = try handle(reference)
        return try await CameraFailure.attempt(about: reference) { () throws(CameraError) in
            try await session.thumbnail(of: handle)
        }
    }

    /// No plain PTP/IP body asks for it; it is how one that hangs is noticed while nothing else is asked.
    public func keepAlive() async throws(CameraFailure) {
        try await throwIfEnded()
        try await CameraFailure.attempt { () throws(CameraError) in
            try await session.askForLife(settings.lifeTimeout)
        }
    }

    // MARK: Errors

    func handle(_ reference: PhotoReference) throws(CameraFailure) -> ObjectHandle {
        if let handle = ObjectHandle(reference) { return handle }
        throw CameraFailure(
            session.error(.answered(.getObjectInfo, .invalidObjectHandle, nil), "object \(reference)"))
    }
}

extension CameraError {
    /// The camera answered, one way or another, or will: the connection stands.
    var isHarmless: Bool {
        switch problem {
        case .answered: !hasLostSession
        case .malformed, .timedOut, .tooMuchData, .dataCutShort, .notSupported: true
        case .ended, .tooLarge, .tooManyObjects, .consumer, .cancelled: false
        }
    }
}
