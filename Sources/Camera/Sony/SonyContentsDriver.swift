import Basics
import Bridge
import PTP
import Posix

/// A Sony in PC Remote that keeps its photos on its card and lists that beside (0x923C): every photo can be seen again and
/// gone on with, and nothing is lost with a connection.
///
/// The body has to write to its card alone (Still Img. Save Dest.), because what it keeps for a computer would fill its
/// memory.
actor SonyContentsDriver: SonyRemoteDriver {
    static let name = SonyDriver.name
    /// As an operator writes it behind `sony:`.
    static let mode = "contents"
    static let operations: [OperationCode] = [.sonyConnect, .sonyContentList, .sonyContentData]

    nonisolated let plain: GenericDriver
    nonisolated let session: CameraSession
    nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

    var contents = SonyContents()
    /// Slots that a card was in: it is looked whether one is.
    var listed: Set<UInt32> = []
    /// One list is read at a time, and counts when it has been read to its end.
    let listing = AsyncLock()
    var complaints = SonyComplaints()
    private(set) var version = SonyVersion.three
    /// In a row, by slot; those of the properties are under 0.
    var refusals: [UInt32: Int] = [:]
    var refusesForGood: Bool { refusals.values.contains { $0 >= SonyQueue.mostFailures } }
    /// Something has been told that may be a new photo.
    private nonisolated let told = Signal()

    /// "A body dropped its client 10 s after its last command."
    private static let pause = Duration.seconds(1)
    private static let afterNotice = Duration.milliseconds(200)

    init(_ plain: GenericDriver) {
        self.plain = plain
        session = plain.session
    }

    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        plain.pushed.take(noting: plain.unseen) { [told] code in
            if Self.areNews.contains(code) { told.fire() }
        }
        let wanted = await plain.traits.sony.version
        version = try await SonyGreeting(session: session, wanted: wanted).run().version
        let list = try await CameraFailure.attempt { () throws(CameraError) in
            try await properties(needing: .sonySaveDestination)
        }
        if let number = list[.sonySaveDestination]?.number,
            SonySaveDestination(rawValue: UInt16(truncatingIfNeeded: number)).givesToHost
        {
            throw needs("the camera gives its photos to a computer as well, which fills its memory here")
        }
        do throws(CameraError) {
            try await lookAtCard()
        } catch {
            // "ILCE-7CM2: 0x923B is answered with 0xA106."
            guard error.code == ResponseCode.Sony.cameraStatusError else {
                if error.isHarmless { return }
                throw CameraFailure(error)
            }
            throw needs("the camera lists what is on its card, and does not do so in its present mode")
        }
    }

    private static let areNews: Set<EventCode> = [
        .sonyObjectAdded, .sonyPropertyChanged, .sonyCaptured, .sonyListChanged, .sonyContentPushed,
    ]

    private func needs(_ reason: String) -> CameraFailure {
        let advice =
            "Set Still Img. Save Dest. to Camera Only, or leave out ':\(Self.mode)' to tether the camera out of its memory."
        return CameraFailure(
            camera: session.links.target, reason: reason, advice: advice,
            trouble: .connectionOver(.needsPerson("\(reason). \(advice)"), mayBeItsDoing: false),
            outcome: .notPermitted)
    }

    // MARK: What is new

    func notice() async throws(CameraFailure) {
        while !Task.isCancelled {
            await told.wait(until: session.time.now + Self.pause, of: session.time)
            do throws(CameraError) {
                try await look()
            } catch {
                if case .cancelled = CameraFailure(error).trouble { return }
                throw CameraFailure(error)
            }
            do {
                // However much is told.
                try await session.time.sleep(until: session.time.now + Self.afterNotice)
            } catch {
                return
            }
        }
    }

    /// What one question is refused says nothing of the others.
    private func look() async throws(CameraError) {
        do throws(CameraError) {
            // It is the sign of life as well, and what it takes to be believed ready.
            _ = try await properties(needing: nil)
            refusals[0] = nil
        } catch {
            try bear(error, .sonyAllProperties, in: 0)
        }
        for slot in Self.slots where listed.contains(slot) {
            do throws(CameraError) {
                for reference in try await list(slot, anew: false) { changes.push(.added(reference)) }
                refusals[0] = nil
            } catch {
                if error.saysThatNoCardIsThere {
                    cardIsOut(of: slot)
                } else {
                    try bear(error, .sonyContentList, in: slot)
                }
            }
        }
    }

    private func bear(
        _ error: CameraError, _ operation: OperationCode, in slot: UInt32
    ) throws(CameraError) {
        if error.hasAnswered { refusals[slot, default: 0] += 1 }
        try bear(error, operation)
    }

    // MARK: What there is

    func survey(
        _ wish: SurveyOptions, onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        var survey = Survey(hasCard: try await listAll())
        let all = contents.entries.keys.sorted()
        guard all.count <= wish.limit else {
            throw CameraFailure(session.error(.tooManyObjects(limit: wish.limit)))
        }
        survey.references = Set(all)
        for (place, reference) in all.enumerated() {
            if wish.puttingOff.contains(reference) || wish.puttingOffPlaces.contains(place) {
                survey.putOff.append(ListedPlace(reference, place: place))
            } else if let offer = await offer(reference) {
                survey.offers.append(offer)
                onDescribed()
            }
        }
        return survey
    }

    func references() async throws(CameraFailure) -> Set<PhotoReference> {
        _ = try await listAll()
        return Set(contents.entries.keys)
    }

    func glance() async throws(CameraFailure) -> Set<PhotoReference> { try await references() }

    func describe(_ reference: PhotoReference, withRating: Bool) async throws(CameraFailure) -> Offer? {
        if let offer = await offer(reference) { return offer }
        throw gone(reference, .sonyContentList)
    }

    private func offer(_ reference: PhotoReference) async -> Offer? {
        guard let entry = contents.entries[reference] else { return nil }
        let camera = await plain.body.identity
        let format = FormatCode(rawValue: UInt16(truncatingIfNeeded: entry.file.format))
        var offer = Offer(
            identity: PhotoIdentity(
                manufacturer: camera.manufacturer, model: camera.model, body: camera.body,
                slot: UInt16(truncatingIfNeeded: entry.slot), folders: entry.folders, name: entry.name,
                size: entry.file.size, captureDate: entry.captureDate, format: format.rawValue),
            reference: reference)
        offer.isProtected = entry.isProtected
        offer.rating = (0...5).contains(entry.rating) ? Int(entry.rating) : nil
        offer.formatName = format.described(for: .sony)
        offer.store = "slot \(entry.slot)"
        return offer
    }

    func stableID(of offer: Offer) async throws(CameraFailure) -> String? {
        known(offer)?.stableID
    }

    var abilities: CameraAbilities {
        get async {
            CameraAbilities(canDelete: false, keepAliveEvery: await plain.abilities.keepAliveEvery)
        }
    }

    // MARK: Bytes

    /// A part is of 4 MiB at the most: what other clients ask such a body for.
    private static let part: UInt32 = 4 << 20

    private func entry(_ offer: Offer) throws(CameraFailure) -> SonyContents.Entry {
        guard let entry = known(offer) else { throw gone(offer.reference, .sonyContentList) }
        return entry
    }

    /// Under its reference another card may have another file.
    private func known(_ offer: Offer) -> SonyContents.Entry? {
        contents.entries[offer.reference].flatMap { $0.is(offer.identity) ? $0 : nil }
    }

    private func operation(_ entry: SonyContents.Entry) -> PartOperation {
        PartOperation(.sonyContentData, .sonyContent(file: entry.fileWord, size: entry.file.size))
    }

    func canResume(_ offer: Offer) async -> Bool {
        guard offer.hasFinalSize, let (slot, time) = list(of: offer.reference) else { return false }
        return await plain.traits.sony.beginnings.mayResume(offer.reference, in: slot, under: time)
    }

    /// The slot that it is listed in, and when that list was made.
    private func list(of reference: PhotoReference) -> (slot: UInt32, time: UInt64)? {
        guard let slot = contents.entries[reference]?.slot else { return nil }
        return contents.dataTimes[slot].map { (slot, $0) }
    }

    func fetch(
        _ offer: Offer, from offset: UInt64, into intake: FetchOptions
    ) async throws(CameraFailure) -> FetchedBytes {
        let entry = try entry(offer)
        if offset == 0, let (slot, time) = list(of: offer.reference) {
            await plain.learn { $0.sony.beginnings.begin(offer.reference, in: slot, under: time) }
        }
        let fetched: Fetched
        do throws(CameraError) {
            fetched = try await session.fetch(
                ObjectHandle(rawValue: entry.content),
                .parts(
                    of: plain.settings.part ?? Self.part, from: offset,
                    size: offer.hasFinalSize ? offer.identity.size : nil, by: [operation(entry)]),
                into: intake.sink, hasher: intake.hasher, workers: intake.workers,
                noProgress: intake.noProgress, onMoved: intake.onMoved)
        } catch {
            var failure = CameraFailure(error.about(offer.identity.path))
            failure.object = ListedPlace(offer.reference)
            throw failure
        }
        if let now = contents.entries[offer.reference], !now.isSameFile(as: entry) { throw renamed(offer) }
        await plain.learn { $0.sony.beginnings.ended(offer.reference) }
        return FetchedBytes(
            received: fetched.received, announced: fetched.announced, parts: fetched.parts)
    }

    /// Parts of two files may have come.
    private func renamed(_ offer: Offer) -> CameraFailure {
        CameraFailure(
            camera: session.links.target, subject: offer.identity.path,
            reason:
                "the camera has made the list of its card anew while it was fetched, and calls another file so now",
            advice: "It is fetched again from its beginning.", trouble: .startOver, outcome: .tryAgain,
            object: ListedPlace(offer.reference))
    }

    func bytes(
        of offer: Offer, _ range: Range<UInt64>, noProgress: Duration?
    ) async throws(CameraFailure) -> [UInt8] {
        let entry = try entry(offer)
        return try await CameraFailure.attempt(about: offer.reference) { () throws(CameraError) in
            try await session.part(
                of: ObjectHandle(rawValue: entry.content), range, by: [operation(entry)],
                noProgress: noProgress)
        }
    }

    /// "1: thumbnail, 2: screennail."
    func thumbnail(_ reference: PhotoReference) async throws(CameraFailure) -> [UInt8] {
        guard let entry = contents.entries[reference] else { throw gone(reference, .sonyContentList) }
        return try await CameraFailure.attempt(about: reference) { () throws(CameraError) in
            try await session.demand(
                Call(
                    .sonyContentThumbnail, [entry.content, entry.fileWord, 1],
                    data: .incoming(limit: CameraSession.thumbnailLimit)), about: nil
            ).data
        }
    }

    /// The card is the photographer's.
    func release(_ offer: Offer) async throws(CameraFailure) {}

    func delete(_ reference: PhotoReference) async throws(CameraFailure) {
        throw CameraFailure(session.error(.notSupported(.deleteObject), "photo \(reference)"))
    }
}
