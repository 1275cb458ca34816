package import Basics
package import Bridge
import Database
import Posix

extension Ledger {
    package func beginReceiving(_ capture: CaptureID, kept: UInt64, boot: String) throws {
        try database.run(
            """
            UPDATE captures SET state = 'receiving', reason = NULL, verified = min(verified, ?), boot = ?
            WHERE id = ? AND state IN ('announced', 'receiving')
            """, kept, boot, capture)
        guard database.changes == 1 else { throw CaptureMismatch(capture: capture) }
    }

    package func identify(_ capture: CaptureID, as offer: Offer) throws {
        try database.run(
            """
            UPDATE captures SET identity = ?, size = ?, capture_date = ?, taken_at = ?
            WHERE id = ? AND in_memory = 0
                AND NOT EXISTS (SELECT 1 FROM captures o WHERE o.event_id = captures.event_id AND o.identity = ?)
            """, offer.key, offer.identity.size, offer.identity.captureDate, offer.identity.takenAt, capture,
            offer.key)
    }

    package func name(_ capture: CaptureID, stableID: String) throws {
        try database.run(
            "UPDATE captures SET stable_id = ? WHERE id = ? AND stable_id IS NOT ?", stableID, capture,
            stableID)
    }

    package func distrust(_ capture: CaptureID) throws {
        try database.run("UPDATE captures SET verified = 0, boot = NULL WHERE id = ?", capture)
    }

    package func detach(_ capture: CaptureID) throws {
        try database.run("UPDATE captures SET connection = NULL, reference = NULL WHERE id = ?", capture)
    }

    package func charge(_ capture: CaptureID, _ cost: FailedFetchCost) throws {
        try database.run(
            "UPDATE captures SET cost_connections = ?, cost_bytes = ?, cost_ms = ? WHERE id = ?",
            cost.connections,
            cost.bytes, cost.time.wholeMilliseconds, capture)
    }

    package func note(_ capture: CaptureID, verified: UInt64, boot: String) throws {
        try database.run(
            "UPDATE captures SET verified = ?, boot = ? WHERE id = ? AND state = 'receiving'", verified, boot,
            capture)
    }

    package func stage(
        _ capture: CaptureID, _ photo: StagedPhoto, skipsDuplicates: Bool
    ) throws -> Staging {
        let result = try database.transaction { () throws -> Staging in
            let row = try database.first("SELECT event_id, kind FROM captures WHERE id = ?", capture) { row in
                (try row.get(0, as: String.self), try row.photoKind(1))
            }
            guard let (event, kind) = row else { throw CaptureMismatch(capture: capture) }
            let twin = try database.first(
                "SELECT id FROM captures WHERE event_id = ? AND sha256 = ? AND state = 'staged' AND id <> ?",
                event, photo.sha256, capture
            ) { row in try row.get(0, as: CaptureID.self) }
            if skipsDuplicates, let twin {
                try change(
                    capture, "state = 'duplicate', duplicate_of = \(twin.number), verified = 0",
                    ifIn: [.receiving, .announced])
                return .duplicate(of: twin)
            }
            try database.run(
                """
                UPDATE captures SET state = 'staged', reason = NULL, file = ?, staged_size = ?, sha256 = ?,
                    staged_at = ?, doubts = ?, verified = 0, boot = NULL,
                    -- As its last contact has shown.
                    clock_ahead = (SELECT k.difference FROM window_clocks k JOIN windows w ON w.id = k.window_id
                        WHERE k.camera_id = captures.camera_id AND w.event_id = captures.event_id
                            AND k.difference IS NOT NULL ORDER BY w.opened_at DESC, w.id DESC LIMIT 1)
                WHERE id = ? AND state IN ('receiving', 'announced')
                """, photo.file, photo.size, photo.sha256, wall.wallNow, photo.doubts.noted, capture)
            guard database.changes == 1 else { throw CaptureMismatch(capture: capture) }
            let destinations = try database.all(
                "SELECT id, kind FROM destinations WHERE event_id = ? AND removed_at IS NULL", event
            ) { row in (try row.get(0, as: DestinationID.self), try row.word(1, as: DestinationKind.self)) }
            for (destination, destinationKind) in destinations {
                try insertJob(
                    of: capture, kind, size: photo.size, to: destination, kind: destinationKind, event: event)
            }
            try tell(.staged, of: capture)
            return .staged(jobs: destinations.count)
        }
        jobsSignal.fire()
        return result
    }

    package func settle(_ capture: CaptureID, as state: CaptureState, because reason: String) throws {
        precondition(
            [.lost, .abandoned, .announced, .filtered].contains(state), "the others need more than a reason")
        try database.run(
            """
            UPDATE captures SET state = ?, reason = ? WHERE id = ?
                AND state IN ('announced', 'receiving', 'abandoned', 'lost')
            """, state.rawValue, reason, capture)
    }

    private func change(_ capture: CaptureID, _ assignments: String, ifIn states: [CaptureState]) throws {
        let list = states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try database.run(
            "UPDATE captures SET \(assignments) WHERE id = ? AND state IN (\(list))", capture)
        guard database.changes == 1 else { throw CaptureMismatch(capture: capture) }
    }

    package func missing(
        of camera: CameraID, in event: BridgeEvent, notSeenBy connection: String
    ) throws -> [MissingCapture] {
        try database.all(
            """
            SELECT id, folder, name, in_memory FROM captures WHERE event_id = ? AND camera_id = ?
                AND state IN ('announced', 'receiving', 'abandoned') AND connection IS NOT ?
            """, event.id, camera, connection
        ) { row in
            let folder = try row.get(1, as: String.self)
            let name = try row.get(2, as: String.self)
            return MissingCapture(
                id: try row.get(0), path: folder.isEmpty ? name : "\(folder)/\(name)",
                isInMemory: try row.get(3))
        }
    }

    package func deletable(of camera: CameraID, in event: BridgeEvent) throws -> [CaptureID] {
        try database.all(
            """
            SELECT id FROM captures WHERE event_id = ? AND camera_id = ? AND state = 'staged'
                AND deleted_at IS NULL AND in_memory = 0 AND doubts IS NULL
                AND EXISTS (SELECT 1 FROM \(LedgerReader.wantedJobs)
                    AND j.capture_id = captures.id AND j.state = 'completed')
                AND NOT EXISTS (SELECT 1 FROM \(LedgerReader.wantedJobs)
                    AND j.capture_id = captures.id AND j.state <> 'completed')
            """, event.id, camera
        ) { row in try row.get(0, as: CaptureID.self) }
    }

    package func deleted(_ capture: CaptureID) throws {
        try database.run("UPDATE captures SET deleted_at = ? WHERE id = ?", wall.wallNow, capture)
    }

    /// A line that may be told otherwise later; its number.
    package func beginLine(_ entry: JournalEntry, at moment: Timestamp) throws -> Int64 {
        try enter(entry, at: moment)
        return database.lastInsertedID
    }

    /// What goes on is one line: what is known of it by now.
    package func renew(line: Int64, _ text: String) throws {
        try database.run("UPDATE journal SET text = ? WHERE id = ?", text, line)
    }

    package func journal(_ entry: JournalEntry) throws {
        try enter(entry)
    }
}
