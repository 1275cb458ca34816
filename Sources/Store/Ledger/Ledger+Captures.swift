package import Bridge
import Database

extension Ledger: TransferLedger {
    package func meet(_ camera: CameraIdentity, at address: String) throws -> CameraID {
        try database.run(
            """
            INSERT INTO cameras (key, manufacturer, model, body, address, first_seen, last_seen)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET address = excluded.address, last_seen = excluded.last_seen
            """, camera.key, camera.manufacturer, camera.model, camera.body, address, wall.wallNow,
            wall.wallNow)
        let id = try database.first("SELECT id FROM cameras WHERE key = ?", camera.key) { row in
            try row.get(0, as: CameraID.self)
        }
        guard let id else { preconditionFailure("a row that was just written is there") }
        return id
    }

    package func record(
        _ sightings: [Sighting], of camera: CameraID, in event: BridgeEvent, connection: String
    ) throws -> [Capture] {
        try database.transaction {
            try sightings.map { try record($0, camera, event, connection) }
        }
    }

    private func record(
        _ sighting: Sighting, _ camera: CameraID, _ event: BridgeEvent, _ connection: String
    ) throws -> Capture {
        var sighting = sighting
        try passOverDeleted(&sighting.offer, event)
        if var known = try find(sighting.offer, camera, event, connection) {
            try renew(&known, sighting, connection)
            return known
        }
        return try insert(sighting, camera, event, connection)
    }

    /// What we have deleted from a card is not what lies there: something that looks the same is its twin.
    private func passOverDeleted(_ offer: inout Offer, _ event: BridgeEvent) throws {
        while let key = offer.key, offer.twin < Self.mostTwins {
            let isDeleted = try database.first(
                "SELECT deleted_at IS NOT NULL FROM captures WHERE event_id = ? AND identity = ?", event.id,
                key
            ) { row in try row.get(0, as: Bool.self) }
            guard isDeleted == true else { return }
            offer.twin += 1
        }
    }

    /// Photos that look the same; a camera with more of them has no clock and no counter.
    private static let mostTwins = 1000

    private static let columns = "id, state, file, verified, boot, identity"

    private struct Found {
        var capture: Capture
        let hasIdentity: Bool
    }

    private static func found(_ row: Row) throws -> Found {
        Found(
            capture: Capture(
                id: try row.get(0), state: try row.word(1), file: try row.get(2), verified: try row.get(3),
                boot: try row.get(4)),
            hasIdentity: try row.get(5, as: String?.self) != nil)
    }

    /// The row of the same photo: by identity; else by its handle and name in this connection (what comes
    /// from memory under a handle whose photo is here already is the next photo); else, when size and date have
    /// only now become final, the row of an earlier connection that still waits for them.
    private func find(
        _ offer: Offer, _ camera: CameraID, _ event: BridgeEvent, _ connection: String
    ) throws -> Capture? {
        let identity = offer.identity
        if let key = offer.key,
            let found = try database.first(
                "SELECT \(Self.columns) FROM captures WHERE event_id = ? AND identity = ?", event.id, key,
                as: Self.found)
        {
            try forgetProvisional(offer, connection, known: found.capture.id)
            return found.capture
        }
        if let found = try database.first(
            """
            SELECT \(Self.columns) FROM captures WHERE connection = ? AND handle = ? AND event_id = ?
                AND camera_id = ? AND name = ? AND folder = ? AND slot = ? AND in_memory = ?
                AND (in_memory = 0 OR state NOT IN ('staged', 'duplicate'))
            """, connection, Int64(offer.handle), event.id, camera, identity.name,
            identity.folders.joined(separator: "/"), Int64(identity.slot), offer.isInMemory, as: Self.found),
            !found.hasIdentity
        {
            return found.capture
        }
        guard !offer.isInMemory else { return nil }
        return try database.first(
            """
            SELECT \(Self.columns) FROM captures
            WHERE event_id = ? AND camera_id = ? AND folder = ? AND stem = ? AND capture_date = ? AND name = ?
                AND slot = ? AND format = ? AND identity IS NULL AND in_memory = 0 AND connection IS NOT ?
            """, event.id, camera, identity.folders.joined(separator: "/"), identity.stem,
            identity.captureDate,
            identity.name, Int64(identity.slot), Int64(identity.format), connection, as: Self.found
        )?.capture
    }

    /// The row that was made for a photo while it had no size yet, when it turns out to be one that is known.
    private func forgetProvisional(_ offer: Offer, _ connection: String, known: CaptureID) throws {
        let provisional = try database.first(
            """
            SELECT id FROM captures WHERE connection = ? AND handle = ? AND identity IS NULL AND in_memory = 0
                AND state IN ('announced', 'receiving', 'filtered') AND file IS NULL AND id <> ?
            """, connection, Int64(offer.handle), known
        ) { row in try row.get(0, as: CaptureID.self) }
        guard let provisional else { return }
        try database.run("UPDATE captures SET pair_id = NULL WHERE pair_id = ?", provisional)
        try database.run("DELETE FROM captures WHERE id = ?", provisional)
    }

    /// A row that is met again: what the camera says now, and what the rules say now.
    private func renew(_ capture: inout Capture, _ sighting: Sighting, _ connection: String) throws {
        let offer = sighting.offer
        switch (capture.state, sighting.objection) {
        case (.staged, _), (.duplicate, _), (.filtered, .some): return
        case (.filtered, nil): capture.state = .announced
        // The photographer has it back on the card, or it is worth another try.
        case (.lost, _), (.abandoned, _): capture.state = capture.verified > 0 ? .receiving : .announced
        case (.announced, _), (.receiving, _): break
        }
        // A handle that the camera has given to another photo meanwhile.
        try database.run(
            "UPDATE captures SET connection = NULL WHERE connection = ? AND handle = ? AND id <> ?",
            connection,
            Int64(offer.handle), capture.id)
        try database.run(
            """
            UPDATE captures SET connection = ?, handle = ?, state = ?, reason = NULL, size = ?, capture_date = ?,
                taken_at = ?, identity = coalesce(identity, ?), seq = coalesce(seq, ?)
            WHERE id = ?
            """, connection, Int64(offer.handle), capture.state.rawValue, offer.identity.size,
            offer.identity.captureDate, offer.identity.takenAt, offer.key,
            try sequence(of: capture.id), capture.id)
    }

    private func insert(
        _ sighting: Sighting, _ camera: CameraID, _ event: BridgeEvent, _ connection: String
    ) throws -> Capture {
        let offer = sighting.offer
        let identity = offer.identity
        let state: CaptureState = sighting.objection == nil ? .announced : .filtered
        try database.run(
            "UPDATE captures SET connection = NULL WHERE connection = ? AND handle = ?", connection,
            Int64(offer.handle))
        try database.run(
            """
            INSERT INTO captures (event_id, camera_id, identity, connection, handle, in_memory, slot, folder, name,
                stem, kind, format, size, capture_date, taken_at, seq, state, reason, announced_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, event.id, camera, offer.key, connection, Int64(offer.handle), offer.isInMemory,
            Int64(identity.slot), identity.folders.joined(separator: "/"), identity.name, identity.stem,
            identity.kind.rawValue, Int64(identity.format), identity.size, identity.captureDate,
            identity.takenAt, state == .filtered ? nil : try nextSequence(of: event.id), state.rawValue,
            sighting.objection?.rawValue, wall.wallNow)
        let id = CaptureID(database.lastInsertedID)
        try tiePair(id, offer, camera, event)
        return Capture(id: id, state: state, isNew: true)
    }

    /// A RAW and its JPEG have everything in common but the extension.
    private func tiePair(_ id: CaptureID, _ offer: Offer, _ camera: CameraID, _ event: BridgeEvent) throws {
        guard offer.identity.kind != .other, !offer.isInMemory else { return }
        let other = try database.first(
            """
            SELECT id FROM captures WHERE event_id = ? AND camera_id = ? AND folder = ? AND stem = ?
                AND capture_date = ? AND kind IN ('picture', 'raw') AND kind <> ? AND pair_id IS NULL AND id <> ?
            """, event.id, camera, offer.identity.folders.joined(separator: "/"), offer.identity.stem,
            offer.identity.captureDate, offer.identity.kind.rawValue, id
        ) { row in try row.get(0, as: CaptureID.self) }
        guard let other else { return }
        try database.run("UPDATE captures SET pair_id = ? WHERE id = ?", other, id)
        try database.run("UPDATE captures SET pair_id = ? WHERE id = ?", id, other)
    }

    func nextSequence(of event: String) throws -> Int64? {
        try database.first(
            "UPDATE events SET next_seq = next_seq + 1 WHERE id = ? RETURNING next_seq - 1", event
        ) {
            row in try row.get(0, as: Int64.self)
        }
    }

    private func sequence(of capture: CaptureID) throws -> Int64? {
        let row = try database.first("SELECT seq, event_id FROM captures WHERE id = ?", capture) { row in
            (try row.get(0, as: Int64?.self), try row.get(1, as: String.self))
        }
        guard let (known, event) = row else { return nil }
        return try known ?? nextSequence(of: event)
    }
}
