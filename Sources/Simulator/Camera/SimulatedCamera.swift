public import Basics
public import Link
public import PTP
public import PacketCapture
import Posix
import Synchronization

/// A camera in software: the driver of `PTP.Responder` over whatever links come in.
///
/// Everything runs on the executor given to it and by the time given to it. What kind of camera it is decides its
/// ``Personality``; what an operation means is the body's business, a virtual card with a shutter or a recording; what
/// goes wrong is the fault script's.
public actor SimulatedCamera {
    public struct Settings: Sendable {
        public var name = "camsim"
        public var guid = GUID.anonymous
        public var packets = Packetisation.dataThenEmptyEnd
        /// Bytes of data a second; nothing for as fast as it goes.
        public var rate: UInt64?
        public var script = FaultScript.none
        public var seed: UInt64 = 1
        /// Photos taken once the first session is open, and the time between them.
        public var shots = 0
        public var interval: Duration = .seconds(1)
        public var burst: ShootingPace.Burst?
        /// The camera's clock: local seconds since 1970.
        public var localSeconds: @Sendable () -> Int64 = {
            let now = WallClock.now.seconds
            return now + WallClock.localOffset(at: now)
        }
        /// Instead of the body's own time in which the second link has to be opened, where that is not what is tried: a busy
        /// machine may need longer.
        public var eventLinkLimit: Duration?
        /// Photos that leave the camera, out of its memory for example, are remembered for `everyPhoto`.
        public var remembersPhotos = false
        public var onLog: @Sendable (String) -> Void = { _ in }

        public init() {}
    }

    public typealias Executor = SerialExecutor & TaskExecutor

    nonisolated let executor: any Executor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let settings: Settings
    nonisolated let time: any TimeSource
    nonisolated let personality: any Personality
    var greeting: any Greeting
    var machine: Responder
    var body: any CameraBody
    var faults: Faults
    var lines: [Responder.LinkID: GuestLine] = [:]
    private var nextLink = 1
    var connections = 0
    /// What the body gave for the data phase under way, or about to begin.
    var dataJob: DataJob?
    var noticesAfterResponse: [EventPacket] = []
    /// What the body answers after the next shot.
    var postponed: Responder.Operation?
    var answersAlreadyOpen = false
    var staleResponse = false
    /// By an operation that it did not bear; until the next connection.
    var isPoisoned = false
    var lastTransaction = TransactionID.outsideSession
    private var hasStartedShooting = false
    var isOn = true
    /// Whether there is something at its address. A camera that is switched on takes photos either way.
    var isOnNetwork = true
    /// How often it has hung, left its network or been switched since it was made.
    var upheavals = 0
    /// Closed while it hangs.
    let pulse = Gate()
    /// Closed while it waits for its client to ask whether it is there.
    let probed = Gate()
    /// What pours onto which link.
    var floods: [Responder.LinkID: [Flood]] = [:]
    private var shots: UInt64 = 0
    var shot: [CardPhoto] = []
    /// Cards that are pulled once the photo has been told of.
    var toVanish: [FaultRule] = []
    /// What the client asked for last.
    var lastRequest: (code: OperationCode, object: ObjectHandle?)?
    private let watch: DeadlineWatch
    private var isStopped = false
    /// Work that begins with something that happens and takes time.
    private let errands = Mailbox<@Sendable (isolated SimulatedCamera) async -> Void>()

    /// A camera with a card, of the model that has no maker.
    public init(card: VirtualCard, settings: Settings, executor: any Executor, time: any TimeSource) {
        self.init(model: .generic, card: card, settings: settings, executor: executor, time: time)
    }

    /// A camera of one of the models that there are, with a card.
    public init(
        model: CameraModel, card: VirtualCard, settings: Settings, executor: any Executor,
        time: any TimeSource
    ) {
        self.init(personality: model.personality(card), settings: settings, executor: executor, time: time)
    }

    /// A camera that answers with what a recorded camera answered. Its name, GUID and connection number are the
    /// recorded one's.
    public init(
        replaying recording: Recording, settings: Settings, executor: any Executor, time: any TimeSource
    ) {
        let personality = ReplayPersonality(recording: recording)
        self.init(personality: personality, settings: settings, executor: executor, time: time)
    }

    package init(
        body: any CameraBody, settings: Settings, executor: any Executor, time: any TimeSource
    ) {
        let personality = BodyPersonality(behind: body)
        self.init(personality: personality, settings: settings, executor: executor, time: time)
    }

    package init(
        personality: any Personality, settings: Settings, executor: any Executor, time: any TimeSource
    ) {
        self.settings = settings
        self.executor = executor
        self.time = time
        self.personality = personality
        watch = DeadlineWatch(time: time, executor: executor)
        var faults = Faults(settings.script, seed: settings.seed)
        greeting = personality.greeting(settings, faults)
        body = personality.body(settings, &faults)
        self.faults = faults
        machine = Self.machine(greeting, body, settings)
    }

    /// A machine that no client has spoken to.
    static func machine(_ greeting: any Greeting, _ body: any CameraBody, _ settings: Settings) -> Responder {
        var conduct = greeting.conduct()
        if let limit = settings.eventLinkLimit { conduct.eventLinkLimit = limit }
        conduct.operationsWithOutgoingData = body.operations.withOutgoingData
        conduct.sessionOpenings = body.operations.sessionOpenings
        return Responder(settings: conduct)
    }

    // MARK: Running

    /// When the system has nothing left to accept with, it may have in a moment.
    private static let acceptPause = Duration.milliseconds(200)

    /// Serves every link that `accept` brings until it throws; then the links that stand are ended.
    public func run(accepting accept: @Sendable () async throws -> any ByteLink) async {
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: executor) { await self.watchTime() }
            group.addTask(executorPreference: executor) { await self.runErrands() }
            while !Task.isCancelled {
                let link: any ByteLink
                do {
                    link = try await accept()
                } catch let error as LinkError where error.isAboutOneLink {
                    log("\(error)")
                    if await pause(Self.acceptPause) { continue }
                    break
                } catch {
                    if !(error is CancellationError), (error as? LinkError) != .closedHere { log("\(error)") }
                    break
                }
                group.addTask(executorPreference: executor) { await self.serve(link) }
            }
            stop()
            group.cancelAll()
        }
    }

    private func stop() {
        isStopped = true
        for line in standing { line.end(.orderly) }
        pulse.open()
        errands.close()
        watch.stop()
    }

    private func runErrands() async {
        await withDiscardingTaskGroup { group in
            while let batch = await errands.next() {
                for errand in batch { group.addTask(executorPreference: executor) { await errand(self) } }
            }
            group.cancelAll()
        }
    }

    /// Does something later, on this actor; ended with everything else.
    func later(_ errand: @escaping @Sendable (isolated SimulatedCamera) async -> Void) {
        errands.post(errand)
    }

    /// Sleeps; false when everything ends meanwhile.
    func pause(_ duration: Duration) async -> Bool {
        do {
            try await time.sleep(until: time.now + duration)
            return !isStopped
        } catch {
            return false
        }
    }

    /// Presses the shutter once, whatever else goes on. Gives the handles of what is new on the card.
    @discardableResult
    public func shoot() -> [ObjectHandle] {
        guard isOn else {
            log("the shutter was pressed on a camera that is switched off")
            return []
        }
        let shot = body.shoot(&faults, at: time.now)
        reportComplaints()
        if shot.isTaken { photoTaken() }
        remember(shot.objects)
        for notice in shot.notices { feed(.notice(notice)) }
        vanishIfDue()
        if let postponed { answer(postponed) }
        return shot.objects
    }

    /// What goes with every photo, however the shutter was pressed.
    func photoTaken() {
        shots += 1
        log("photo taken")
        tellOddly()
        toVanish += faults.takeAll(.vanish) { [shots] in $0.number("after-shots") == shots }
    }

    func reportComplaints() {
        for complaint in body.takeComplaints() { log(complaint) }
    }

    func log(_ line: String) {
        settings.onLog(line)
    }

    // MARK: The machine

    func newLink(_ line: (Responder.LinkID) -> GuestLine) -> GuestLine {
        defer { nextLink += 1 }
        let line = line(nextLink)
        lines[nextLink] = line
        return line
    }

    func feed(_ happening: Responder.Happening) {
        for action in machine.handle(happening, at: time.now) { perform(action) }
        watch.look(at: machine.nextDeadline)
    }

    private func perform(_ action: Responder.Action) {
        switch action {
        case .send(let packet, let link):
            send(packet, on: link)
        case .askForAdmission(let request, let link):
            decide(about: request, link)
        case .connected(let client):
            connections += 1
            isPoisoned = false
            if faults.has(.nikonWantsProbe) { probed.close() }
            body.connected(isFirst: connections == 1, &faults)
            log("\(client.name) is connected (\(client.guid))")
            hangUpUnlessGreeted()
        case .sessionOpened:
            answersAlreadyOpen = faults.take(.sessionAlreadyOpen) != nil
            sessionOpened()
        case .sessionClosed:
            log("the session is closed")
        case .perform(let operation):
            lastTransaction = operation.transaction
            answer(operation)
        case .sendData(_, let transaction, let link):
            guard let job = dataJob else { preconditionFailure("data without a source") }
            lines[link]?.outbox.post(.data(job, transaction))
        case .stopData:
            dataJob?.stop.withLock { $0 = $0 ?? .asked }
        case .closeLink(let link, _):
            lines[link]?.outbox.post(.close)
        case .disconnected(let parting):
            dataJob = nil
            postponed = nil
            probed.open()
            log("the client is gone: \(parting)")
        }
    }

    private func sessionOpened() {
        log("a session is open")
        startFloods(with: nil, object: nil)
        for (after, notice) in body.noticesOfSession() {
            later { camera in
                if await camera.pause(after) { camera.feed(.notice(notice)) }
            }
        }
        guard !hasStartedShooting, settings.shots > 0 else { return }
        hasStartedShooting = true
        let pace = ShootingPace(
            shots: settings.shots, interval: settings.interval, burst: settings.burst)
        later { camera in
            for number in 0..<pace.count {
                guard await camera.pause(pace.pause(before: number)) else { return }
                camera.shoot()
            }
        }
    }

    private func watchTime() async {
        await watch.run({ machine.nextDeadline }, whenDue: { feed(.timePassed) })
    }
}
