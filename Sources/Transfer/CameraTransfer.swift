package import Basics
package import Bridge
package import Camera
package import Posix
import Store
import Synchronization

/// One camera's photos, across all of its connections: the driver of `TransferMachine`.
///
/// It decides nothing. It tells the machine what happened and carries out what the machine says, in a few lines of work:
/// the camera is asked one thing at a time, two photos at most are made durable meanwhile, and rows are written in their
/// order. Everything runs on the camera's own executor.
package actor CameraTransfer {
    package nonisolated let executor: any CameraExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let session: TransferSession
    package nonisolated let place: String
    let shelf: any PhotoShelf
    let workers: PhotoWorkers
    let time: any TimeSource
    private let connector: any CameraConnector
    let expected: ExpectedBody

    private var life: ConnectionLife
    private var randomness: Randomness
    private var machine: TransferMachine
    private var lines: [TransferMachine.Action.Line: ActionQueue] = [:]
    /// The body that is connected, as it was greeted last.
    var tethering: ConnectedCamera?
    var recognized: TransferSession.Recognized?
    var cameraID: CameraID? { tethering?.camera }
    /// Photos all of whose bytes are here.
    var fetched: [CaptureID: FetchedFile] = [:]
    /// Rung when the connection is to be left, and why.
    private let leaving = Signal()
    private var loss: ConnectionLife.Loss?
    /// Counts connections, and whether a body was met in this one.
    private(set) var connection = 0
    var hasMet = false
    private var watch: DeadlineWatch?
    /// Those who want to know what is on the card, and that what may be deleted from it has been.
    var surveysWanted: [CheckedContinuation<CardSurvey, Never>] = []
    var surveyed = CardSurvey.notReachable(address: "", "")
    var deletionsWanted: [CheckedContinuation<Void, Never>] = []
    /// Those who want the camera for something of their own.
    var loans: [CameraLoan] = []

    /// Bytes that have come further than before, and objects described beyond those of earlier connections: connecting
    /// again and doing the same again is no progress.
    package nonisolated let moved = Tally()
    package nonisolated let described = Tally()
    var mostDescribed: UInt64 = 0
    /// Everything that comes from the body.
    nonisolated let heard = Tally()
    nonisolated let receivingNow = Mutex<ReceivedPhoto.Beginning?>(nil)
    /// Since when there has been no connection; nothing while there is one.
    package private(set) var lostSince: Duration?
    package private(set) var lastLoss: ConnectionLife.Loss?
    /// The error that ended the last connection, if one did, and whether there ever was one.
    package private(set) var lastFailure: (any Error)?
    package private(set) var wasConnected = false

    package init(
        _ session: TransferSession, connector: any CameraConnector, shelf: any PhotoShelf,
        workers: PhotoWorkers,
        executor: any CameraExecutor, time: any TimeSource, expecting expected: ExpectedBody = .asKnownThere
    ) {
        self.session = session
        self.expected = expected
        self.connector = connector
        self.shelf = shelf
        self.workers = workers
        self.executor = executor
        self.time = time
        place = connector.place
        life = ConnectionLife(settings: session.settings.life)
        randomness = Randomness(session.random)
        machine = TransferMachine(settings: session.settings.machine)
    }

    package var idleSince: Duration? { machine.idleSince }
    /// Nothing was left to do when it was last asked for anything.
    package var leftNothing: Bool { machine.hadNothingLeft }
    /// Grows with everything that gets further.
    package var progress: UInt64 { machine.progress + moved.value + described.value }
    package var notDescribedYet: [PhotoReference] { machine.notDescribedYet }
    package var isConnected: Bool { machine.phase == .working }

    // MARK: The connection's life

    /// Until the task is cancelled: connects, transfers, and connects again.
    package func run() async {
        let desk = open(.desk)
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { await self.work(at: .desk, nil) }
            await live()
            desk.close()
        }
    }

    private func live() async {
        lostSince = time.now
        var actions = happened(.start)
        while !Task.isCancelled {
            var next: [ConnectionLife.Action] = []
            for action in actions {
                switch action {
                case .report(let state): tell(.connection(state))
                case .connect: next += await attempt()
                }
            }
            if next.isEmpty, let until = life.nextDeadline {
                do {
                    try await time.sleep(until: until)
                } catch {
                    break
                }
                next = happened(.timePassed)
            }
            actions = next
        }
        note(.stop)
    }

    private func happened(_ happening: ConnectionLife.Happening) -> [ConnectionLife.Action] {
        life.handle(happening, at: time.now, using: &randomness)
    }

    /// Where there is nothing to do then but to tell others.
    private func note(_ happening: ConnectionLife.Happening) {
        for case .report(let state) in happened(happening) { tell(.connection(state)) }
    }

    private func attempt() async -> [ConnectionLife.Action] {
        let before = progress
        let reason = await connected()
        feed(.disconnected)
        answerSurveys(.notReachable(address: place, reason?.reason ?? "the bridge is ending"))
        refuseLoans()
        lostSince = lostSince ?? time.now
        guard !Task.isCancelled else { return [] }
        // Ended without a reason, and not by us: it is lost all the same, and has to be made anew.
        let loss = reason ?? .lost("the connection was closed.")
        lastLoss = loss
        let whenAsleep = (lastFailure as? CameraFailure)?.whenIdle
        return happened(.lost(loss, afterProgress: progress > before, whenAsleep: whenAsleep))
    }

    /// One connection, from the first packet to the last. Says why it is over.
    private func connected() async -> ConnectionLife.Loss? {
        loss = nil
        connection += 1
        defer {
            hasMet = false
            session.left(place)
        }
        do {
            let known = try await session.bodies(at: place, expected).first
            life.adopt(connector.pace(session.settings.life, knowing: known))
            connector.advice(knowing: known).map { tell(.advice($0)) }
            defer { life.adopt(connector.pace(session.settings.life, knowing: known)) }
            try await connector.connected(
                knowing: known,
                recalling: { try await self.session.recall($0, at: self.place) },
                onStep: { step in
                    guard let question = step.question else { return }
                    Task(executorPreference: self.executor) {
                        await self.personIsNeeded(question.happening, question.sentence)
                    }
                },
                { try await self.tether($0) })
            lastFailure = nil
            return loss
        } catch is CancellationError {
            return nil
        } catch {
            lastFailure = error
            return Self.loss(error, loss)
        }
    }

    private static func loss(
        _ error: any Error, _ known: ConnectionLife.Loss?
    ) -> ConnectionLife.Loss? {
        switch error {
        case let failure as CameraFailure: failure.trouble == .cancelled ? known : known ?? failure.loss
        case let stranger as UnknownBody: .needsPerson("\(stranger)")
        case let twice as BodyAtTwoPlaces: .needsPerson("\(twice)")
        // The ledger or the spool: nothing can be promised without them, so nothing is taken.
        default: .lost("\(error)")
        }
    }

    private func personIsNeeded(_ happening: ConnectionLife.Happening, _ sentence: String) {
        note(happening)
        tell(.personNeeded(sentence))
    }

    private func tether(_ camera: any CameraDriver) async throws {
        let tethering = try await greet(camera)
        defer { self.tethering = nil }
        wasConnected = true
        note(.connected)
        tell(.met(await camera.body.identity))
        tell(.clock(ahead: session.clockAhead(of: tethering)))
        let (cameraLine, finishLine, ledgerLine) = (open(.camera), open(.finish), open(.ledger))
        let watch = DeadlineWatch(time: time, executor: executor)
        self.watch = watch
        // From the inside out: what the camera was asked, then what had come of it, then what was to be written.
        await withTaskGroup(of: Void.self) { ledgerWorkers in
            ledgerWorkers.addTask(executorPreference: executor) { await self.work(at: .ledger, camera) }
            await withTaskGroup(of: Void.self) { finishers in
                for _ in 0..<TransferMachine.mostFinishing {
                    finishers.addTask(executorPreference: executor) { await self.work(at: .finish, camera) }
                }
                await withTaskGroup(of: Void.self) { group in
                    group.addTask(executorPreference: executor) { await self.work(at: .camera, camera) }
                    group.addTask(executorPreference: executor) { await self.follow(camera) }
                    group.addTask(executorPreference: executor) { await self.watchTime() }
                    feed(.connected(tethering))
                    while loss == nil, !Task.isCancelled { await leaving.waitUnlessCancelled() }
                    cameraLine.close()
                    watch.stop()
                    group.cancelAll()
                }
                finishLine.close()
            }
            ledgerLine.close()
        }
        self.watch = nil
        try await camera.throwIfEnded()
    }

    private func open(_ line: TransferMachine.Action.Line) -> ActionQueue {
        let opened = ActionQueue()
        lines[line] = opened
        return opened
    }

    /// One worker at a line of work, until it is closed and empty.
    private func work(at line: TransferMachine.Action.Line, _ camera: (any CameraDriver)?) async {
        guard let line = lines[line] else { return }
        while let action = await line.next() { await carryOut(action, camera) }
    }

    private func follow(_ camera: any CameraDriver) async {
        for await change in camera.changes {
            heard.add(1)
            feed(.noticed(change))
        }
        do throws(CameraFailure) {
            try await camera.throwIfEnded()
        } catch {
            feed(.ended(error.loss, whenIdle: error.whenIdle))
        }
    }

    private func watchTime() async {
        await watch?.run({ machine.nextDeadline }, whenDue: { feed(.timePassed) })
    }

    // MARK: The machine

    /// Tells the machine and has done what it says: the only way anything happens here.
    func feed(_ happening: TransferMachine.Happening) {
        for action in machine.handle(happening, at: time.now) { lines[action.line]?.post(action) }
        if machine.phase == .working { lostSince = nil }
        watch?.look(at: machine.nextDeadline)
    }

    /// Whether that connection is one to a body that was met, and is not being left.
    func isStanding(_ asked: Int) -> Bool { (connection, hasMet, loss == nil) == (asked, true, true) }

    func leave(because reason: ConnectionLife.Loss) {
        loss = loss ?? reason
        leaving.fire()
    }

    func tell(_ event: TransferEvent) {
        session.report(CameraNews(place: place, camera: cameraID, event))
    }
}
