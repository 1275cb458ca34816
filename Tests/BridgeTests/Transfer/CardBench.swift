import Bridge

/// A transfer machine that is told by hand what happens, and what it answers, in short words.
struct CardBench {
    var machine: TransferMachine
    var now = Duration.seconds(1000)
    /// What it answered last.
    private(set) var actions: [TransferMachine.Action] = []

    static let tethering = ConnectedCamera(camera: CameraID(1), connection: "first", canDelete: true)
    static let later = ConnectedCamera(camera: CameraID(1), connection: "later", canDelete: true)
    static let first = PhotoReference("r1")
    static let cut = ConnectionLife.Loss.lost("cut")

    init(_ change: (inout TransferMachine.Settings) -> Void = { _ in }) {
        var settings = TransferMachine.Settings()
        change(&settings)
        machine = TransferMachine(settings: settings)
    }

    /// The n-th photo: `r1` is `P1.JPG`.
    static func offer(_ number: Int, size: UInt64 = 100_000, inMemory: Bool = false) -> Offer {
        let identity = PhotoIdentity(
            manufacturer: "a", model: "b", body: "c", slot: 1, folders: ["100"], name: "P\(number).JPG",
            size: size,
            captureDate: "20261121T120000", format: 0x3801)
        var offer = Offer(identity: identity, reference: PhotoReference("r\(number)"))
        offer.isInMemory = inMemory
        return offer
    }

    static func sighting(_ number: Int) -> Sighting { Sighting(offer: offer(number), objection: nil) }

    static func capture(_ number: Int, _ state: CaptureState = .announced) -> Capture {
        Capture(id: CaptureID(Int64(number)), state: state)
    }

    /// What it answers, without what it shows.
    @discardableResult
    mutating func tell(_ happening: TransferMachine.Happening) -> String {
        actions = machine.handle(happening, at: now)
        return actions.compactMap(\.words).joined(separator: ", ")
    }

    /// Connected, and nothing on the card.
    mutating func idle() {
        for happening: TransferMachine.Happening in [
            .connected(Self.tethering), .surveyed(Survey()), .listed([]),
        ] {
            tell(happening)
        }
    }

    /// Connected; these are on the card, and their rows are written. Gives what comes then.
    mutating func meet(
        _ sightings: [Sighting], _ captures: [Capture], _ tethering: ConnectedCamera = CardBench.tethering
    ) -> String {
        tell(.connected(tethering))
        let offers = sightings.map(\.offer)
        tell(.surveyed(Survey(offers: offers, references: Set(offers.map(\.reference)), hasCard: true)))
        let words = tell(.recorded(sightings, captures, tethering, isLive: false))
        let surveyed = "settle missing, reconciled"
        return words.hasPrefix(surveyed + ", ") ? String(words.dropFirst(surveyed.count + 2)) : words
    }

    /// The same with usual photos of these numbers.
    @discardableResult
    mutating func meet(_ numbers: ClosedRange<Int>, _ state: CaptureState = .announced) -> String {
        meet(numbers.map { Self.sighting($0) }, numbers.map { Self.capture($0, state) })
    }

    /// The row of the n-th photo, which was told of just now, is written.
    mutating func record(_ number: Int) -> String {
        tell(.recorded([Self.sighting(number)], [Self.capture(number)], Self.tethering, isLive: true))
    }
}

extension TransferMachine.Action {
    /// Nothing for what is only shown.
    var words: String? {
        switch self {
        case .survey: "survey"
        case .surveyForOthers: "survey for others"
        case .list: "list"
        case .describe(let reference, _): "describe \(reference)"
        case .fetch(let order): "fetch \(order.capture.id)"
        case .release(let capture, _): "release \(capture)"
        case .delete(let capture, _): "delete \(capture)"
        case .keepAlive: "keep alive"
        case .finish(let order): "finish \(order.capture)"
        case .record(let sightings, _, let isLive):
            "record \(sightings.map { "\($0.offer.reference)" }.joined(separator: " "))\(isLive ? " live" : "")"
        case .settleMissing: "settle missing"
        case .settle(let capture, let state, _, _): "\(capture) is \(state)"
        case .charge(let capture, let cost): "charge \(capture) \(cost.connections)"
        case .detach(let capture): "detach \(capture)"
        case .discard(let capture): "discard \(capture)"
        case .distrust(let capture): "distrust \(capture)"
        case .askForDeletable: "ask what may be deleted"
        case .learn: "learn"
        case .journal: "journal"
        case .beginAnew: "begin anew"
        case .endConnection: "end"
        case .answerSurveyWanted(let underWay):
            "the list is told"
                + (underWay.isEmpty
                    ? "" : ", under way: \(underWay.map { "\($0)" }.sorted().joined(separator: " "))")
        case .answerDeletionWanted: "deletions are done"
        case .report(let event): event.words
        }
    }
}

extension TransferEvent {
    fileprivate var words: String? {
        switch self {
        case .connection, .advice, .personNeeded, .state, .met, .clock: nil
        case .reconciled: "reconciled"
        case .passedOver(let capture, _, _): "passed over \(capture)"
        case .began(let capture, _, _, _): "began \(capture)"
        case .staged(let capture, _, _): "arrived \(capture)"
        case .duplicate(let capture, _, let other): "\(capture) is \(other)"
        case .lost(let capture, _, _): "lost \(capture)"
        case .suspected(_, let path, _): "suspected \(path)"
        case .described(let path): "described \(path)"
        case .givenUp(_, let path, _): "given up \(path)"
        case .empty(let capture, _): "empty \(capture)"
        case .deleted(let capture, _): "deleted \(capture)"
        case .notDeleted(let capture, _, _): "not deleted \(capture)"
        case .held: "held"
        case .released: "released"
        case .remark: "remark"
        }
    }
}
