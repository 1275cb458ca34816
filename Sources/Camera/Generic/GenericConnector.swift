public import Basics
public import Bridge
public import Link
import PTP
public import Posix

/// What a plain PTP/IP camera is told about us, and how long it is waited for.
public struct GenericSettings: Sendable {
    /// Who we say we are. Cameras remember it: keep one per installation.
    public var identity: ClientIdentity
    /// How long a person has for pressing OK on the body.
    public var waitForPerson: Duration = .seconds(180)
    /// How the operator says that this body differs from others, in the words of the guide.
    public var traits: [String: String] = [:]
    /// Which driver works with it.
    public var driver = DriverChoice.automatic
    /// How it is reached where it is through SSH alone.
    public var ssh: SSHAccess?
    /// Fetch in parts of this size, where the camera gives parts.
    public var part: UInt32?
    /// No object is fetched past this, whatever the camera says.
    public var largestObject: UInt64 = 64 << 30
    /// By how much a photo may be larger than the camera says, or by three times its size where that is more: sizes lie,
    /// and a small one may be that of a thumbnail or of the still of a pair. What streams on behind that is no photo, and
    /// would fill the disk.
    public var sizesMayLieBy: UInt64 = 256 << 20
    /// How long not a byte of a photo may come.
    public var noProgress: Duration = .seconds(20)
    /// How long a question about one object may take.
    public var timeout: Duration { noProgress / 2 }
    /// A camera that was asked nothing for so long is asked whether it is there.
    public var quiet: Duration = .seconds(5)
    /// And has so long to answer anything.
    var lifeTimeout: Duration { max(.seconds(9), noProgress * 9 / 20) }
    /// How long it may say nothing at all, in more than one call, where the body does not need longer.
    var silence: Duration { max(.seconds(28), noProgress * 7 / 5) }
    /// How long any other question may take: two of them in a row are the silence.
    var call: Duration { silence / 2 }

    public init(identity: ClientIdentity) {
        self.identity = identity
    }
}

/// Who we are to cameras.
public struct ClientIdentity: Equatable, Sendable {
    let guid: GUID
    public var name: String

    /// Nothing for what is not 32 hexadecimal digits.
    public init?(id text: String, name: String) {
        guard let guid = GUID(text: text) else { return nil }
        self.guid = guid
        self.name = name
    }

    public init(random: inout some RandomNumberGenerator, name: String) {
        guid = GUID(random: &random)
        self.name = name
    }

    /// As it is kept from one run to the next.
    public var id: String { "\(guid)" }
}

/// Reaches a camera over TCP and greets it as plain PTP/IP has it.
public struct GenericConnector: CameraConnector {
    private let links: @Sendable (KnownBody?) -> any LinkOpening
    let settings: GenericSettings
    private let executor: any CameraExecutor
    private let time: any TimeSource
    let experience = Experience()
    public let place: String

    /// `links` opens the two links to a camera, given what is known of the body that answered there last.
    public init(
        place: String, settings: GenericSettings, executor: any CameraExecutor, time: any TimeSource,
        links: @escaping @Sendable (KnownBody?) -> any LinkOpening
    ) {
        self.place = place
        self.settings = settings
        self.executor = executor
        self.time = time
        self.links = links
    }

    /// Over TCP: both links to one port. `wrap` puts something around each, a recorder for example.
    public init(
        to host: HostPort, settings: GenericSettings, reactor: Reactor,
        linkOptions: TCPLink.Options = TCPLink.Options(),
        wrap: @escaping @Sendable (TCPLink) -> any ByteLink = { $0 }
    ) {
        self.init(place: "\(host)", settings: settings, executor: reactor, time: reactor) { _ in
            let source: any TCPSource =
                if let access = settings.ssh {
                    SSHForward(to: host, access, options: linkOptions, reactor: reactor)
                } else {
                    TCPLinks(to: host, options: linkOptions, reactor: reactor)
                }
            return WrappedLinks(inner: source, wrap: wrap)
        }
    }

    /// By what has answered here in this run, before what answered in another.
    private func kind(knowing known: KnownBody?) -> BodyKind? {
        experience.kind ?? BodyKind(of: known, settings.driver)
    }

    public func pace(
        _ usual: ConnectionLife.Settings, knowing known: KnownBody?
    ) -> ConnectionLife.Settings {
        kind(knowing: known)?.pace(usual) ?? usual
    }

    public func advice(knowing known: KnownBody?) -> String? { kind(knowing: known)?.words?.howToConnect }

    public func connected<Result: Sendable>(
        knowing known: KnownBody?, recalling recall: BodyMemory,
        onStep: @escaping @Sendable (ConnectionStep) -> Void,
        _ use: @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        let kind = kind(knowing: known)
        if let hold = experience.slotIsHeld(at: time.now) { throw slotHeld(hold, kind) }
        let changes = CameraChanges()
        let pushed = PushedNotices(changes)
        let traits = learned(of: known).saying(settings.traits)
        let links = links(known)
        let session = CameraSession(
            links: links, executor: executor, time: time,
            options: options(traits, kind, changes, pushed, onStep))
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(
                try await session.run { session in
                    defer { changes.finish() }
                    let plain = try await greet(session, known, recall, changes, pushed)
                    return try await used(plain, settings.driver, onStep, use)
                })
        } catch let error as CameraError {
            result = .failure(CameraFailure(error))
        } catch {
            result = .failure(error)
        }
        await links.connectionEnded()
        experience.ended(await session.ending, await session.lesson, of: kind, at: time.now)
        return try result.get()
    }

    private func slotHeld(_ hold: Experience.SlotHold, _ kind: BodyKind?) -> CameraFailure {
        let seconds = (hold.until - time.now).components.seconds + 1
        let name = kind?.name ?? "camera"
        let reason =
            hold.isOurs
            ? "the \(name) was lost without a goodbye and holds its one place for a client for \(seconds) s more"
            : "the \(name) has said that another client holds its one place, and is asked again in \(seconds) s"
        let advice = "It is left alone until then: asking before can hang its firmware."
        return CameraFailure(
            camera: place, reason: reason, advice: advice,
            trouble: .connectionOver(.busy("\(reason). \(advice)"), mayBeItsDoing: false), outcome: .tryAgain)
    }

    /// How a body differs from others, as far as it is known.
    private func learned(of known: KnownBody?) -> GenericQuirks {
        GenericQuirks(words: known?.driver == GenericDriver.name ? known?.traits ?? [:] : [:])
    }

    private func options(
        _ traits: GenericQuirks, _ kind: BodyKind?, _ changes: CameraChanges, _ pushed: PushedNotices,
        _ onStep: @escaping @Sendable (ConnectionStep) -> Void
    ) -> CameraSession.Options {
        var options = CameraSession.Options(
            identity: InitCommandRequest(guid: settings.identity.guid, name: settings.identity.name))
        options.kind = kind
        options.peculiarities = traits.peculiarities
        if settings.driver.looksBeforeSession { options.peculiarities.opensSession = false }
        // What the operator says of it, and what is known of this body, counts more.
        if traits.words["probe-after-handshake"] == nil, settings.traits["probe-after-handshake"] == nil {
            options.peculiarities.probesAfterHandshake = kind?.probesFirst == true || experience.isProbedFirst
        }
        options.timeouts.person = settings.waitForPerson
        options.timeouts.noProgress = settings.noProgress
        options.timeouts.call = settings.call
        options.timeouts.silence = settings.silence
        options.timeouts.leastAfterSilence = settings.lifeTimeout
        options.timeouts.quiet = settings.quiet
        options.largestObject = settings.largestObject
        options.onRemark = { changes.push(.remark($0)) }
        options.onBusy = { changes.push(.busy($0)) }
        options.onNotice = { pushed.deliver($0) }
        options.onEnd = { changes.finish() }
        options.onProgress = { progress in
            switch progress {
            case .connecting(let place): onStep(.connecting(place))
            case .waitingForPerson: onStep(.waitingForPerson(experience.adviceWhileSilent(of: kind)))
            case .connected: onStep(.letIn)
            case .sessionOpened: break
            }
        }
        return options
    }

    /// Asks the camera who it is, and remembers what is known of such bodies.
    private func greet(
        _ session: CameraSession, _ last: KnownBody?,
        _ recall: BodyMemory, _ changes: CameraChanges, _ pushed: PushedNotices
    ) async throws -> GenericDriver {
        let device = try await session.device()
        let identity = await session.identity(of: device)
        var introduced = KnownBody(
            identity: identity, driver: GenericDriver.name, serial: device.usableSerial)
        introduced.wireID = await session.peer.map { "\($0.guid)" }
        let known = try await acquaintance(introduced, last, recall)
        // What another body needs is nothing to this one.
        var learned = learned(of: known)
        learned.apply(known: device)
        // It hung without the probe, and has answered now.
        if experience.isProbedFirst { learned.peculiarities.probesAfterHandshake = true }
        let past = experience.of(known?.identity ?? identity, session.kind)
        if past.answersProbes { learned.peculiarities.hasAnsweredProbes = true }
        if past.hangsUpOnProbes { learned.peculiarities.answersProbes = false }
        if past.wasDeafInCall { learned.peculiarities.answersProbesInCalls = false }
        if let number = await session.sessionNumber, number != 1, settings.traits["session"] == nil {
            learned.peculiarities.sessionNumber = .fixed(number)
        }
        var peculiarities = learned.saying(settings.traits).peculiarities
        peculiarities.sessionOpening = settings.driver.sessionOpening(of: device)
        await session.adopt(peculiarities)
        if settings.driver.looksBeforeSession { try await session.openSession() }
        if known != nil, !past.endedInList {
            await session.adopt(ListTimeout(longSeconds: learned.listSeconds, least: settings.noProgress))
        }
        await session.tryProbe()
        var body = KnownBody(
            identity: known?.identity ?? identity, driver: GenericDriver.name, serial: device.usableSerial,
            traits: learned.words)
        body.shows(introduced.wireID, after: known)
        body.port = known?.port
        body.pairing = known?.pairing
        return GenericDriver(
            session, device: device, body: body, learned: learned, settings: settings, changes: changes,
            pushed: pushed,
            unseen: UnseenRemarks(on: BodyKind(device).name, changes, before: experience.takeUnsaid()))
    }

    /// What is known of the body that answers now: of the last one here if it is that, else what is remembered of it.
    private func acquaintance(
        _ body: KnownBody, _ last: KnownBody?, _ recall: BodyMemory
    ) async throws -> KnownBody? {
        let recalled = try await recall(body)
        if let last, last.identity == recalled?.identity ?? body.identity { return last }
        if let recalled { return recalled }
        // A body without a serial number is known by its GUID. Where one of the same model was here and that GUID was never
        // met, bodies that make themselves another GUID each time are likelier than a second body: it stays who it was.
        guard let last, body.serial == nil, last.serial == nil,
            !last.contradicts(body.identity, serial: nil)
        else {
            return nil
        }
        return last
    }
}

/// Links with something around each of them.
private struct WrappedLinks: LinkOpening {
    let inner: any TCPSource
    let wrap: @Sendable (TCPLink) -> any ByteLink

    var target: String { inner.target }

    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink {
        wrap(try await inner.connect())
    }

    func connectionEnded() async { await inner.close() }
}

extension CameraChange {
    /// Nothing for notices that are of no interest to the transfer of photos.
    init?(_ notice: EventPacket) {
        let reference = PhotoReference(ObjectHandle(rawValue: notice.parameters.first ?? 0))
        switch notice.code {
        case .objectAdded: self = .added(reference)
        case .objectInfoChanged: self = .changed(reference)
        case .objectRemoved: self = .removed(reference)
        // A shot, perhaps without ObjectAdded.
        case .captureComplete: self = .mayHaveMore
        case .unreportedStatus, .storeAdded, .storeRemoved: self = .cardsChanged
        default: return nil
        }
    }
}

extension GenericConnector {
    /// What an operator wrote as an object's name: `0x00010003`, or the same number in decimal. Nothing for what is none.
    public static func reference(_ text: String) -> PhotoReference? {
        guard let handle = ObjectHandle(PhotoReference(text)), handle != .root, handle != .all else {
            return nil
        }
        return PhotoReference(handle)
    }
}
