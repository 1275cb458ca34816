/// What has happened in a bridge, folded into how it is. A value: the ledger's counts are put in when it is read.
public struct StatusFold: Equatable, Sendable {
    /// Without the counts that only the ledger knows.
    public private(set) var status: BridgeStatus
    /// Grows with everything that gets further.
    public private(set) var progress = 0
    /// Photos that did not arrive, until they do.
    private var notHere: [CaptureID: BridgeStatus.Missing] = [:]
    /// Objects that a camera listed and could not describe, until it does, by place and name.
    private var undescribed: [String: BridgeStatus.Missing] = [:]
    /// Deliveries that wait for the operator.
    private var undelivered: Set<JobID> = []
    private var connections: [String: ConnectionLife.State] = [:]
    private var transfers: [String: TransferState] = [:]
    private var people: [String: String] = [:]
    private var advice: [String: String] = [:]

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

    public mutating func apply(_ news: BridgeNews) {
        switch news {
        case .camera(let news): apply(news)
        case .upload(let event): apply(event)
        case .search(let news): apply(news)
        case .paused(let isPaused): status.isPaused = isPaused
        case .told, .missed: break
        }
    }

    // MARK: Cameras

    private mutating func apply(_ news: CameraNews) {
        switch news.event {
        case .connection(let state):
            connections[news.place] = state
            // What comes next may be another question.
            people[news.place] = nil
        case .personNeeded(let sentence): people[news.place] = sentence
        case .advice(let sentence): advice[news.place] = sentence
        case .state(let state): transfers[news.place] = state
        case .met(let camera): change(news.place) { $0.name = "\(camera)" }
        case .staged(let capture, _, _), .duplicate(let capture, _, _):
            progress += 1
            notHere[capture] = nil
        case .empty(let capture, _): notHere[capture] = nil
        case .lost(let capture, let path, let reason): missing(capture, path, reason, at: news.place)
        case .givenUp(let capture, let path, let reason): missing(capture, path, reason, at: news.place)
        case .described(let path): undescribed["\(news.place) \(path)"] = nil
        // Every connection begins with a list: that is nothing that gets further.
        case .reconciled, .passedOver, .began, .suspected, .deleted, .notDeleted, .held, .released, .remark:
            break
        }
        let (phase, sentence) = self.sentence(of: news.place)
        let loss = loss(at: news.place)
        change(news.place) { camera in
            camera.phase = phase
            camera.state = sentence
            camera.loss = loss
        }
    }

    private mutating func apply(_ news: SearchNews) {
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

    private mutating func forget(_ place: String) {
        status.cameras.removeAll { $0.address == place }
        (connections[place], transfers[place], people[place], advice[place]) = (nil, nil, nil, nil)
    }

    private mutating func missing(_ capture: CaptureID?, _ path: String, _ reason: String, at place: String) {
        let missing = BridgeStatus.Missing(camera: place, capture: capture, path: path, reason: reason)
        if let capture { notHere[capture] = missing } else { undescribed["\(place) \(path)"] = missing }
    }

    private mutating func change(_ place: String, _ change: (inout BridgeStatus.Camera) -> Void) {
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
        case .held(let reason): return (.held, "connected, nothing is fetched: \(reason)")
        case .idle: return (.idle, "connected")
        }
    }

    // MARK: Destinations

    private mutating func apply(_ event: UploadEvent) {
        switch event {
        case .delivered(let job, _, _):
            progress += 1
            undelivered.remove(job.id)
            // What was delivered has been written down.
            status.notes = []
        case .failed(let job, _, _, let isFinal): if isFinal { undelivered.insert(job.id) }
        case .held(let url, let cause, let reason):
            destination(url) { $0.hold = BridgeStatus.Destination.Hold(cause: cause, reason: reason) }
        case .released(let url), .begun(let url): destination(url) { $0.hold = nil }
        case .slots(let url, let slots): destination(url) { $0.slots = slots }
        case .way(let url, let way): destination(url) { $0.way = way }
        case .ledgerFailed(let reason):
            status.notes = ["the ledger cannot be written: \(reason)"]
        }
    }

    private mutating func destination(_ url: String, _ change: (inout BridgeStatus.Destination) -> Void) {
        if let index = status.destinations.firstIndex(where: { $0.url == url }) {
            change(&status.destinations[index])
        } else {
            // One that came while the bridge ran; what kind it is the ledger knows.
            var destination = BridgeStatus.Destination(url: url, kind: .direct)
            change(&destination)
            status.destinations.append(destination)
        }
    }

    // MARK: The ledger

    /// With what the ledger knows and the fold does not: counts, and cameras that were met in earlier runs.
    public func with(ledger: BridgeStatus, spool: BridgeStatus.Disk?) -> BridgeStatus {
        var whole = ledger
        whole.isRunning = status.isRunning
        whole.isPaused = status.isPaused || ledger.isPaused
        whole.notes = ledger.notes + status.notes
        whole.spool = spool
        let missing =
            notHere.sorted { $0.key < $1.key }.map(\.value)
            + undescribed.sorted { $0.key < $1.key }.map(\.value)
        whole.missing = Array(missing.prefix(BridgeStatus.mostMissing))
        for camera in status.cameras {
            if let index = whole.cameras.firstIndex(where: { $0.address == camera.address }) {
                (whole.cameras[index].state, whole.cameras[index].phase) = (camera.state, camera.phase)
                whole.cameras[index].loss = camera.loss
                whole.cameras[index].name = camera.name ?? whole.cameras[index].name
            } else {
                whole.cameras.append(camera)
            }
        }
        for destination in status.destinations {
            guard let index = whole.destinations.firstIndex(where: { $0.url == destination.url }) else {
                continue
            }
            whole.destinations[index].hold = destination.hold
            whole.destinations[index].slots = destination.slots
            whole.destinations[index].way = destination.way
        }
        return whole
    }
}
