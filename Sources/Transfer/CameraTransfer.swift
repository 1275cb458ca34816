package import Bridge
package import Camera
package import Posix
package import Store

/// One camera's photos, across all of its connections.
///
/// Everything runs on the camera's own executor. While one photo comes in, the one before is made durable on the
/// spool's thread and committed on the ledger's.
package actor CameraTransfer {
    package nonisolated let executor: any CameraSession.Executor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let session: TransferSession
    package nonisolated let address: String
    let spool: Spool
    let workers: PhotoWorkers
    let time: any TimeSource
    private let connect: @Sendable (@escaping @Sendable (ConnectionProgress) -> Void) -> CameraSession

    private var life: ConnectionLife
    private var randomness: Randomness
    /// What is still to be fetched in this connection.
    var queue: FetchQueue
    /// Handles that have been looked at in this connection, folders included.
    var seenHandles: Set<UInt32> = []
    /// Handles that have to be looked at.
    var announced: [UInt32] = []
    var wantsList = false
    /// Handles that could not be described yet, and how often it was tried.
    var undescribed: [UInt32: Int] = [:]
    /// Photos of this connection that look alike in everything but their handles.
    var twins = TwinRegister()
    /// What is in the spool already and still on the card, by its handle: only when it is to be deleted there.
    var onCard: [UInt32: (capture: CaptureID, offer: Offer)] = [:]
    /// Being fetched or made durable.
    var inHand: [CaptureID: UInt32] = [:]
    /// Given up in this connection, and when: tried again after a while.
    var givenUp: [UInt32: Duration] = [:]
    /// How often: each time it is left alone for longer, so that one bad file costs less and less.
    var timesGivenUp: [UInt32: Int] = [:]
    /// Cards came or went: what handles mean has to be asked anew.
    var cardsChanged = false
    /// The handles have been compared since there was something to do.
    var hasListedSinceWork = false
    /// Whoever wants to know that what may be deleted has been.
    var deletionsWanted: [CheckedContinuation<Void, Never>] = []
    var knownFilter: CaptureFilter?
    /// Whoever wants the card's list now.
    var surveysWanted: [CheckedContinuation<CardSurvey, Never>] = []
    /// This connection, in the ledger.
    var connection = ""
    var cameraID: CameraID?
    /// Rung by whatever gives the loop something to do.
    let bell = Doorbell()
    /// Photos that are being made durable.
    var finishing = 0
    var isConnectionOver = false
    /// Why nothing is fetched just now: the disk.
    var hold: String?
    /// Bytes that have come, for whoever wants to know whether anything moves.
    package nonisolated let moved = Tally()
    /// Objects that the camera has described.
    package nonisolated let described = Tally()
    /// Nothing to do since; nothing while there is, or while no camera is connected.
    package private(set) var idleSince: Duration?
    /// Cameras and their photos can be looked at now.
    var hasConnection = false
    /// The moment of the last connection's end, or of the start.
    package private(set) var lostSince: Duration?
    package private(set) var lastLoss: ConnectionLife.Loss?
    /// What "last seen" meant when this session first met the camera.
    var lastSeen: [CameraID: Int64] = [:]

    package init(
        _ session: TransferSession, address: String, spool: Spool, workers: PhotoWorkers,
        executor: any CameraSession.Executor, time: any TimeSource,
        connect: @escaping @Sendable (@escaping @Sendable (ConnectionProgress) -> Void) -> CameraSession
    ) {
        self.session = session
        self.address = address
        self.spool = spool
        self.workers = workers
        self.executor = executor
        self.time = time
        self.connect = connect
        life = ConnectionLife(settings: session.settings.life)
        randomness = Randomness(session.random)
        queue = FetchQueue(jpegFirst: session.settings.filter.kinds == .jpegFirst)
    }

    // MARK: The connection's life

    /// Until the task is cancelled: connects, fetches, and connects again.
    package func run() async {
        lostSince = time.now
        var actions = happened(.start)
        while !Task.isCancelled {
            var next: [ConnectionLife.Action] = []
            for action in actions {
                switch action {
                case .report(let state): session.report(.connection(address: address, state))
                case .connect: next += await attempt(connected)
                // The connection does that first of all.
                case .reconcile: break
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
        for case .report(let state) in happened(.stop) {
            session.report(.connection(address: address, state))
        }
    }

    private func happened(_ happening: ConnectionLife.Happening) -> [ConnectionLife.Action] {
        life.handle(happening, at: time.now, using: &randomness)
    }

    /// Tells the machine in the middle of a connection; there is nothing to do then but to tell others.
    private func note(_ happening: ConnectionLife.Happening) {
        for case .report(let state) in happened(happening) {
            session.report(.connection(address: address, state))
        }
    }

    private func attempt(_ connection: () async -> ConnectionLife.Loss?) async -> [ConnectionLife.Action] {
        let loss = await connection()
        idleSince = nil
        hasConnection = false
        answerSurveys(.notReachable(address: address, loss?.reason ?? "the bridge is ending"))
        answerDeletions()
        if lostSince == nil { lostSince = time.now }
        guard !Task.isCancelled else { return [] }
        // Ended without a reason while nobody here wanted it: it is lost all the same, and has to be made anew.
        let reason = loss ?? .lost("the connection was closed.")
        lastLoss = reason
        return happened(.lost(reason))
    }

    /// One connection, from the first packet to the last. Says why it is over.
    private func connected() async -> ConnectionLife.Loss? {
        let asks: @Sendable (ConnectionProgress) -> Void = { progress in
            guard case .waitingForPerson = progress else { return }
            Task(executorPreference: self.executor) { await self.note(.cameraAsks) }
        }
        do {
            let camera = connect(asks)
            try await camera.run { session in try await self.tether(try await TetheredCamera(session)) }
            return nil
        } catch let error as CameraError {
            return error.consequence == .cancelled ? nil : error.loss
        } catch is CancellationError {
            return nil
        } catch {
            // The ledger or the spool: nothing can be promised without them, so nothing is taken.
            return .lost("\(error)")
        }
    }

    private func tether(_ camera: TetheredCamera) async throws {
        beginConnection()
        note(.connected)
        session.report(.camera(address: address, camera.identity))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) {
                await camera.eachNotice { await self.noticed($0) }
                await self.connectionEnded()
            }
            defer { group.cancelAll() }
            try await self.reconcile(camera)
            lostSince = nil
            hasConnection = true
            try await self.fetchAll(camera)
        }
    }

    private func beginConnection() {
        beginList()
        // Everything that was in hand has come to its end with the connection before.
        inHand = [:]
        isConnectionOver = false
        cameraID = nil
    }

    /// Nothing that was known by its handle is known any more. What is in hand is in hand.
    func beginList() {
        connection = Randomness.uuid(from: session.random)
        queue = FetchQueue(jpegFirst: session.settings.filter.kinds == .jpegFirst)
        seenHandles = []
        announced = []
        undescribed = [:]
        twins = TwinRegister()
        onCard = [:]
        givenUp = [:]
        timesGivenUp = [:]
        wantsList = false
        cardsChanged = false
        hasListedSinceWork = false
    }

    private func connectionEnded() {
        isConnectionOver = true
        bell.ring()
    }

    private func noticed(_ notice: TetheredCamera.Notice) async {
        switch notice {
        case .added(let handle), .changed(let handle):
            // A flood is answered with one list instead of a question for each.
            if announced.count < Self.mostAnnounced { announced.append(handle) } else { wantsList = true }
        case .removed(let handle):
            if let item = queue.item(withHandle: handle) {
                queue.remove(item.capture.id)
                await lose(item, "it was deleted on the camera before it could be fetched")
            }
            forget(handle)
        case .listAgain: wantsList = true
        case .cardsChanged: cardsChanged = true
        }
        bell.ring()
    }

    /// The camera does not have it under this handle any more.
    func forget(_ handle: UInt32) {
        seenHandles.remove(handle)
        undescribed[handle] = nil
        twins.remove(handle)
        onCard[handle] = nil
        givenUp[handle] = nil
        timesGivenUp[handle] = nil
    }

    private static let mostAnnounced = 256

    // MARK: Waiting

    /// Returns when somebody rings or when the time has come. Only `fetchAll` waits here: the bell has room for one.
    func wait(until deadline: Duration) async {
        await bell.wait(until: deadline, of: time)
    }

    func isIdle(_ isIdle: Bool) {
        if isIdle {
            idleSince = idleSince ?? time.now
        } else {
            idleSince = nil
        }
    }

    func lose(_ item: FetchQueue.Item, _ reason: String) async {
        let path = item.offer.identity.path
        await discard(item.capture.id)
        session.report(.lost(path: path, reason))
        await settle(item.capture.id, as: .lost, path, reason)
    }

    func giveUp(_ item: FetchQueue.Item, _ reason: String) async {
        let path = item.offer.identity.path
        givenUp[item.offer.handle] = time.now
        timesGivenUp[item.offer.handle, default: 0] += 1
        session.report(.givenUp(path: path, reason))
        await settle(item.capture.id, as: .abandoned, path, reason)
    }

    /// What will not be gone on with need not take room.
    private func discard(_ capture: CaptureID) async {
        do {
            try await spool.discard(capture)
        } catch {
            session.report(.held(address: address, "\(error)"))
        }
    }

    private func settle(_ capture: CaptureID, as state: CaptureState, _ path: String, _ reason: String) async
    {
        do {
            try await session.ledger.settle(capture, as: state, because: reason)
            try await session.ledger.journal(
                JournalEntry(.error, camera: cameraID, capture: capture, "\(path): \(reason)"))
        } catch {
            // The row stays as it was, and the next connection looks at it again.
            session.report(.held(address: address, "\(error)"))
        }
    }
}
