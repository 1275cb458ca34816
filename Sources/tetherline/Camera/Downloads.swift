import Bridge
import Camera
import Digest
import PTP
import Posix

/// What a `get` still has to fetch, across connections.
actor Downloads {
    struct Options: Sendable {
        /// Fetch in parts of this size.
        let part: UInt32?
        let hashes: Bool
        let isDurable: Bool
    }

    private let top: Directory
    private let options: Options
    private let workers: PhotoWorkers
    private let shelf: FileShelf
    private let report: GetReport
    /// Handles asked for and not looked up yet; empty for everything.
    private var unresolved: [ObjectHandle]
    private let wantsAll: Bool
    /// The camera of the first connection.
    private var body: String?
    /// Handles are good for one connection; this is what they stood for.
    private var wanted: [PhotoIdentity] = []
    private var finished: Set<PhotoIdentity> = []
    /// The place each photo was given, so that a second try goes to the same one.
    private var places: [PhotoIdentity: (directory: Directory, name: String)] = [:]

    init(
        to top: Directory, _ options: Options, wanted: [ObjectHandle], workers: PhotoWorkers,
        shelf: FileShelf,
        report: GetReport
    ) {
        self.top = top
        self.options = options
        self.workers = workers
        self.shelf = shelf
        self.report = report
        unresolved = wanted
        wantsAll = wanted.isEmpty
    }

    /// A fetched file on its way to its name.
    private struct Whole: Sendable {
        let identity: PhotoIdentity
        let file: StagedFile
        let name: String
        let size: UInt64
        let resumedAt: UInt64
        let digest: SHA256Digest?
        let date: Int64?
    }

    func fetchAll(with session: CameraSession) async throws {
        let device = try await session.device()
        try remember(device)
        report.connected()
        let offers = try await offers(session).filter { !finished.contains($0.identity) }
        // The next file comes in while the last one is made durable.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for offer in offers {
                let whole: Whole?
                do {
                    whole = try await fetch(offer, device, session)
                } catch let error as CameraError where error.isAboutThisPhoto {
                    finished.insert(offer.identity)
                    report.failed(offer.identity.path, error)
                    continue
                }
                guard let whole else { continue }
                try await group.next()
                group.addTask { try await self.publish(whole) }
            }
            try await group.waitForAll()
        }
    }

    /// What answers after a cut has to be what was there before: addresses are given out anew, and bodies are alike.
    private func remember(_ device: DeviceInfo) throws(AnotherCamera) {
        let now = "\(device.manufacturer) \(device.model), serial number \(device.serialNumber)"
        if let body, body != now { throw AnotherCamera(was: body, now: now) }
        body = now
    }

    struct AnotherCamera: Error, CustomStringConvertible {
        let was: String
        let now: String

        var description: String {
            "another camera answers at this address: it was \(was), it is \(now). Nothing of it was fetched; look up the address again."
        }
    }

    private func offers(_ session: CameraSession) async throws -> [Offer] {
        if wantsAll {
            let listing = try await session.list()
            for (handle, reason) in listing.unreadable {
                report.failed("\(handle)", Unreadable(handle: handle, reason: reason))
            }
            return try await session.offers(in: listing)
        }
        var offers: [Offer] = []
        for handle in unresolved {
            let listing = Listing(objects: [try await session.describe(handle)])
            offers += try await session.offers(in: listing)
        }
        if !unresolved.isEmpty {
            wanted = offers.map(\.identity)
            unresolved = []
            return offers
        }
        // Connected again: the same photos may have other handles.
        let listing = try await session.list()
        return try await session.offers(in: listing).filter { wanted.contains($0.identity) }
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let handle: ObjectHandle
        let reason: String

        var description: String { "object \(handle) cannot be described: \(reason). List the camera again." }
    }

    /// Brings one photo into its partial file. Nothing when it is there already.
    private func fetch(_ offer: Offer, _ device: DeviceInfo, _ session: CameraSession) async throws -> Whole?
    {
        let identity = offer.identity
        let size: UInt64? = identity.size == UInt64(UInt32.max) ? nil : identity.size
        let date = identity.fileTime
        guard let (directory, name) = try await place(identity, size, date) else { return nil }
        let canResume = device.canGiveParts(ofObjectOf: size)
        let (file, kept) = try await shelf.open(
            identity.partialName(name), in: directory, size: size, mayResume: canResume)
        let hasher = options.hashes ? SHA256() : nil
        if let hasher, kept > 0 { try await shelf.hash(file, upTo: kept, into: hasher) }
        report.began(name, size: size, from: kept)
        let fetched = try await session.fetch(
            ObjectHandle(rawValue: offer.handle), plan(kept, size, canResume), into: StagedSink(file: file),
            hasher: hasher, workers: workers, onMoved: { [report] in report.moved($0) })
        let total = kept + fetched.received
        if let size, total != size { try await checkAgain(offer, total, file, session) }
        return Whole(
            identity: identity, file: file, name: name, size: total, resumedAt: kept,
            digest: hasher?.finish(), date: date)
    }

    private func plan(_ kept: UInt64, _ size: UInt64?, _ canResume: Bool) -> FetchPlan {
        guard let size, canResume, kept > 0 || options.part != nil else { return .whole }
        return .parts(of: options.part ?? FetchPlan.usualPart, from: kept, size: size)
    }

    /// Where the photo goes: decided once, so that a second try finds its partial file.
    private func place(
        _ identity: PhotoIdentity, _ size: UInt64?, _ date: Int64?
    ) async throws -> (directory: Directory, name: String)? {
        if let known = places[identity] { return known }
        let directory = try await shelf.directory(for: identity.folders, under: top)
        let name = SafeName.component(identity.name, fallback: "object")
        switch try await shelf.place(name, in: directory, size: size, date: date) {
        case .present(let path):
            finished.insert(identity)
            report.present(path, size: identity.size)
            return nil
        case .free(let name):
            places[identity] = (directory, name)
            return (directory, name)
        }
    }

    /// The size was another one than the camera had said. It may have been writing: what it says now counts.
    private func checkAgain(
        _ offer: Offer, _ total: UInt64, _ file: StagedFile, _ session: CameraSession
    ) async throws {
        let now = try await session.describe(ObjectHandle(rawValue: offer.handle))
        guard now.size == total else {
            try await shelf.discard(file)
            throw session.sizeDiffers(
                "\(offer.identity.path)", expected: now.size ?? offer.identity.size, received: total)
        }
    }

    private func publish(_ whole: Whole) async throws {
        do {
            let path = try await shelf.publish(
                whole.file, as: whole.name, date: whole.date, isDurable: options.isDurable)
            finished.insert(whole.identity)
            report.fetched(
                path, size: whole.size, digest: whole.digest.map { "\($0)" }, resumedAt: whole.resumedAt)
        } catch {
            // After a failed fsync nobody knows what is on the disk: the file has to be fetched again.
            try await shelf.discard(whole.file)
            throw error
        }
    }
}

extension CameraError {
    /// Whether the next photo may still be fetched.
    fileprivate var isAboutThisPhoto: Bool {
        switch problem {
        case .answered, .notSupported, .sizeDiffers, .tooLarge, .timedOut, .malformed, .tooMuchData,
            .dataCutShort:
            true
        case .ended, .tooManyObjects, .consumer, .cancelled: false
        }
    }
}

extension DeviceInfo {
    /// GetPartialObject says where with 32 bits; past 4 GiB it takes Android's variant.
    fileprivate func canGiveParts(ofObjectOf size: UInt64?) -> Bool {
        supports(.getPartialObject) && (supports(.getPartialObject64) || (size ?? 0) <= UInt64(UInt32.max))
    }
}

extension PhotoIdentity {
    /// The camera's local time as a file time, as far as it is one.
    fileprivate var fileTime: Int64? {
        guard let date = DateTime(captureDate), let month = date.month, let day = date.day else { return nil }
        return WallClock.seconds(
            year: date.year, month: month, day: day, hour: date.hour, minute: date.minute, second: date.second
        )
    }

    /// Hidden, beside the final name, and only good for this photo and this boot: what was not yet on the disk
    /// when the power went is not to be trusted, and only an fsync would have told.
    fileprivate func partialName(_ name: String) -> String {
        let digest = SHA256.of(Array("\(key)\u{1F}\(BootID.current)".utf8))
        let tag = "\(digest)".prefix(12)
        return ".\(SafeName.shortened(name, by: tag.count + 7)).\(tag).part"
    }
}
