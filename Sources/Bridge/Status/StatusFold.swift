public import Basics

/// What has happened in a bridge, folded into how it is. A value: the ledger's counts are put in when it is read, and
/// every moment is an argument.
public struct StatusFold: Equatable, Sendable {
    /// Without the counts that only the ledger knows.
    public internal(set) var status: BridgeStatus
    /// Grows with everything that gets further.
    public internal(set) var progress = 0
    /// Photos that did not arrive, until they do.
    var notHere: [CaptureID: BridgeStatus.Missing] = [:]
    /// Objects that a camera listed and could not describe, until it does, by place and name.
    var undescribed: [String: BridgeStatus.Missing] = [:]
    /// Deliveries that wait for the operator.
    var undelivered: Set<JobID> = []
    var connections: [String: ConnectionLife.State] = [:]
    var transfers: [String: TransferState] = [:]
    /// Since when a camera is away, and why, until it is there again: each try to connect is the same absence.
    var absences: [String: Absence] = [:]
    var people: [String: String] = [:]
    var advice: [String: String] = [:]
    /// Why the disk took none of a camera's photos, until one is fetched again: the end of a connection is no room.
    var diskHolds: [String: String] = [:]

    var paces: [String: DeliveryPace] = [:]
    var times: [String: ConfirmationTimes] = [:]
    var totals: [String: ConfirmedTotals] = [:]

    struct Absence: Equatable, Sendable {
        var loss: String
        var since: Timestamp
    }

    public init(event: BridgeEvent, cameras: [String], destinations: [BridgeStatus.Destination]) {
        status = BridgeStatus()
        status.isRunning = true
        status.event = BridgeStatus.Event(id: event.id, name: event.name)
        status.cameras = cameras.map { BridgeStatus.Camera(address: $0) }
        status.destinations = destinations
    }

    /// Photos that are not here, and deliveries that wait for the operator.
    public var troubles: Int { notHere.count + undescribed.count + undelivered.count }
    /// What could not be described, by its place: `192.168.1.1:15740 object 0x00010007`.
    public var notDescribed: Set<String> { Set(undescribed.keys) }

    public mutating func apply(_ news: BridgeNews, at now: Timestamp) {
        noteFailure(news, at: now)
        switch news {
        case .camera(let news): apply(news, at: now)
        case .upload(let event): apply(event, at: now)
        case .search(let news): apply(news)
        case .paused(let isPaused): status.isPaused = isPaused
        case .told, .missed: break
        }
    }

    // MARK: Cameras

    mutating func apply(_ news: CameraNews, at now: Timestamp) {
        note(news.event, at: news.place, now)
        switch news.event {
        case .connection(let state):
            connections[news.place] = state
            noteAbsence(state, at: news.place, now)
            // What comes next may be another question.
            people[news.place] = nil
        case .personNeeded(let sentence): people[news.place] = sentence
        case .advice(let sentence): advice[news.place] = sentence
        case .state(let state):
            transfers[news.place] = state
            noteDisk(state, at: news.place)
        case .met(let camera): change(news.place) { $0.name = "\(camera)" }
        case .clock(let ahead): change(news.place) { $0.clockAhead = ahead.map { .seconds($0) } }
        case .staged(let capture, _, _), .duplicate(let capture, _, _):
            progress += 1
            notHere[capture] = nil
            change(news.place) { $0.lastPhoto = now }
        case .empty(let capture, _): notHere[capture] = nil
        case .lost(let capture, let path, let reason): missing(capture, path, reason, at: news.place)
        case .givenUp(let capture, let path, let reason): missing(capture, path, reason, at: news.place)
        case .described(let path): undescribed["\(news.place) \(path)"] = nil
        // Every connection begins with a list: that is nothing that gets further.
        case .reconciled, .passedOver, .began, .suspected, .deleted, .notDeleted, .held, .released, .remark:
            break
        }
        change(news.place) { camera in
            if camera.lastError?.isEnded(by: news.event) == true { camera.lastError?.needsNothing() }
        }
        let (phase, sentence) = self.sentence(of: news.place)
        let loss = loss(at: news.place)
        let away = awaySince(at: news.place)
        change(news.place) { camera in
            if let away {
                camera.since = away
            } else if camera.phase != phase {
                camera.since = phase.map { _ in now }
            }
            camera.phase = phase
            camera.state = sentence
            camera.loss = loss
        }
    }

    private mutating func noteAbsence(_ state: ConnectionLife.State, at place: String, _ now: Timestamp) {
        switch state {
        case .waiting(_, let loss):
            if absences[place]?.loss != loss.word { absences[place] = Absence(loss: loss.word, since: now) }
        case .ready, .idle, .ended: absences[place] = nil
        case .connecting, .waitingForOK, .confirmingCode: break
        }
    }

    /// Nothing while it is there, and while it asks something.
    private func awaySince(at place: String) -> Timestamp? {
        switch connections[place] {
        case .waiting, .connecting: absences[place]?.since
        case .waitingForOK, .confirmingCode, .ready, .idle, .ended, nil: nil
        }
    }

    private mutating func noteDisk(_ state: TransferState, at place: String) {
        switch state {
        case .held(let reason, _): diskHolds[place] = reason
        case .fetching, .suspect:
            // It takes photos again: also those of a camera that has gone meanwhile. One that is here says so itself.
            for other in Array(diskHolds.keys) where other == place || !isHeld(other) {
                diskHolds[other] = nil
                change(other) { if $0.lastError?.kind == .disk { $0.lastError?.needsNothing() } }
            }
        case .idle: diskHolds[place] = nil
        case .away, .listing, .busy: break
        }
    }

    private func isHeld(_ place: String) -> Bool {
        if case .held = transfers[place] { true } else { false }
    }

    /// What has gone wrong with it, for those who ask later.
    private mutating func note(_ event: TransferEvent, at place: String, _ now: Timestamp) {
        let trouble: BridgeStatus.Trouble
        switch event {
        case .connection(.waiting(_, let loss)):
            trouble = BridgeStatus.Trouble(
                at: now, kind: .connection, reason: loss.reason, advice: loss.advice,
                needsOperator: !loss.passesByItself)
        case .held(let reason, let meaning), .state(.held(let reason, let meaning)):
            trouble = BridgeStatus.Trouble(
                at: now, kind: .disk, reason: reason, advice: BridgeStatus.advice(for: meaning))
        case .lost(_, let path, let reason):
            trouble = BridgeStatus.Trouble(
                at: now, photo: path, kind: .photo, reason: reason, advice: BridgeStatus.lostAdvice)
        case .givenUp(_, let path, let reason):
            trouble = BridgeStatus.Trouble(
                at: now, photo: path, kind: .photo, reason: reason, advice: BridgeStatus.givenUpAdvice,
                needsOperator: false)
        case .connection, .advice, .personNeeded, .state, .met, .reconciled, .passedOver, .began, .staged,
            .duplicate, .suspected, .described, .empty, .deleted, .notDeleted, .released, .remark, .clock:
            return
        }
        change(place) { $0.lastError = trouble.unlessRepeated($0.lastError) }
    }

    mutating func apply(_ news: SearchNews) {
        switch news {
        case .tethers(let place):
            forget(place)
            status.cameras.append(BridgeStatus.Camera(address: place))
        case .leaves(let place), .notNew(let place): forget(place)
        case .new(let place, let name, let advice):
            forget(place)
            status.cameras.append(
                BridgeStatus.Camera(address: place, name: name, state: advice, phase: .new))
        }
    }

    mutating func forget(_ place: String) {
        status.cameras.removeAll { $0.address == place }
        (connections[place], transfers[place], people[place], advice[place]) = (nil, nil, nil, nil)
        (absences[place], diskHolds[place]) = (nil, nil)
    }

    mutating func missing(_ capture: CaptureID?, _ path: String, _ reason: String, at place: String) {
        let missing = BridgeStatus.Missing(camera: place, capture: capture, path: path, reason: reason)
        if let capture { notHere[capture] = missing } else { undescribed["\(place) \(path)"] = missing }
    }

    mutating func change(_ place: String, _ change: (inout BridgeStatus.Camera) -> Void) {
        if let index = status.cameras.firstIndex(where: { $0.address == place }) {
            change(&status.cameras[index])
        }
    }

    private func loss(at place: String) -> String? {
        guard case .waiting(_, let loss) = connections[place] else { return nil }
        return loss.word
    }

    private func sentence(of place: String) -> (BridgeStatus.CameraPhase?, String?) {
        switch connections[place] {
        case nil, .idle: return (nil, nil)
        case .connecting: return (.connecting, advice[place].map { "connecting. \($0)" } ?? "connecting")
        case .waitingForOK:
            return (.waitingForOK, people[place] ?? "look at the camera's screen and press OK if it asks")
        case .confirmingCode:
            return (
                .confirmingCode,
                people[place] ?? "compare the code that the camera shows, and press OK on it"
            )
        case .waiting(_, .asleep(let reason)): return (.asleep, "no connection: \(reason)")
        case .waiting(_, let loss): return (.lost, "no connection: \(loss.reason)")
        case .ended: return (.ended, "ended")
        case .ready: break
        }
        switch transfers[place] ?? .listing {
        case .away, .listing: return (.listing, "connected, its photos are being listed")
        case .fetching(let path): return (.fetching, "connected, fetching \(path)")
        case .suspect(let path):
            return (.suspect, "connected, trying \(path) once more: connections have ended over it")
        case .busy: return (.busy, "connected, it says that it is busy")
        case .held(let reason, _): return (.held, "connected, nothing is fetched: \(reason)")
        case .idle: return (.idle, "connected")
        }
    }
}
