public import Bridge
public import Digest
import PTP

/// A connected camera as whoever transfers photos sees it: offers, notices and bytes, without the protocol.
///
/// This is the generic one, which works with every camera that answers to plain PTP/IP. Vendors' rituals come in here.
public struct TetheredCamera: Sendable {
    public let identity: CameraIdentity
    /// Host and port.
    public let address: String
    private let session: CameraSession
    private let device: DeviceInfo

    /// Asks the camera who it is.
    public init(_ session: CameraSession) async throws(CameraError) {
        self.session = session
        device = try await session.device()
        identity = await session.identity(of: device)
        address = session.links.target
    }

    public enum Notice: Equatable, Sendable {
        case added(UInt32)
        case changed(UInt32)
        case removed(UInt32)
        /// Something may have come: look at the list again.
        case listAgain
        /// A card came or went, or notices were lost: handles may mean other photos now.
        case cardsChanged
    }

    /// What the camera tells by itself, until the connection is over. One reader.
    public func eachNotice(_ body: @Sendable (Notice) async -> Void) async {
        for await notice in session.notices {
            let handle = notice.parameters.first ?? 0
            switch notice.code {
            case .objectAdded: await body(.added(handle))
            case .objectInfoChanged: await body(.changed(handle))
            case .objectRemoved: await body(.removed(handle))
            // A shot, perhaps without ObjectAdded.
            case .captureComplete: await body(.listAgain)
            case .unreportedStatus, .storeAdded, .storeRemoved: await body(.cardsChanged)
            default: break
            }
        }
    }

    /// Throws why the connection is over, if it is.
    public func throwIfEnded() async throws(CameraError) {
        try await session.throwIfEnded()
    }

    // MARK: What it has

    public struct Survey: Equatable, Sendable {
        public var offers: [Offer] = []
        /// Every handle there was, folders included.
        public var handles: Set<UInt32> = []
        /// Listed and not described: deleted meanwhile, or not ready. With the reason.
        public var unreadable: [UInt32: String] = [:]
        /// There is a card whose list is all of its photos. A camera that only hands photos through has none.
        public var hasCard = false
    }

    /// Everything on all cards and in memory. Ratings cost a question for each photo and are asked for only on demand.
    public func survey(
        withRatings: Bool, onDescribed: @Sendable () -> Void = {}
    ) async throws(CameraError) -> Survey {
        let listing = try await session.list(onDescribed: onDescribed)
        var survey = Survey()
        survey.handles = Set(listing.objects.map(\.handle.rawValue))
        for (handle, reason) in listing.unreadable {
            survey.handles.insert(handle.rawValue)
            survey.unreadable[handle.rawValue] = reason
        }
        survey.offers = try await session.offers(in: listing)
        survey.hasCard = try await session.storageIDs().contains(where: \.hasMedium)
        if withRatings {
            for index in survey.offers.indices {
                survey.offers[index].rating = try await rating(of: survey.offers[index].handle)
            }
        }
        return survey
    }

    /// The handles alone: one question, for seeing whether anything is new.
    public func handles() async throws(CameraError) -> Set<UInt32> {
        Set(try await session.handles().map(\.rawValue))
    }

    /// One object as it is now; nothing for a folder.
    public func offer(_ handle: UInt32, withRating: Bool) async throws(CameraError) -> Offer? {
        let object = try await session.describe(ObjectHandle(rawValue: handle))
        guard var offer = try await session.offers(in: Listing(objects: [object])).first else { return nil }
        if withRating { offer.rating = try await rating(of: handle) }
        return offer
    }

    /// From 0 to 5 stars; nothing where the camera does not say.
    private func rating(of handle: UInt32) async throws(CameraError) -> Int? {
        guard device.supports(.getObjectPropValue) else { return nil }
        do throws(CameraError) {
            let value = try await session.number(.rating, of: ObjectHandle(rawValue: handle))
            // "0 to 100" (MTP 1.1 B.2.60); bodies write stars as they are, or as 1, 25, 50, 75, 99.
            return value <= 5 ? Int(value) : min(5, 1 + Int(value) * 4 / 99)
        } catch {
            guard case .answered = error.problem else { throw error }
            return nil
        }
    }

    /// The camera's own clock, as seconds on an imagined clock without zones; nothing where it does not tell.
    public func clock() async throws(CameraError) -> Int64? {
        guard device.deviceProperties.contains(.dateTime), device.supports(.getDevicePropValue) else {
            return nil
        }
        do throws(CameraError) {
            return CivilTime(ptp: try await session.text(of: .dateTime))?.secondsSince1970
        } catch {
            switch error.problem {
            case .answered, .malformed, .timedOut: return nil
            default: throw error
            }
        }
    }

    // MARK: Bytes

    /// Whether a photo can be gone on with in its middle. GetPartialObject says where with 32 bits; past 4 GiB it
    /// takes Android's variant.
    public func canResume(_ offer: Offer) -> Bool {
        guard offer.hasFinalSize, !offer.isInMemory, device.supports(.getPartialObject) else { return false }
        return device.supports(.getPartialObject64) || offer.identity.size <= UInt64(UInt32.max)
    }

    /// Brings the photo's bytes from an offset on into the sink. Gives how many came.
    public func fetch(
        _ offer: Offer, from offset: UInt64, into sink: any PayloadSink, hasher: SHA256,
        workers: PhotoWorkers, onMoved: @escaping @Sendable (UInt64) -> Void
    ) async throws(CameraError) -> UInt64 {
        let plan: FetchPlan =
            offset == 0
            ? .whole : .parts(of: FetchPlan.usualPart, from: offset, size: offer.identity.size)
        return try await session.fetch(
            ObjectHandle(rawValue: offer.handle), plan, into: sink, hasher: hasher, workers: workers,
            onMoved: onMoved
        ).received
    }

    public var canDelete: Bool { device.supports(.deleteObject) }

    public func delete(_ handle: UInt32) async throws(CameraError) {
        try await session.delete(ObjectHandle(rawValue: handle))
    }

    /// What to say of a photo whose bytes do not add up.
    public func sizeDiffers(_ offer: Offer, expected: UInt64, received: UInt64) -> CameraError {
        session.sizeDiffers(offer.identity.path, expected: expected, received: received)
    }
}

extension CameraError {
    /// What a failure means to the photo it happened with.
    public enum Consequence: Equatable, Sendable {
        /// The connection is over.
        case connectionOver
        /// This photo may work in a moment; others work now.
        case tryAgain
        /// The camera does not know this handle any more.
        case gone
        /// This photo will not work in this connection.
        case giveUp
        /// It was our own disk.
        case ours
        /// We ended it.
        case cancelled
    }

    public var consequence: Consequence {
        switch problem {
        case .ended: .connectionOver
        case .answered(_, .invalidObjectHandle, _): .gone
        case .answered, .timedOut, .malformed, .sizeDiffers, .dataCutShort: .tryAgain
        case .notSupported, .tooLarge, .tooManyObjects, .tooMuchData: .giveUp
        case .consumer: .ours
        case .cancelled: .cancelled
        }
    }

    /// What kept the consumer of the bytes from taking them.
    public var consumerFailure: (any Error)? {
        if case .consumer(let error) = problem { error } else { nil }
    }

    /// What it means to the connection.
    public var loss: ConnectionLife.Loss {
        switch problem {
        case .ended(.refused(.busy, _)): .busy("\(self)")
        case .ended(.refused(.rejectedInitiator, _)), .ended(.notConfirmed), .ended(.refused):
            .needsPerson("\(self)")
        case .ended(.unreachable), .ended(.nothingListens): .unreachable("\(self)")
        default: .lost("\(self)")
        }
    }
}
