import PTP

/// What stands behind a Sony: a card that remote mode does not show, and a memory out of which photos are read one by one.
struct SonyBody: CameraBody {
    /// What the client has come to.
    enum Stage: Equatable {
        /// The greeting has so many steps behind it: 0 to 3. Left when all three are done.
        case greeting(Int)
        /// Photos are given out of the memory.
        case remote
        /// The card is shown: a session for content transfer, or "Send to Computer" after its start.
        case card
        /// "Everything afterwards returns 0x2002." Left when the client is gone.
        case crashed
    }

    /// A photo in the body's memory.
    struct Queued {
        let object: CardObject
        let readyAt: Duration
    }

    let model: SonyModel
    var card: VirtualBody
    var stage = Stage.greeting(0)
    var queue: [Queued] = []
    /// It has begun to leave: "reading consumes".
    var leaving: Queued?
    var keepsWhatIsCut = false
    var isHalfPressed = false
    /// The session was opened for content transfer.
    var transfersNow = false
    var hasExtendedInfo = false
    var greetedAt: Duration?
    /// Since when the card is asked for in content transfer.
    var transferAskedAt: Duration?
    var version = SonyVersion.two
    /// When it made the list of its card (0x923C).
    var dataTime: UInt64 = 1_790_000_000_000
    var complaints: [String] = []
    /// "SequenceNumber restarts at power-on."
    var sequence: UInt32 = 0
    var destination: SonySaveDestination
    let sendsToComputer: Bool
    let operations: OperationTable

    /// "All within 30 s", or it hangs up. Nothing where the script does not say so: a test on a busy machine may be slower.
    let greetingLimit: Duration?
    /// More than this it does not hold: the shutter is blocked.
    let mostQueued: Int

    init(
        model: SonyModel, card: VirtualCard, localSeconds: @escaping @Sendable () -> Int64,
        _ faults: inout Faults
    ) {
        self.model = model
        sendsToComputer = faults.has(.sonySendToComputer)
        greetingLimit =
            sendsToComputer ? nil : faults.first(.sonyGreetingLimit)?.duration("within")
        mostQueued = Int(faults.first(.sonyMemory)?.number("photos") ?? 64)
        let traits = model.traits(
            sendsToComputer: sendsToComputer, listsContents: faults.has(.sonyContents))
        operations = traits.operations
        destination =
            switch faults.first(.sonySaves)?.text("to") {
            case "host": .host
            case "card": .card
            default: .hostAndCard
            }
        var sonyCard = card
        for object in sonyCard.objects { Self.rename(object.handle, on: &sonyCard, faults) }
        self.card = VirtualBody(card: sonyCard, traits: traits, localSeconds: localSeconds, &faults)
    }

    /// "AdobeRGB names begin with an underscore."
    static func rename(_ handle: ObjectHandle, on card: inout VirtualCard, _ faults: Faults) {
        guard faults.has(.sonyAdobeRGB) else { return }
        card.change(handle) { object in
            if object.name.hasPrefix("DSC0") { object.name = "_DSC" + object.name.dropFirst(4) }
        }
    }

    // MARK: Coming and going

    mutating func connected(isFirst: Bool, _ faults: inout Faults) {
        card.connected(isFirst: isFirst, &faults)
        stage = .greeting(0)
        hasExtendedInfo = false
        leaving = nil
        (greetedAt, transferAskedAt) = (nil, nil)
        if !isFirst, faults.has(.sonyRenewedList) { dataTime += 1000 }
    }

    var isGreeted: Bool {
        if case .greeting = stage { false } else { true }
    }

    mutating func delivered() {
        card.delivered()
        guard leaving != nil else { return }
        leaving = nil
        // A body that keeps what was cut off lets go of it now.
        if keepsWhatIsCut, !queue.isEmpty { queue.removeFirst() }
    }

    mutating func switchedOff(_ faults: Faults) {
        card.switchedOff(faults)
        queue = []
        sequence = 0
    }

    mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { [] }

    mutating func takeComplaints() -> [String] {
        defer { complaints = [] }
        return complaints + card.takeComplaints()
    }

    mutating func pullCard() -> [EventPacket]? { card.pullCard() == nil ? nil : [] }
    mutating func insertCard() -> [EventPacket]? { card.insertCard() == nil ? nil : [] }
    var photos: [CardPhoto] { card.photos }

    // MARK: The shutter

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot {
        var shot = Shot()
        guard queue.count < mostQueued else {
            complaints.append("the shutter is blocked: \(queue.count) photos wait to be read")
            return shot
        }
        let (objects, notices) = card.press(&faults, at: now)
        guard !objects.isEmpty else { return shot }
        sequence += 1
        for handle in objects {
            Self.rename(handle, on: &card.card, faults)
            card.card.change(handle) { $0.sequence = sequence }
            guard destination.givesToHost, let object = card.card[handle] else { continue }
            let preparing = faults.first(.notReady)?.duration("for") ?? model.preparing
            queue.append(Queued(object: object, readyAt: now + preparing))
        }
        shot.objects = objects
        if stage == .card {
            shot.notices = notices.map(\.notice)
        } else if model.pushes, !faults.has(.sonySilent), !notices.isEmpty {
            shot.notices = [EventPacket(code: .sonyCaptured), EventPacket(code: .sonyPropertyChanged)]
            // "Sometimes one notification for two files."
            if destination.givesToHost {
                let handle = ObjectHandle.sonyOldestShot.rawValue
                shot.notices.append(EventPacket(code: .sonyObjectAdded, parameters: [handle]))
            }
            if faults.take(.duplicateNotices) != nil { shot.notices += shot.notices }
        }
        return shot
    }

    func waiting(_ faults: Faults, at now: Duration) -> SonyShotsWaiting {
        guard let first = queue.first else { return .none }
        let ready: UInt16 = first.readyAt <= now ? 0x8000 : 0
        let pairs = Set(queue.map(\.object.sequence)).count
        let count = faults.has(.sonyPairAsOne) ? pairs : queue.count
        return SonyShotsWaiting(rawValue: ready | UInt16(count))
    }
}
