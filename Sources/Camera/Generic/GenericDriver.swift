public import Bridge
import Digest
import PTP

/// A camera that answers to plain PTP/IP: the standard's operations and notices, and nothing of a maker's own.
///
/// What is learned on the way (parts that are advertised and refused, a session number that is wanted) is kept in
/// ``body`` and told as a change, so that the next connection begins with it.
public actor GenericDriver: CameraDriver {
    public static let name = "generic"

    private nonisolated let executor: any CameraExecutor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let session: CameraSession
    nonisolated let device: DeviceInfo
    let settings: GenericSettings
    public private(set) var body: KnownBody
    var traits: GenericTraits
    public nonisolated let changes: CameraChanges
    /// Folders that have been described in this connection.
    var folders: [ObjectHandle: FolderTree.Folder] = [:]
    /// Folders whose names are not asked for any more.
    var namelessFolders: Set<ObjectHandle> = []
    /// No object has been without its own name for ever yet.
    var hasStableIDs = true
    /// Refusals of parts of objects that were given whole afterwards.
    var refusedParts = 0
    /// What is fetched whole in this connection, because its parts were refused or of the wrong length.
    var withoutParts: Set<PhotoReference> = []

    init(
        _ session: CameraSession, device: DeviceInfo, body: KnownBody, traits: GenericTraits,
        settings: GenericSettings, changes: CameraChanges
    ) {
        executor = session.executor
        self.session = session
        self.device = device
        self.body = body
        self.traits = traits
        self.settings = settings
        self.changes = changes
    }

    public var abilities: CameraAbilities {
        CameraAbilities(canDelete: device.supports(.deleteObject))
    }

    public func throwIfEnded() async throws(CameraFailure) {
        try await attempt { () throws(CameraError) in try await session.throwIfEnded() }
    }

    // MARK: What was learned

    /// Known from now on, and in the connections to come.
    func learn(_ change: (inout GenericTraits) -> Void) {
        let before = traits
        change(&traits)
        guard traits != before else { return }
        body.traits = traits.words
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
        try await attempt(about: reference) { () throws(CameraError) in try await session.delete(handle) }
    }

    /// Deleting is how plain PTP says that the memory may be used again.
    public func release(_ offer: Offer) async throws(CameraFailure) {
        guard device.supports(.deleteObject) else { return }
        try await delete(offer.reference)
    }

    public func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8] {
        let handle = try handle(reference)
        return try await attempt(about: reference) { () throws(CameraError) in
            try await session.thumbnail(of: handle)
        }
    }

    /// Nothing that a plain PTP/IP body asks for: its list is compared every few seconds anyway.
    public func keepAlive() async throws(CameraFailure) {
        try await throwIfEnded()
    }

    // MARK: Errors

    func handle(_ reference: PhotoReference) throws(CameraFailure) -> ObjectHandle {
        if let handle = ObjectHandle(reference) { return handle }
        throw CameraFailure(
            session.error(.answered(.getObjectInfo, .invalidObjectHandle, nil), "object \(reference)"))
    }

    /// Does something with the session, and says what a failure of it means.
    func attempt<Result>(
        about reference: PhotoReference? = nil, place: Int? = nil,
        _ body: () async throws(CameraError) -> Result
    ) async throws(CameraFailure) -> Result {
        do throws(CameraError) {
            return try await body()
        } catch {
            var failure = CameraFailure(error)
            failure.object =
                error.object.map { ListedPlace(PhotoReference($0), place: place) }
                ?? reference.map { ListedPlace($0, place: place) }
            throw failure
        }
    }
}

extension CameraError {
    /// The camera answered, one way or another, or will: the connection stands.
    var isHarmless: Bool {
        switch problem {
        case .answered, .malformed, .timedOut, .tooMuchData, .dataCutShort, .notSupported: true
        case .ended, .sizeDiffers, .tooLarge, .tooManyObjects, .consumer, .cancelled: false
        }
    }
}
