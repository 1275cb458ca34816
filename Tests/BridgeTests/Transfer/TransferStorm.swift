import Bridge
import TestSupport

/// A camera with a card, a ledger and a disk around a transfer machine, where everything happens that may happen, in an
/// order that follows from a seed. What goes against a rule is noted.
struct TransferStorm {
    /// How one photo behaves whenever the camera is asked for it.
    enum Nature: Equatable {
        case healthy
        /// The connection ends after so many bytes of it.
        case killsFetch(at: UInt64)
        case killsDescription
        /// Not answered for, and nothing after it either.
        case silences
        /// Refused so many times.
        case refused(times: Int)
        /// The camera names another size than it gives.
        case lies
        case empty
        /// It never begins like a file of its kind.
        case foreign
        /// Without a size so many times.
        case late(times: Int)
        /// Parts of it do not fit what was kept.
        case doesNotFit(times: Int)
        /// It names no size, ever.
        case sizeless
        /// Gone when it is asked for, although it is listed.
        case gone
    }

    struct Thing {
        var reference: PhotoReference
        var offer: Offer
        var nature: Nature
        var isOnCard = true
        /// How much of it has been here.
        var kept: UInt64 = 0
    }

    struct Row {
        var state: CaptureState
        var key: String?
        var reference: PhotoReference
        var connection: String
        var cost = FailedFetchCost.none
        var doubts: Set<PhotoDoubt> = []
        var stagings = 0
        var isInMemory = false
    }

    var random: Seeded
    let settings: TransferMachine.Settings
    var machine: TransferMachine
    var now = Duration.zero
    var failures: [String] = []

    var things: [Thing] = []
    var rows: [CaptureID: Row] = [:]
    var receipts: Set<CaptureID> = []
    var connections = 0
    var isConnected = false
    var isLeaving = false
    /// What the driver has been told to do and has not done.
    var camera: [TransferMachine.Action] = []
    var ledger: [TransferMachine.Action] = []
    var finishing: [FinishOrder] = []
    var isDiskFull = false
    /// It answers nothing any more in this connection.
    var isSilent = false
    var isLedgerStuck = false
    /// Nothing goes wrong by chance any more; what photos do they go on doing.
    var isHealed = false
    private var callsAtOnce = 0
    private var lastCall = Duration.zero
    private var shots = 0
    var renames = false

    init(seed: UInt64) {
        random = Seeded(seed)
        var settings = TransferMachine.Settings()
        settings.deletesFromCard = random.chance(30)
        settings.jpegFirst = random.chance(30)
        settings.listAgain = .seconds(Int64.random(in: 1...20, using: &random))
        self.settings = settings
        renames = random.chance(20)
        machine = TransferMachine(settings: settings)
        for _ in 0..<Int.random(in: 0...12, using: &random) { shoot() }
    }

    // MARK: The card

    mutating func shoot() {
        shots += 1
        let natures: [Nature] = [
            .killsFetch(at: 0), .killsFetch(at: 50_000), .killsDescription, .silences, .refused(times: 3),
            .refused(times: 100),
            .lies, .empty, .foreign, .late(times: 2), .doesNotFit(times: 1), .sizeless, .gone,
        ]
        let nature = random.chance(75) ? Nature.healthy : natures.randomElement(using: &random) ?? .healthy
        let isRaw = random.chance(30)
        let identity = PhotoIdentity(
            manufacturer: "a", model: "b", body: "c", slot: 1, folders: ["100"],
            name: "P\(shots)\(isRaw ? ".NEF" : ".JPG")",
            size: nature == .empty || nature == .sizeless ? 0 : 100_000,
            captureDate: "20261121T120000", format: isRaw ? 0x3000 : 0x3801)
        let reference = PhotoReference("r\(shots)")
        var thing = Thing(
            reference: reference, offer: Offer(identity: identity, reference: reference), nature: nature)
        if random.chance(10), nature == .healthy { thing.offer.isInMemory = true }
        things.append(thing)
    }

    func index(of reference: PhotoReference) -> Int? {
        things.firstIndex { $0.reference == reference && $0.isOnCard }
    }

    // MARK: The driver

    mutating func tell(_ happening: TransferMachine.Happening) {
        callsAtOnce = now == lastCall ? callsAtOnce + 1 : 0
        lastCall = now
        expect(callsAtOnce < 5000, "it works without a pause")
        for action in machine.handle(happening, at: now) { take(action) }
        if !failures.isEmpty, failures.count < 3 { failures.append("after \(happening)") }
    }

    private mutating func take(_ action: TransferMachine.Action) {
        switch action {
        case .survey, .surveyForOthers, .list, .describe, .fetch, .release, .delete, .keepAlive, .beginAnew:
            expect(!camera.contains(where: \.isErrand), "the camera is asked two things at a time")
            expect(isConnected, "the camera is asked without a connection")
            if case .fetch(let order) = action { check(order) }
            if case .delete(let capture, let offer) = action {
                expect(
                    rows[capture]?.state == .staged && receipts.contains(capture), "deleted before it arrived"
                )
                expect(!offer.isInMemory, "what is in memory is released, not deleted")
                expect(rows[capture]?.doubts.isEmpty == true, "a doubtful photo is deleted")
            }
            camera.append(action)
        case .discard, .distrust: camera.append(action)
        case .finish(let order):
            expect(finishing.count < TransferMachine.mostFinishing, "too many are made durable at a time")
            expect(
                !finishing.contains { $0.capture == order.capture }, "one photo is finished twice at a time")
            finishing.append(order)
        case .record, .settleMissing, .settle, .charge, .detach, .askForDeletable, .learn, .journal,
            .answerSurveyWanted:
            ledger.append(action)
        case .endConnection: isLeaving = true
        case .answerDeletionWanted, .report: break
        }
    }

    private mutating func check(_ order: FetchOrder) {
        expect(!finishing.contains { $0.capture == order.capture.id }, "fetched while it is made durable")
    }

    mutating func expect(_ isTrue: Bool, _ rule: String) {
        if !isTrue, failures.count < 10 { failures.append(rule) }
    }

    // MARK: Connections

    mutating func connect() {
        connections += 1
        isConnected = true
        isLeaving = false
        isSilent = false
        if renames {
            for index in things.indices {
                things[index].reference = PhotoReference("c\(connections)-\(index)")
                things[index].offer.reference = things[index].reference
            }
        }
        tell(.connected(tethering))
    }

    var tethering: ConnectedCamera {
        ConnectedCamera(camera: CameraID(1), connection: "connection \(connections)", canDelete: true)
    }

    /// The end of a connection: what was asked fails, what was being made durable and written is.
    mutating func disconnect(_ loss: ConnectionLife.Loss = .lost("cut")) {
        guard isConnected else { return }
        if let errand = camera.first(where: \.isErrand) {
            camera.removeAll(where: \.isErrand)
            fail(errand, .connectionOver(loss, mayBeItsDoing: true), nil)
        } else if !isLeaving {
            tell(.ended(loss))
        }
        while !finishing.isEmpty || !ledger.isEmpty || !camera.isEmpty {
            if !camera.isEmpty { doCamera() } else if !finishing.isEmpty { finishOne() } else { write() }
        }
        isConnected = false
        isLeaving = false
        tell(.disconnected)
        // What is in the camera's memory does not outlive the connection.
        for index in things.indices where things[index].offer.isInMemory { things[index].isOnCard = false }
    }
}

extension TransferMachine.Action {
    var isErrand: Bool {
        switch self {
        case .survey, .surveyForOthers, .list, .describe, .fetch, .release, .delete, .keepAlive, .beginAnew:
            true
        default: false
        }
    }
}
