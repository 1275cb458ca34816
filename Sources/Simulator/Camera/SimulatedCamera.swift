public import Bridge
public import Capture
public import Link
public import PTP
import Posix
import Synchronization

/// A camera in software: the driver of `PTP.Responder` over whatever links come in.
///
/// Everything runs on the executor given to it. What an operation means is the body's business, a virtual card
/// with a shutter or a recording; what goes wrong is the fault script's.
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
        /// The camera's clock: local seconds since 1970.
        public var localSeconds: @Sendable () -> Int64 = {
            let now = WallClock.now.seconds
            return now + WallClock.localOffset(at: now)
        }
        public var onLog: @Sendable (String) -> Void = { _ in }

        public init() {}
    }

    public typealias Executor = SerialExecutor & TaskExecutor

    nonisolated let executor: any Executor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let settings: Settings
    nonisolated let time: any TimeSource
    var machine: Responder
    var body: any CameraBody
    var faults: Faults
    var lines: [Responder.LinkID: GuestLine] = [:]
    private var nextLink = 1
    private var connections = 0
    /// What the body gave for the data phase under way, or about to begin.
    var dataJob: DataJob?
    var noticesAfterResponse: [EventPacket] = []
    var answersAlreadyOpen = false
    var staleResponse = false
    private var lastTransaction = TransactionID.outsideSession
    private var hasStartedShooting = false
    private let watch: DeadlineWatch
    private var isStopped = false
    /// Work that begins with something that happens and takes time.
    private let errands = Mailbox<@Sendable (isolated SimulatedCamera) async -> Void>()

    /// A camera with a card.
    public init(card: VirtualCard, settings: Settings, executor: any Executor, time: any TimeSource) {
        let body = VirtualBody(card: card, localSeconds: settings.localSeconds)
        self.init(body: body, settings: settings, executor: executor, time: time)
    }

    /// A camera that answers with what a recorded camera answered. Its name, GUID and connection number are the
    /// recorded one's.
    public init(
        replaying recording: Recording, settings: Settings, executor: any Executor, time: any TimeSource
    ) {
        var settings = settings
        var number: UInt32 = 1
        if let ack = recording.ack {
            settings.name = ack.name
            settings.guid = ack.guid
            number = ack.connectionNumber
        }
        self.init(
            body: ReplayBody(recording), settings: settings, executor: executor, time: time,
            connectionNumber: number, version: recording.ack.map(\.version) ?? .v1)
    }

    package init(
        body: any CameraBody, settings: Settings, executor: any Executor, time: any TimeSource,
        connectionNumber: UInt32? = nil, version: ProtocolVersion? = .v1
    ) {
        self.settings = settings
        self.executor = executor
        self.time = time
        watch = DeadlineWatch(time: time, executor: executor)
        self.body = body
        faults = Faults(settings.script, seed: settings.seed)
        var responder = Self.responderSettings(settings, faults)
        if let connectionNumber { responder.identity.connectionNumber = connectionNumber }
        responder.identity.version = version
        machine = Responder(settings: responder)
    }

    private static func responderSettings(_ settings: Settings, _ faults: Faults) -> Responder.Settings {
        let number = faults.first(.connectionNumber)?.number("value") ?? 1
        var responder = Responder.Settings(
            identity: InitCommandAck(
                connectionNumber: UInt32(truncatingIfNeeded: number), guid: settings.guid, name: settings.name
            ))
        responder.operationsWithOutgoingData = VirtualBody.operationsWithOutgoingData
        responder.idleLimit = faults.first(.sleep)?.duration("after")
        if let rule = faults.first(.probe) ?? faults.first(.probeOnCommand) {
            responder.probeInterval = rule.duration("every")
            responder.probeAnswerLimit = rule.duration("within") ?? responder.probeAnswerLimit
            responder.probesOnCommandLink = rule.name == .probeOnCommand
        }
        if let limit = faults.first(.dropLateEventLink)?.duration("after") {
            responder.eventLinkLimit = limit
        }
        // Whoever asks for the slot of a camera that lost its client waits as long as the camera holds it.
        if let hold = faults.first(.lostFin)?.duration("hold") { responder.probeAnswerLimit = hold }
        return responder
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
        for line in lines.values { line.end(.orderly) }
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

    /// Presses the shutter once.
    public func shoot() {
        for notice in body.shoot(&faults, at: time.now) { feed(.notice(notice)) }
        log("photo taken")
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
            body.connected(isFirst: connections == 1, &faults)
            log("\(client.name) is connected (\(client.guid))")
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
            dataJob?.stop.withLock { $0 = true }
        case .closeLink(let link, _):
            lines[link]?.outbox.post(.close)
        case .disconnected(let parting):
            log("the client is gone: \(parting)")
        }
    }

    private func sessionOpened() {
        log("a session is open")
        for (after, notice) in body.noticesOfSession() {
            later { camera in
                if await camera.pause(after) { camera.feed(.notice(notice)) }
            }
        }
        guard !hasStartedShooting, settings.shots > 0 else { return }
        hasStartedShooting = true
        let (shots, interval) = (settings.shots, settings.interval)
        later { camera in
            for _ in 0..<shots {
                guard await camera.pause(interval) else { return }
                camera.shoot()
            }
        }
    }

    /// Lets a client in, at once or as the script has it.
    private func decide(about request: InitCommandRequest, _ link: Responder.LinkID) {
        log("\(request.name) wants to connect (\(request.guid))")
        if let wanted = faults.first(.demandGUID)?.text("value"), GUID(text: wanted) != request.guid {
            return feed(.refuse(link, .rejectedInitiator))
        }
        if let rule = faults.take(.initFail) {
            let reason = UInt32(truncatingIfNeeded: rule.number("reason") ?? 1)
            return feed(.refuse(link, InitFailReason(rawValue: reason)))
        }
        guard let wait = faults.take(.holdAck)?.duration("for") else { return feed(.admit(link)) }
        log("waiting for somebody to press OK")
        later { camera in
            if await camera.pause(wait) { camera.feed(.admit(link)) }
        }
    }

    private func watchTime() async {
        await watch.run({ machine.nextDeadline }, whenDue: { feed(.timePassed) })
    }
}
