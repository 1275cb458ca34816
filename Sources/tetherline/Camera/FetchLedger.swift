import Bridge
import Transfer

/// What `camera get` remembers of photos while it runs: nothing of it outlives the command, which finds what is there by
/// the files themselves.
actor FetchLedger: TransferLedger {
    private struct Row {
        var capture: Capture
        var offer: Offer
        var connection: String
    }

    private let shelf: FolderShelf
    /// What the operator named, by the references of the first connection; nothing for everything.
    private let wanted: Set<PhotoReference>?
    private let onPresent: @Sendable (String, UInt64) -> Void
    private var rows: [CaptureID: Row] = [:]
    private var byKey: [String: CaptureID] = [:]
    /// What was named, by what is good for all connections.
    private var wantedKeys: Set<String> = []
    private var firstConnection: String?
    private var met: KnownBody?

    init(
        _ shelf: FolderShelf, wanted: Set<PhotoReference>?, known: KnownBody?,
        onPresent: @escaping @Sendable (String, UInt64) -> Void
    ) {
        self.shelf = shelf
        self.wanted = wanted
        self.known = known
        self.onPresent = onPresent
    }

    /// From runs of a bridge: how this body differs from others.
    private let known: KnownBody?

    // MARK: Bodies

    func meet(_ camera: CameraIdentity, at address: String) -> CameraID { CameraID(1) }
    func learn(_ body: KnownBody) { met = body }
    func body(_ camera: CameraIdentity) -> KnownBody? { met.flatMap { $0.identity == camera ? $0 : nil } }

    /// What answers after a cut has to be what was there before; before the first connection nothing is expected.
    func bodies(at address: String) -> [KnownBody] { met.map { [$0] } ?? [] }

    // MARK: Photos

    func record(
        _ sightings: [Sighting], of camera: CameraID, in event: BridgeEvent, connection: String
    ) async throws -> [Capture] {
        firstConnection = firstConnection ?? connection
        var captures: [Capture] = []
        for sighting in sightings { captures.append(try await record(sighting, connection)) }
        return captures
    }

    private func record(_ sighting: Sighting, _ connection: String) async throws -> Capture {
        let offer = sighting.offer
        let key = key(of: offer, connection)
        if let id = byKey[key], var row = rows[id] {
            (row.offer, row.connection) = (offer, connection)
            let isOver = row.capture.state == .lost || row.capture.state == .abandoned
            if isOver, !sighting.isLeftAlone { row.capture.state = .receiving }
            rows[id] = row
            return row.capture
        }
        let id = CaptureID(Int64(rows.count + 1))
        byKey[key] = id
        var capture = Capture(id: id, state: .announced, isNew: true)
        if !isWanted(offer, key, connection) {
            capture.state = .filtered
        } else if let path = try await shelf.place(id, offer) {
            capture.state = .staged
            onPresent(path, offer.identity.size)
        }
        rows[id] = Row(capture: capture, offer: offer, connection: connection)
        return capture
    }

    /// What is in memory is good for one connection, and so is what has no size yet.
    private func key(of offer: Offer, _ connection: String) -> String {
        if offer.isInMemory { return "\(connection) \(offer.reference)" }
        return offer.key ?? offer.identity.key
    }

    private func isWanted(_ offer: Offer, _ key: String, _ connection: String) -> Bool {
        guard let wanted else { return true }
        if connection == firstConnection, wanted.contains(offer.reference) { wantedKeys.insert(key) }
        return wantedKeys.contains(key)
    }

    private func change(_ capture: CaptureID, _ change: (inout Row) -> Void) {
        if var row = rows[capture] {
            change(&row)
            rows[capture] = row
        }
    }

    func beginReceiving(_ capture: CaptureID, kept: UInt64, boot: String) throws {
        guard let state = rows[capture]?.capture.state, state == .announced || state == .receiving else {
            throw CaptureMismatch(capture: capture)
        }
        change(capture) { $0.capture.state = .receiving }
    }

    func stage(_ capture: CaptureID, _ photo: StagedPhoto, skipsDuplicates: Bool) -> Staging {
        change(capture) { $0.capture.state = .staged }
        return .staged(jobs: 0)
    }

    func settle(_ capture: CaptureID, as state: CaptureState, because reason: String) {
        change(capture) { $0.capture.state = state }
    }

    func missing(
        of camera: CameraID, in event: BridgeEvent, notSeenBy connection: String
    ) -> [MissingCapture] {
        rows.values.filter { row in
            row.connection != connection && [.announced, .receiving].contains(row.capture.state)
        }.map {
            MissingCapture(id: $0.capture.id, path: $0.offer.identity.path, isInMemory: $0.offer.isInMemory)
        }
    }

    // MARK: What a command has no use for

    func name(_ capture: CaptureID, stableID: String) {}
    func identify(_ capture: CaptureID, as offer: Offer) {}
    func distrust(_ capture: CaptureID) {}
    func detach(_ capture: CaptureID) {}
    func charge(_ capture: CaptureID, _ cost: PhotoCost) {}
    func note(_ capture: CaptureID, verified: UInt64, boot: String) {}
    func deletable(of camera: CameraID, in event: BridgeEvent) -> [CaptureID] { [] }
    func deleted(_ capture: CaptureID) {}
    func lastSeen(of camera: CameraID) -> Int64? { nil }
    func journal(_ entry: JournalEntry) {}
}
