import Bridge

/// A camera, a ledger and a disk that do at once what a transfer machine says, and a list of what happened.
struct CardScene {
    /// What comes of asking for a photo.
    enum Conduct {
        case good
        /// The connection ends after so many bytes of it, each time so many further, and so many times.
        case endsConnection(at: UInt64, further: UInt64 = 0, times: Int = .max)
        /// The same when the camera is asked what it is.
        case endsConnectionUndescribed
        /// No answer for 20 seconds, and none to the next question either.
        case silent
        /// Each try comes to the next of these; the last goes on for ever.
        case ends([FetchEnd])
        /// The file is made durable with the next of these; the last goes on for ever.
        case finishes([FinishEnd])
    }

    struct Photo {
        var offer: Offer
        var conduct: Conduct
        var isOnCard = true
        var tries = 0
        var finishes = 0

        var name: String { String(offer.identity.name.prefix { $0 != "." }) }
    }

    var bench: CardBench
    var photos: [Photo] = []
    /// What went over the wire and what was reported, in order.
    var log: [String] = []
    var connections = 0
    var orders: [FetchOrder] = []
    var finishOrders: [FinishOrder] = []
    var costs: [CaptureID: FailedFetchCost] = [:]
    var reasons: [String: String] = [:]
    /// Photos that appear when the camera has been asked for something so many times.
    var shotLater: [(afterErrands: Int, number: Int)] = []
    var rows: [String: (id: CaptureID, state: CaptureState)] = [:]
    /// Each connection has other names for everything.
    var renames = false
    /// How long each description in a survey takes.
    var describing = Duration.zero
    /// How long the first fetches take; the others two seconds.
    var pace: [Duration] = []
    /// All deliveries have their receipts.
    var isDelivered = false
    private var errands = 0
    var isDeaf = false
    private var queue: [TransferMachine.Action] = []
    var loss: ConnectionLife.Loss?

    init(_ conducts: [Conduct], _ change: (inout TransferMachine.Settings) -> Void = { _ in }) {
        bench = CardBench(change)
        for (number, conduct) in zip(1..., conducts) { add(number, conduct) }
    }

    var machine: TransferMachine { bench.machine }

    mutating func add(_ number: Int, _ conduct: Conduct = .good, offer: Offer? = nil) {
        photos.append(Photo(offer: offer ?? CardBench.offer(number), conduct: conduct))
    }

    /// What was reported and asked since it was looked at last, of these kinds.
    mutating func takeLog(_ kinds: [String] = ["fetch", "arrived", "given up", "suspected"]) -> [String] {
        defer { log = [] }
        return log.filter { entry in kinds.contains { entry.hasPrefix($0) } }
    }

    // MARK: Time

    /// Connects again and again until there is nothing to do, at most so many times.
    mutating func runUntilIdle(connections most: Int = 30) {
        for _ in 0..<most {
            if machine.phase == .away { connect() }
            work()
            if machine.idleSince != nil { return }
            if machine.phase == .away { bench.now += .seconds(1) }
        }
        log.append("it does not come to an end")
    }

    mutating func connect() {
        connections += 1
        isDeaf = false
        if renames {
            for index in photos.indices {
                photos[index].offer.reference = PhotoReference("c\(connections)-\(index)")
            }
        }
        log.append("connected")
        tell(.connected(tethering))
    }

    mutating func disconnect() {
        queue.removeAll { $0.isErrand }
        drain()
        tell(.disconnected)
    }

    /// Until nothing can be done before something happens.
    mutating func work() {
        for _ in 0..<10_000 {
            drain()
            if loss != nil {
                loss = nil
                return disconnect()
            }
            guard machine.phase == .working, machine.idleSince == nil, let next = machine.nextDeadline else {
                return
            }
            bench.now = max(bench.now, next)
            tell(.timePassed)
        }
        log.append("it does not come to rest")
    }

    mutating func pass(_ time: Duration) {
        let end = bench.now + time
        for _ in 0..<10_000 {
            guard machine.phase == .working, let next = machine.nextDeadline, next <= end else { break }
            bench.now = max(bench.now, next)
            tell(.timePassed)
            drain()
            if loss != nil { return work() }
        }
        bench.now = end
    }

    mutating func tell(_ happening: TransferMachine.Happening) {
        bench.tell(happening)
        queue += bench.actions
    }

    var tethering: ConnectedCamera {
        ConnectedCamera(camera: CameraID(1), connection: "connection \(connections)", canDelete: true)
    }

    // MARK: The driver

    private mutating func drain() {
        var steps = 0
        while !queue.isEmpty {
            steps += 1
            // A machine that never rests fails its test, and does not hang it.
            if steps > 10_000 {
                log.append("it works without a pause")
                return queue.removeAll()
            }
            let action = queue.removeFirst()
            note(action)
            if action.isErrand {
                errands += 1
                for shot in shotLater where shot.afterErrands == errands { add(shot.number) }
            }
            carryOut(action)
        }
    }

    private mutating func note(_ action: TransferMachine.Action) {
        switch action {
        case .fetch(let order): log.append("fetch \(order.offer.identity.stem)")
        case .describe(let reference, _): log.append("describe \(reference)")
        case .report(.staged(_, let path, _)): log.append("arrived \(stem(path))")
        case .report(.suspected(_, let path, let reason)):
            reasons[stem(path)] = reason
            log.append("suspected \(stem(path))")
        case .report(.givenUp(_, let path, let reason)):
            reasons[stem(path)] = reason
            log.append("given up \(stem(path))")
        default: action.words.map { log.append($0) }
        }
    }

    private func stem(_ path: String) -> String {
        path.hasPrefix("100/") ? String(path.dropFirst(4).prefix { $0 != "." }) : path
    }
}
