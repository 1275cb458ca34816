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

    private let shelf: DownloadFolder
    private let isEverythingWanted: Bool
    /// What the operator named and no connection has shown as a photo yet.
    private(set) var unresolved: Set<PhotoReference>
    private let onPresent: @Sendable (String, UInt64) -> Void
    private var rows: [CaptureID: Row] = [:]
    private var byKey: [String: CaptureID] = [:]
    /// Photos without a final size, by what they are called in the connection that their rows name.
    private var unsized: [PhotoReference: CaptureID] = [:]
    private var met: KnownBody?

    init(
        _ shelf: DownloadFolder, wanted: Set<PhotoReference>?, known: KnownBody?,
        onPresent: @escaping @Sendable (String, UInt64) -> Void
    ) {
        self.shelf = shelf
        isEverythingWanted = wanted == nil
        unresolved = wanted ?? []
        self.known = known
        self.onPresent = onPresent
    }

    /// From runs of a bridge: how this body differs from others.
    private let known: KnownBody?

    // MARK: Bodies

    func meet(_ camera: CameraIdentity, at address: String) -> CameraID { CameraID(1) }
    func learn(_ body: KnownBody) { met = body }
    /// The camera that answers first is the one that is meant; from then on it is only that one.
    func body(_ camera: CameraIdentity) -> KnownBody? {
        guard let met else { return KnownBody(identity: camera, driver: "") }
        return met.identity == camera ? met : nil
    }

    /// What answers after a cut has to be what was there before. Before the first connection, what runs of a bridge have
    /// learned of the body that was here last.
    func bodies(at address: String) -> [KnownBody] { (met ?? known).map { [$0] } ?? [] }

    func bodies(like body: KnownBody, at address: String) -> [KnownBody] {
        guard let met, met.identity == body.identity || (met.serial != nil && met.serial == body.serial),
            !met.contradicts(body.identity, serial: body.serial)
        else { return [] }
        return [met]
    }

    // MARK: Photos

    func record(
        _ sightings: [Sighting], of camera: CameraID, in event: BridgeEvent, connection: String
    ) async throws -> [Capture] {
        var captures: [Capture] = []
        for sighting in sightings { captures.append(try await record(sighting, connection)) }
        return captures
    }

    private func record(_ sighting: Sighting, _ connection: String) async throws -> Capture {
        let offer = sighting.offer
        let key = key(of: offer, connection)
        // Whichever connection shows it: the operator read the names in another one anyway.
        let isNamed = unresolved.contains(offer.reference)
        if let id = byKey[key] ?? unsizedBefore(offer, connection), var row = rows[id] {
            byKey[key] = id
            (row.offer, row.connection) = (offer, connection)
            let isOver = row.capture.state == .lost || row.capture.state == .abandoned
            if isOver, !sighting.isLeftAlone { row.capture.state = .receiving }
            // Another connection has called it something else.
            if isNamed, row.capture.state == .filtered { row.capture.state = try await place(id, offer) }
            unresolved.remove(offer.reference)
            keep(row)
            return row.capture
        }
        let id = CaptureID(Int64(rows.count + 1))
        byKey[key] = id
        var capture = Capture(id: id, state: .filtered, isNew: true)
        if isEverythingWanted || isNamed { capture.state = try await place(id, offer) }
        unresolved.remove(offer.reference)
        keep(Row(capture: capture, offer: offer, connection: connection))
        return capture
    }

    private func place(_ id: CaptureID, _ offer: Offer) async throws -> CaptureState {
        guard let file = try await shelf.place(id, offer) else { return .announced }
        onPresent(file.path, file.size)
        return .staged
    }

    private func keep(_ row: Row) {
        rows[row.capture.id] = row
        unsized[row.offer.reference] = row.offer.hasFinalSize || row.offer.isInMemory ? nil : row.capture.id
    }

    /// What is in memory is good for one connection. Two photos without a size that look alike in one connection are two.
    private func key(of offer: Offer, _ connection: String) -> String {
        if offer.isInMemory { return "\(connection) \(offer.reference)" }
        if let key = offer.key { return key }
        let looks = offer.identity.key
        guard let row = byKey[looks].flatMap({ rows[$0] }), row.connection == connection,
            row.offer.reference != offer.reference
        else { return looks }
        return "\(looks)\u{1F}\(offer.reference)"
    }

    /// The photo that had no size when it was met in this connection: it has one by now.
    private func unsizedBefore(_ offer: Offer, _ connection: String) -> CaptureID? {
        guard !offer.isInMemory, let id = unsized[offer.reference], let row = rows[id],
            row.connection == connection, row.offer.identity.path == offer.identity.path
        else { return nil }
        return id
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

    /// Its size was wrong or missing: in the next connection it is met with the right one.
    func identify(_ capture: CaptureID, as offer: Offer) {
        guard var row = rows[capture] else { return }
        row.offer = offer
        keep(row)
        let key = key(of: offer, row.connection)
        if byKey[key] == nil { byKey[key] = capture }
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
    func distrust(_ capture: CaptureID) {}
    func detach(_ capture: CaptureID) {}
    func charge(_ capture: CaptureID, _ cost: FailedFetchCost) {}
    func note(_ capture: CaptureID, verified: UInt64, boot: String) {}
    func deletable(of camera: CameraID, in event: BridgeEvent) -> [CaptureID] { [] }
    func deleted(_ capture: CaptureID) {}
    func meet(_ camera: CameraID, in event: BridgeEvent, _ contact: ClockContact) -> TakingRule {
        .everything
    }
    func journal(_ entry: JournalEntry) {}
    func hasPhotos(of camera: CameraIdentity) -> Bool { false }
    func digests(ofPhotosLike offer: Offer, of camera: CameraIdentity) -> Set<String> { [] }
    func adopt(_ offers: [Offer], by camera: CameraID, _ adoption: Adoption) {}
    func note(pending adoption: Adoption?, by camera: CameraIdentity) {}
    func pendingAdoption(by camera: CameraIdentity) -> Adoption? { nil }
}
