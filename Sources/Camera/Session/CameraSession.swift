public import Basics
import Link
public import PTP
import Posix
import Synchronization

/// One PTP session with one camera over one pair of links: the driver of `PTP.Initiator`.
///
/// The session decides nothing. It tells the machine what happened, does what the machine says, and moves
/// the bytes of photos from the link to their consumer. Everything runs on the executor given to it,
/// one thing at a time; nothing outlives ``run(_:)``.
public actor CameraSession {
    public struct Options: Sendable {
        /// Who we say we are. Cameras remember the GUID: keep one per installation.
        public var identity: InitCommandRequest
        /// Whose body it is, where that is known before it says so.
        var kind: BodyKind?
        public var peculiarities = Peculiarities()
        public var timeouts = Timeouts()
        /// No object is fetched past this, whatever the camera says.
        public var largestObject: UInt64 = 64 << 30
        public var onProgress: @Sendable (ConnectionProgress) -> Void = { _ in }
        /// Sentences for a log about what a camera sends that is odd and does no harm: twenty a connection at most, and
        /// one that says that there was more.
        public var onRemark: @Sendable (String) -> Void = { _ in }
        /// What the camera tells by itself, as it comes; ``CameraSession/notices`` has the same for one reader.
        public var onNotice: @Sendable (EventPacket) -> Void = { _ in }
        /// Told when a call has to be made again because the camera is busy or not ready, and when that is over.
        public var onBusy: @Sendable (Bool) -> Void = { _ in }
        /// Told once, when the connection is over.
        public var onEnd: @Sendable () -> Void = {}

        public init(identity: InitCommandRequest) {
            self.identity = identity
        }
    }

    public typealias Executor = CameraExecutor

    nonisolated let executor: any Executor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let options: Options
    private nonisolated let knownKind: Mutex<BodyKind?>
    nonisolated let links: any LinkOpening
    nonisolated let time: any TimeSource
    let noticeQueue = BoundedEventQueue(whenLost: EventPacket(code: .unreportedStatus))

    var machine: Initiator
    let command = Line(.command)
    let event = Line(.event)
    /// Rung when the session stands and when it never will.
    private let readiness = Signal()
    let lock = AsyncLock()
    /// Calls are told apart by this.
    var callNumber = 0
    var takenBack = 0
    /// The caller that waits for the call under way.
    var waiter: CheckedContinuation<CallOutcome, Never>?
    /// Where the photo under way goes.
    var intake: Intake?
    public private(set) var peer: Peer?
    private(set) var hasSession = false
    /// The session's number that the camera accepted, also when the connection is over: the next one may begin with it.
    public private(set) var sessionNumber: UInt32?
    private(set) var ending: Ending?
    /// A link was given up because nothing of it was acknowledged any more.
    var hasLinkTimedOut = false
    /// What the camera said it can do, once it has been asked.
    private(set) var knownDevice: DeviceInfo?
    /// How bodies of this make say a size of 64 bits, where they do not as MTP has it.
    var sizeOperation: OperationCode?
    var listTimeout = ListTimeout()
    private let watch: DeadlineWatch

    public init(
        links: any LinkOpening, executor: any Executor, time: any TimeSource, options: Options
    ) {
        self.links = links
        self.executor = executor
        self.time = time
        self.options = options
        knownKind = Mutex(options.kind)
        watch = DeadlineWatch(time: time, executor: executor)
        machine = Initiator(
            identity: options.identity, peculiarities: options.peculiarities, timeouts: options.timeouts)
    }

    /// What the camera tells by itself. One reader.
    public nonisolated var notices: Notices { Notices(queue: noticeQueue) }

    /// Connects, lets `body` use the session, and ends it in order. Used once.
    public func run<Result: Sendable>(
        _ body: @Sendable (CameraSession) async throws -> Result
    ) async throws -> Result {
        // Not children of the caller's task: when that is cancelled the camera is still told so, and its answers are
        // still heard, for as long as the machine's deadlines let it.
        let service = Task(executorPreference: executor) { await self.serve() }
        options.onProgress(.connecting(links.target))
        feed(.start)
        do {
            try await ready()
            let result = try await body(self)
            await close(service)
            return result
        } catch {
            await close(service)
            throw error
        }
    }

    /// Both links and the clock, until the connection is over.
    private func serve() async {
        await withTaskGroup(of: Void.self) { group in
            for channel in Channel.allCases {
                group.addTask(executorPreference: executor) { await self.serve(channel) }
                group.addTask(executorPreference: executor) { await self.sendPosted(on: channel) }
            }
            group.addTask(executorPreference: executor) { await self.watchTime() }
        }
    }

    /// Whose body it is, as far as that is known by now.
    nonisolated var kind: BodyKind? { knownKind.withLock { $0 } }

    func met(_ device: DeviceInfo) {
        knownDevice = device
        knownKind.withLock { $0 = BodyKind(device, expected: $0) }
    }

    /// What is known of this body by now: it counts for what is still to come of the connection.
    func adopt(_ peculiarities: Peculiarities) {
        machine.adopt(peculiarities)
    }

    /// Throws what ended the connection, if it is over and not because we wanted it so.
    public func throwIfEnded() throws(CameraError) {
        if let ending, ending != .closed { throw error(.ended(ending)) }
    }

    private func ready() async throws(CameraError) {
        while ending == nil, !isUsable {
            if Task.isCancelled { throw error(.cancelled) }
            await readiness.waitUnlessCancelled()
        }
        if let ending { throw error(.ended(ending)) }
    }

    /// Where the options say that the connection does not do so by itself.
    func openSession() async throws(CameraError) {
        feed(.openSession)
        while ending == nil, !hasSession {
            if Task.isCancelled { throw error(.cancelled) }
            await readiness.waitUnlessCancelled()
        }
        if let ending { throw error(.ended(ending)) }
    }

    private var isUsable: Bool {
        hasSession || (peer != nil && !options.peculiarities.opensSession)
    }

    /// Asks for an orderly end and waits for it; the machine's deadlines see to it that it comes.
    private func close(_ service: Task<Void, Never>) async {
        feed(.close)
        while ending == nil { await readiness.wait() }
        // A link may still be opening.
        service.cancel()
        await service.value
    }

    func line(_ channel: Channel) -> Line {
        switch channel {
        case .command: command
        case .event: event
        }
    }

    /// Tells the machine and does what it says: the only way anything happens here.
    func feed(_ happening: Initiator.Happening) {
        for action in machine.handle(happening, at: time.now) { perform(action) }
        watch.look(at: machine.nextDeadline)
    }

    private func perform(_ action: Initiator.Action) {
        switch action {
        case .openLink(let channel):
            line(channel).door.fire()
        case .send(let packet, let channel):
            line(channel).outbox.post(packet.encoded)
        case .sendPayload(let bytes):
            command.outbox.post(bytes)
        case .askPerson(let until):
            options.onProgress(.waitingForPerson(until: until))
        case .connected(let peer):
            self.peer = peer
            options.onProgress(.connected(peer))
            readiness.fire()
        case .sessionOpened:
            hasSession = true
            sessionNumber = machine.sessionNumber
            options.onProgress(.sessionOpened)
            readiness.fire()
        case .notice(let notice):
            noticeQueue.push(notice)
            options.onNotice(notice)
        case .remark(let sentence):
            options.onRemark(sentence)
        case .finish(let reply):
            answerWaiter(.reply(reply))
        case .callAgain(let call, let moment):
            answerWaiter(.again(call, at: moment))
        case .fail(let failure):
            answerWaiter(.failure(failure))
        case .closeLinks(let ending):
            end(ending)
        }
    }

    private func answerWaiter(_ outcome: CallOutcome) {
        waiter?.resume(returning: outcome)
        waiter = nil
    }

    private func end(_ ending: Ending) {
        self.ending = ending
        // "A graceful end: both sockets closed, initiator first" (CIPA DC-X005).
        command.end(.orderly)
        event.end(.orderly)
        noticeQueue.finish()
        options.onEnd()
        readiness.fire()
        watch.stop()
    }

    private func watchTime() async {
        await watch.run({ machine.nextDeadline }, whenDue: { feed(.timePassed) })
    }
}
