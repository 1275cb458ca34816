import Basics
package import Bridge
import Database

extension Ledger: TransferLedger {
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
        try passOverOthers(&sighting.offer, event)
        if var known = try find(sighting.offer, camera, event, connection) {
            try note(sighting.wireID, shows: known)
            let isKnownToBeEmpty =
                known.reason == FilterRule.empty.rawValue && sighting.offer.identity.size == 0
            if sighting.isLeftAlone, known.capture.state == .abandoned {
                try meetAgain(known.capture.id, sighting.offer, connection)
            } else if try known.capture.state != .filtered
                || (!isKnownToBeEmpty && !staysOut(known.capture.id, known.reason))
            {
                try renew(&known.capture, sighting, connection)
            }
            return known.capture
        }
        return try insert(sighting, camera, event, connection)
    }

    /// What looks the same and is another photo makes this one its twin: what we have deleted from the card is not what
    /// lies there, and two names that a camera gives for ever are two photos.
    private func passOverOthers(_ offer: inout Offer, _ event: BridgeEvent) throws {
        while let key = offer.key, offer.twin < Self.mostTwins {
            let isOther = try database.first(
                "SELECT deleted_at IS NOT NULL, stable_id FROM captures WHERE event_id = ? AND identity = ?",
                event.id, key
            ) { row in
                let stableID = try row.get(1, as: String?.self)
                return try row.get(0, as: Bool.self)
                    || (offer.stableID != nil && stableID != nil && stableID != offer.stableID)
            }
            guard isOther == true else { return }
            offer.twin += 1
        }
    }

    /// Photos that look the same; a camera with more of them has no clock and no counter.
    private static let mostTwins = 1000

    private static let columns = """
        id, state, file, verified, boot, identity, cost_connections, cost_bytes, cost_ms, reason, wire_id
        """

    private struct Found {
        var capture: Capture
        let hasIdentity: Bool
        let reason: String?
        let wireID: String?
    }

    /// Which body has shown it first, since that is noted.
    private func note(_ wireID: String?, shows known: Found) throws {
        guard let wireID, known.wireID == nil else { return }
        try database.run("UPDATE captures SET wire_id = ? WHERE id = ?", wireID, known.capture.id)
    }

    private static func found(_ row: Row) throws -> Found {
        Found(
            capture: Capture(
                id: try row["id"], state: try row.word("state"), file: try row["file"],
                verified: try row["verified"], boot: try row["boot"],
                cost: FailedFetchCost(
                    connections: try row["cost_connections"], bytes: try row["cost_bytes"],
                    time: .milliseconds(try row.get("cost_ms", as: Int64.self)))),
            hasIdentity: try row.get("identity", as: String?.self) != nil, reason: try row["reason"],
            wireID: try row["wire_id"])
    }

    /// The row of the same photo: by the camera's own name for ever; by identity; else by its reference and name in this
    /// connection (what comes from memory under a reference whose photo is here already is the next photo); else, when
    /// size and date have only now become final, the row of an earlier connection that still waits for them, or that was
    /// made with a size that the camera has put right and never had a file.
    private func find(
        _ offer: Offer, _ camera: CameraID, _ event: BridgeEvent, _ connection: String
    ) throws -> Found? {
        let identity = offer.identity
        if let known = try findStable(offer, camera, event) {
            try forgetProvisional(offer, connection, known: known.capture.id)
            return known
        }
        if let key = offer.key,
            let found = try database.first(
                "SELECT \(Self.columns) FROM captures WHERE event_id = ? AND identity = ?", event.id, key,
                as: Self.found)
        {
            try forgetProvisional(offer, connection, known: found.capture.id)
            return found
        }
        if let found = try findDisputed(offer, camera, event) { return found }
        if let found = try database.first(
            """
            SELECT \(Self.columns) FROM captures WHERE connection = ? AND reference = ? AND event_id = ?
                AND camera_id = ? AND name = ? AND folder = ? AND slot = ? AND in_memory = ?
                AND (in_memory = 0 OR state NOT IN ('staged', 'duplicate'))
            """, connection, offer.reference.text, event.id, camera, identity.name,
            identity.folders.joined(separator: "/"), Int64(identity.slot), offer.isInMemory, as: Self.found),
            !found.hasIdentity
        {
            return found
        }
        guard !offer.isInMemory else { return nil }
        return try database.first(
            """
            SELECT \(Self.columns) FROM captures
            WHERE event_id = ? AND camera_id = ? AND folder = ? AND stem = ? AND capture_date = ? AND name = ?
                AND slot = ? AND format = ? AND in_memory = 0 AND connection IS NOT ?
                AND (identity IS NULL OR (state IN ('announced', 'receiving', 'abandoned', 'lost') AND file IS NULL))
            """, event.id, camera, identity.folders.joined(separator: "/"), identity.stem,
            identity.captureDate,
            identity.name, Int64(identity.slot), Int64(identity.format), connection, as: Self.found)
    }

    /// The same name for ever, and nothing that speaks against it: cameras have been wrong about less.
    private func findStable(_ offer: Offer, _ camera: CameraID, _ event: BridgeEvent) throws -> Found? {
        guard let stableID = offer.stableID, offer.key != nil else { return nil }
        let identity = offer.identity
        return try database.first(
            """
            SELECT \(Self.columns) FROM captures WHERE event_id = ? AND camera_id = ? AND stable_id = ? AND name = ?
                AND size = ? AND capture_date = ? AND deleted_at IS NULL
            """, event.id, camera, stableID, identity.name, identity.size, identity.captureDate,
            as: Self.found)
    }

    /// A photo that was kept although the camera named another size, which it has now put right.
    private func findDisputed(_ offer: Offer, _ camera: CameraID, _ event: BridgeEvent) throws -> Found? {
        guard !offer.isInMemory, offer.key != nil, offer.twin == 0 else { return nil }
        let identity = offer.identity
        return try database.first(
            """
            SELECT \(Self.columns) FROM captures
            WHERE event_id = ? AND camera_id = ? AND folder = ? AND stem = ? AND capture_date = ? AND name = ?
                AND slot = ? AND format = ? AND staged_size = ? AND instr(doubts, 'size') > 0 AND in_memory = 0
                AND deleted_at IS NULL
            """, event.id, camera, identity.folders.joined(separator: "/"), identity.stem,
            identity.captureDate,
            identity.name, Int64(identity.slot), Int64(identity.format), identity.size, as: Self.found)
    }

    /// The row that was made for a photo while it had no size yet, when it turns out to be one that is known.
    private func forgetProvisional(_ offer: Offer, _ connection: String, known: CaptureID) throws {
        let provisional = try database.first(
            """
            SELECT id FROM captures WHERE connection = ? AND reference = ? AND identity IS NULL AND in_memory = 0
                AND state IN ('announced', 'receiving', 'filtered') AND file IS NULL AND id <> ?
            """, connection, offer.reference.text, known
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
        // A reference that the camera has given to another photo meanwhile.
        try database.run(
            "UPDATE captures SET connection = NULL WHERE connection = ? AND reference = ? AND id <> ?",
            connection, offer.reference.text, capture.id)
        try database.run(
            """
            UPDATE captures SET connection = ?, reference = ?, state = ?, reason = NULL, size = ?, capture_date = ?,
                taken_at = ?, identity = coalesce(?, identity), stable_id = coalesce(stable_id, ?),
                seq = coalesce(seq, ?)
            WHERE id = ?
            """, connection, offer.reference.text, capture.state.rawValue, offer.identity.size,
            offer.identity.captureDate, offer.identity.takenAt, offer.key, offer.stableID,
            try sequence(of: capture.id), capture.id)
    }

    /// It is still there, and nothing else about it has changed.
    private func meetAgain(_ capture: CaptureID, _ offer: Offer, _ connection: String) throws {
        try database.run(
            "UPDATE captures SET connection = NULL WHERE connection = ? AND reference = ? AND id <> ?",
            connection,
            offer.reference.text, capture)
        try database.run(
            "UPDATE captures SET connection = ?, reference = ? WHERE id = ?", connection,
            offer.reference.text,
            capture)
    }

    private func insert(
        _ sighting: Sighting, _ camera: CameraID, _ event: BridgeEvent, _ connection: String
    ) throws -> Capture {
        let offer = sighting.offer
        let identity = offer.identity
        let state: CaptureState = sighting.objection == nil ? .announced : .filtered
        try database.run(
            "UPDATE captures SET connection = NULL WHERE connection = ? AND reference = ?", connection,
            offer.reference.text)
        try database.run(
            """
            INSERT INTO captures (event_id, camera_id, identity, connection, reference, stable_id, in_memory, slot,
                folder, name, stem, kind, format, size, capture_date, taken_at, seq, state, reason, announced_at, wire_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, event.id, camera, offer.key, connection, offer.reference.text, offer.stableID,
            offer.isInMemory,
            Int64(identity.slot), identity.folders.joined(separator: "/"), identity.name, identity.stem,
            identity.kind.rawValue, Int64(identity.format), identity.size, identity.captureDate,
            identity.takenAt, state == .filtered ? nil : try nextSequence(of: event.id), state.rawValue,
            sighting.objection?.rawValue, wall.wallNow, sighting.wireID)
        let id = CaptureID(database.lastInsertedID)
        try tiePair(id, offer, camera, event, connection)
        return Capture(id: id, state: state, isNew: true)
    }

    /// A RAW and its JPEG have everything in common but the extension; out of a camera's memory, one connection as well.
    private func tiePair(
        _ id: CaptureID, _ offer: Offer, _ camera: CameraID, _ event: BridgeEvent, _ connection: String
    ) throws {
        guard offer.identity.kind != .other else { return }
        let other = try database.first(
            """
            SELECT id FROM captures WHERE event_id = ? AND camera_id = ? AND folder = ? AND stem = ?
                AND capture_date = ? AND kind IN ('picture', 'raw') AND kind <> ? AND pair_id IS NULL AND id <> ?
                AND in_memory = ? AND (in_memory = 0 OR connection = ?)
            ORDER BY id DESC
            """, event.id, camera, offer.identity.folders.joined(separator: "/"), offer.identity.stem,
            offer.identity.captureDate, offer.identity.kind.rawValue, id, offer.isInMemory, connection
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
