import Basics
public import PTP

/// An object as the camera describes it, and where it hangs.
public struct ListedObject: Equatable, Sendable {
    public let handle: ObjectHandle
    public let info: ObjectInfo
    /// The folders above it, outermost first, with the camera's own names.
    public internal(set) var folders: [String]
    /// The true size where the camera has a way to say it; ObjectInfo ends at 4 GiB.
    public internal(set) var size: UInt64?
}

/// What a walk over the cards brought, and what it could not read.
public struct Listing: Equatable, Sendable {
    public var objects: [ListedObject] = []
    /// Objects that were listed and could not be described: deleted meanwhile, or not ready.
    public var unreadable: [ObjectHandle: String] = [:]

    public init(objects: [ListedObject] = []) {
        self.objects = objects
    }
}

extension CameraSession {
    /// A card may hold many objects; a camera that claims more than this is not believed.
    public static let usualObjectLimit = 100_000

    /// Everything on all cards, described.
    public func list(
        limit: Int = CameraSession.usualObjectLimit, onDescribed: @Sendable () -> Void = {}
    ) async throws(CameraError) -> Listing {
        var walk = CardWalk(limit: limit)
        try await walk.run(self, onDescribed: onDescribed)
        var listing = Listing(objects: walk.objects)
        listing.unreadable = walk.unreadable
        return listing
    }

    /// A slot that is not ready does not keep the others from being listed.
    func handlesIfReady(in storage: StorageID, limit: Int) async throws(CameraError) -> [ObjectHandle] {
        do throws(CameraError) {
            return try await firstHandles(in: storage, limit: limit)
        } catch {
            guard case .answered(_, let code, _) = error.problem,
                code == .storeNotAvailable || code == .invalidStorageID
            else { throw error }
            return []
        }
    }

    /// A body that would not say the size of one large object does not keep the others from being listed.
    func sizeIfSaid(of object: ObjectHandle, _ info: ObjectInfo) async throws(CameraError) -> UInt64? {
        do throws(CameraError) {
            return try await trueSize(of: object, info)
        } catch {
            guard error.isHarmless else { throw error }
            return nil
        }
    }

    /// Everything at once where the camera does that; else what hangs at the top, to go down from.
    private func firstHandles(in storage: StorageID, limit: Int) async throws(CameraError) -> [ObjectHandle] {
        do throws(CameraError) {
            return try await handles(in: storage, limit: limit)
        } catch {
            guard case .answered = error.problem, error.isHarmless else { throw error }
            return try await handles(in: storage, inside: .all, limit: limit)
        }
    }

    public func storageIDs() async throws(CameraError) -> [StorageID] {
        try await ask(.getStorageIDs, limit: DatasetLimits.storageIDsBytes) {
            bytes throws(Malformed) in try StorageIDList(decoding: bytes).ids
        }
    }

    /// How long it may say nothing meanwhile is what is known of this body's lists.
    public func handles(
        in storage: StorageID = .all, inside folder: ObjectHandle? = nil,
        limit: Int = CameraSession.usualObjectLimit
    ) async throws(CameraError) -> [ObjectHandle] {
        let began = time.now
        listTimeout.began()
        do throws(CameraError) {
            let handles = try await handlesInTime(storage, folder, limit)
            listTimeout.took(time.now - began)
            return handles
        } catch {
            if case .timedOut = error.problem { listTimeout.wasTooShort() }
            throw error
        }
    }

    private func handlesInTime(
        _ storage: StorageID, _ folder: ObjectHandle?, _ limit: Int
    ) async throws(CameraError) -> [ObjectHandle] {
        try await ask(
            .getObjectHandles, [storage.rawValue, 0, folder?.rawValue ?? 0], limit: 4 + 4 * limit,
            timeout: ListTimeout.longest, silence: machine.trustsProbesInCalls ? nil : listTimeout.timeout
        ) { bytes throws(Malformed) in try HandleList(decoding: bytes, limit: limit).handles }
    }

    /// `timeout` is how long the answer may take, where the usual one does not fit; `retries` are all refusals that mean of
    /// this object "not just now", where the body's own rules do not do.
    public func info(
        of object: ObjectHandle, timeout: Duration? = nil, retries: [RetryRule] = []
    ) async throws(CameraError) -> ObjectInfo {
        let vendor = knownDevice?.vendor
        return try await ask(
            .getObjectInfo, [object.rawValue], limit: DatasetLimits.objectInfoBytes, timeout: timeout,
            retries: retries, about: "object \(object)"
        ) { bytes throws(Malformed) in try ObjectInfo(decoding: bytes, vendor: vendor) }
    }

    /// "ObjectCompressedSize is clamped to 0xFFFFFFFF": then only MTP's property has all 64 bits.
    public func trueSize(of object: ObjectHandle, _ info: ObjectInfo) async throws(CameraError) -> UInt64? {
        guard info.sizeIsClamped else { return UInt64(info.compressedSize) }
        if let sizeOperation, knownDevice?.supports(sizeOperation) == true {
            return try await size(of: object, by: sizeOperation)
        }
        guard knownDevice?.supports(.getObjectPropValue) == true else { return nil }
        return try await number(.objectSize, of: object)
    }
}
