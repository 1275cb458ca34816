import Basics
import Bridge
import PTP
import Posix
import Synchronization

/// A Sony body in PC Remote mode: it gives its photos out of its memory, one by one, and shows nothing of its card.
///
/// What waits in the body's memory is ``SonyQueue``'s business; this asks, reads and tells. The body's settings are never
/// changed: the photographer keeps the body, and photos go where its own menu says.
actor SonyDriver: SonyRemoteDriver {
    static let name = "sony"

    nonisolated let plain: GenericDriver
    nonisolated let session: CameraSession
    nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

    var queue = SonyQueue()
    /// What the body tells on the event link, until the queue has heard of it.
    private nonisolated let told = SonyNotices()
    /// Fired when the queue may have something to do before its time.
    private nonisolated let signal = Signal()
    private(set) var version = SonyVersion.three
    /// Where photos are written to, as far as the body says, and as the operator was told last.
    var destination: SonySaveDestination?
    var explainedDestination: SonySaveDestination?
    var complaints = SonyComplaints()
    var refusesForGood: Bool { queue.refusesForGood }

    init(_ plain: GenericDriver) {
        self.plain = plain
        session = plain.session
    }

    // MARK: The greeting

    func begin(_ onStep: @escaping @Sendable (ConnectionStep) -> Void) async throws(CameraFailure) {
        plain.pushed.take(noting: plain.unseen) { [told, signal] code in
            told.add(code)
            signal.fire()
        }
        let greeting = SonyGreeting(session: session, wanted: await plain.traits.sony.version)
        version = try await greeting.run().version
        try await CameraFailure.attempt { () throws(CameraError) in try await poll() }
    }

    // MARK: What is new

    func notice() async throws(CameraFailure) {
        while !Task.isCancelled {
            for code in told.take() { queue.told(code, at: session.time.now) }
            let step = queue.next(at: session.time.now)
            if case .wait(let until) = step {
                await signal.wait(until: until, of: session.time)
                continue
            }
            do throws(CameraError) {
                switch step {
                case .poll: try await poll()
                case .describe: try await describeOldest()
                case .discard(let shot): try await discard(shot)
                case .wait: break
                }
            } catch {
                // The connection's end is told to those who use it.
                if case .cancelled = CameraFailure(error).trouble { return }
                throw CameraFailure(error)
            }
        }
    }

    private func tell(_ news: [SonyQueue.News]) {
        for item in news {
            switch item {
            case .added(let reference): changes.push(.added(reference))
            case .lost(let shot, let received):
                changes.push(.removed(shot.reference))
                changes.push(.remark(fate(of: shot, received) + "."))
            }
        }
    }

    private func poll() async throws(CameraError) {
        let list: SonyPropertyList
        do throws(CameraError) {
            list = try await properties(needing: .sonyShotsWaiting)
        } catch {
            // A full memory is no refusal for good: it says what to do.
            let isFull = error.code == ResponseCode.Sony.temporaryStorageFull
            if isFull { queue.isFull(at: session.time.now) }
            queue.notPolled(hasAnswered: error.hasAnswered && !isFull, at: session.time.now)
            try bear(error, .sonyAllProperties)
            return
        }
        if let number = list[.sonySaveDestination]?.number {
            destination = SonySaveDestination(rawValue: UInt16(truncatingIfNeeded: number))
            explainDestination()
        }
        let waiting = list[.sonyShotsWaiting]?.number.map {
            SonyShotsWaiting(rawValue: UInt16(truncatingIfNeeded: $0))
        }
        // A body that says nothing of it has nothing, as far as can be known.
        tell(queue.polled(waiting ?? .none, at: session.time.now))
    }

    private func describeOldest() async throws(CameraError) {
        let info: ObjectInfo
        do throws(CameraError) {
            info = try await session.info(of: .sonyOldestShot, timeout: plain.settings.timeout)
        } catch {
            queue.refused(hasAnswered: error.hasAnswered, at: session.time.now)
            try bear(error, .getObjectInfo)
            return
        }
        let wasCut = queue.hasBrokenOff
        tell(queue.described(info, at: session.time.now))
        if let wasCut, queue.offered == wasCut { plain.unseen.met(.sonyOfferedAgain) }
    }

    // MARK: What there is

    /// "In remote mode GetStorageIDs is answered with Store_Not_Available": there is no list. What has been told already is
    /// told again, because what asks for everything has forgotten it.
    func survey(
        _ wish: SurveyOptions, onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        try await throwIfEnded()
        if let shot = queue.offered { changes.push(.added(shot.reference)) }
        var survey = Survey(references: offeredReferences)
        survey.remark = Self.whyNoList
        return survey
    }

    private static let whyNoList =
        "in PC Remote mode a Sony does not show its card; photos come out of its memory as they are shot"

    func references() async throws(CameraFailure) -> Set<PhotoReference> {
        try await throwIfEnded()
        return offeredReferences
    }

    func glance() async throws(CameraFailure) -> Set<PhotoReference> { try await references() }

    private var offeredReferences: Set<PhotoReference> { Set(queue.offered.map { [$0.reference] } ?? []) }

    func describe(
        _ reference: PhotoReference, withRating: Bool
    ) async throws(CameraFailure) -> Offer? {
        try await throwIfEnded()
        guard var shot = queue.offered, shot.reference == reference else {
            throw gone(reference, .getObjectInfo)
        }
        if shot.info.compressedSize == 0 {
            let info = try await CameraFailure.attempt(about: reference) { () throws(CameraError) in
                try await session.info(of: .sonyOldestShot, timeout: plain.settings.timeout)
            }
            queue.describedAgain(info)
            shot = queue.offered ?? shot
        }
        return await offer(shot)
    }

    func offer(_ shot: SonyShot) async -> Offer {
        let object = ListedObject(handle: .sonyOldestShot, info: shot.info, folders: [], size: nil)
        var offer = Offer(object, of: await plain.body.identity, .sony)
        offer.reference = shot.reference
        offer.isInMemory = true
        offer.isOnlyCopy = destination?.keepsCopyOnCard == false
        offer.store = "memory"
        return offer
    }

    var abilities: CameraAbilities {
        get async {
            CameraAbilities(
                canDelete: false, keepAliveEvery: await plain.abilities.keepAliveEvery, handsOver: true)
        }
    }

    func clock() async throws(CameraFailure) -> Int64? {
        try await throwIfEnded()
        return try await plain.clock()
    }

    func facts() async throws(CameraFailure) -> BodyFacts {
        var facts = try await plain.facts()
        if facts.stores.isEmpty {
            facts.storesProblem = Self.whyNoList
        }
        return facts
    }

    // MARK: Errors

    func wake() { signal.fire() }
}

/// What has been told since the queue looked: a flood of it takes no more room than a few notices.
final class SonyNotices: Sendable {
    private let codes = Mutex<Set<EventCode>>([])
    private static let ofInterest: Set<EventCode> = [
        .sonyObjectAdded, .sonyObjectRemoved, .sonyPropertyChanged, .sonyCaptured,
    ]

    func add(_ code: EventCode) {
        guard Self.ofInterest.contains(code) else { return }
        codes.withLock { _ = $0.insert(code) }
    }

    /// A photo first: what is told after it says nothing of the body's manners.
    func take() -> [EventCode] {
        codes.withLock { codes in
            defer { codes = [] }
            return codes.sorted { $0.rawValue < $1.rawValue }
        }
    }
}
