package import Basics
package import Bridge
import Database
import Posix

/// A destination as an operator reads it.
package struct KnownDestination: Equatable, Sendable {
    package let id: DestinationID
    package let url: String
    package let kind: DestinationKind
    package let removedAt: Timestamp?
    /// The address that stands in its place.
    package let replacedBy: String?
    package var jobs: [JobGroup: Int] = [:]
    /// Deliveries that the operator took back.
    package var cancelled = 0
    /// Photos that it has without the caption that they should have.
    package var withoutCaption = 0
}

/// Why an event's destinations cannot be changed so.
package enum DestinationObjection: Error, Equatable, Sendable {
    case unknown
    /// It is one of the event's already.
    case known(String)
    /// Galleries are agreed with about each photo: theirs are not for others to go on with.
    case otherKind
}

/// What became of deliveries when an event's destinations were changed.
package struct DestinationEnd: Equatable, Sendable {
    /// Photos that the destination has given a receipt for.
    package var delivered = 0
    /// Open deliveries that ended as cancelled.
    package var cancelled = 0
    /// Open deliveries that go elsewhere.
    package var moved = 0
    /// Photos that a destination never gets: the spool does not have their files any more.
    package var unsendable = 0

    package init(delivered: Int = 0, cancelled: Int = 0, moved: Int = 0, unsendable: Int = 0) {
        self.delivered = delivered
        self.cancelled = cancelled
        self.moved = moved
        self.unsendable = unsendable
    }
}

extension Ledger {
    /// A destination of the event from now on, also where it was one that was removed. What is here already goes there, too.
    package func add(_ url: String, kind: DestinationKind, of event: BridgeEvent) throws -> DestinationEnd {
        let id = try destination(url, kind: kind, of: event)
        return DestinationEnd(delivered: try delivered(to: id), unsendable: try unsendable(to: id, event.id))
    }

    /// Nothing more goes there. What it has stays told; what was still to go there ends as cancelled by the operator. No
    /// bridge is delivering to it.
    package func remove(_ id: DestinationID) throws -> DestinationEnd {
        var settled: [CaptureID] = []
        let end = try database.transaction {
            let url = try activeDestination(id).url
            try database.run("UPDATE destinations SET removed_at = ? WHERE id = ?", wall.wallNow, id)
            let end = DestinationEnd(delivered: try delivered(to: id), cancelled: try cancelOpen(of: id))
            settled = try settleWithout(id)
            try enter(
                JournalEntry(
                    .info,
                    "the destination \(url) was removed: it has \(end.delivered) photos, and \(end.cancelled) more were to go there"
                ))
            return end
        }
        tell(settled)
        return end
    }

    /// `url` takes the place of a destination: what that one has is not delivered again, and what was still to go there goes
    /// to the other. No bridge is delivering to it.
    package func replace(_ id: DestinationID, by url: String, kind: DestinationKind) throws -> DestinationEnd
    {
        var settled: [CaptureID] = []
        let end = try database.transaction { () throws -> DestinationEnd in
            let old = try activeDestination(id)
            let known = try database.first(
                "SELECT removed_at IS NULL FROM destinations WHERE event_id = ? AND url = ?", old.event, url
            ) { row in try row.get(0, as: Bool.self) }
            if known == true { throw DestinationObjection.known(url) }
            guard old.kind == kind else { throw DestinationObjection.otherKind }
            try database.run("UPDATE destinations SET removed_at = ? WHERE id = ?", wall.wallNow, id)
            let new = try row(of: url, kind: kind, event: old.event)
            // Also what an earlier one has, whose place the old one had taken.
            try database.run(
                "UPDATE destinations SET replaced_by = ?1 WHERE id = ?2 OR replaced_by = ?2", new, id)
            let moved = try move(from: id, to: new)
            try holdKeptBack()
            try serve(new, kind: kind, event: old.event)
            let end = DestinationEnd(
                delivered: try delivered(to: id), cancelled: try cancelOpen(of: id), moved: moved)
            settled = try settleWithout(id)
            try enter(
                JournalEntry(
                    .info,
                    "the destination \(old.url) was replaced by \(url): it has \(end.delivered) photos, \(end.moved) more go there now"
                ))
            return end
        }
        tell(settled)
        jobsSignal.fire()
        return end
    }

    /// The row of a destination that is one of the event's from now on.
    func row(of url: String, kind: DestinationKind, event: String) throws -> DestinationID {
        try database.run(
            """
            INSERT INTO destinations (event_id, url, kind, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, event, url, kind.rawValue, wall.wallNow)
        let found = try database.first(
            "SELECT id FROM destinations WHERE event_id = ? AND url = ?", event, url
        ) { row in try row.get(0, as: DestinationID.self) }
        guard let id = found else { preconditionFailure("a row that was just written is there") }
        try database.run(
            "UPDATE destinations SET removed_at = NULL, replaced_by = NULL WHERE id = ? AND removed_at IS NOT NULL",
            id)
        if database.changes > 0 { try enter(JournalEntry(.info, "the destination \(url) is used again")) }
        return id
    }

    /// Jobs for what was staged before, and for what was cancelled when it was removed; but not for what another has whose
    /// place it took.
    func serve(_ id: DestinationID, kind: DestinationKind, event: String) throws {
        try database.run(
            """
            DELETE FROM upload_jobs WHERE destination_id = ?1 AND cancelled = 1 AND problem = ?2
                AND EXISTS (SELECT 1 FROM upload_jobs j JOIN destinations d ON d.id = j.destination_id
                    WHERE j.capture_id = upload_jobs.capture_id AND d.replaced_by = ?1 AND j.state = 'completed')
            """, id, JobChange.cancelledWithDestination)
        let cancelled = try database.all(
            "SELECT id FROM upload_jobs WHERE destination_id = ? AND cancelled = 1 AND problem = ?", id,
            JobChange.cancelledWithDestination
        ) { row in try row.get(0, as: JobID.self) }
        _ = try begin(cancelled)
        let unserved = try database.all(
            """
            SELECT id, kind, staged_size FROM captures
            WHERE event_id = ?1 AND state = 'staged' AND removed_at IS NULL
                AND NOT EXISTS (SELECT 1 FROM upload_jobs WHERE capture_id = captures.id AND destination_id = ?2)
                AND NOT EXISTS (SELECT 1 FROM upload_jobs j JOIN destinations d ON d.id = j.destination_id
                    WHERE j.capture_id = captures.id AND d.replaced_by = ?2 AND (j.state = 'completed' OR j.cancelled))
            """, event, id
        ) { row in
            (CaptureID(try row.get(0)), try row.photoKind(1), try row.get(2, as: UInt64.self))
        }
        for (capture, photoKind, size) in unserved {
            try insertJob(of: capture, photoKind, size: size, to: id, kind: kind, event: event)
            try database.run("UPDATE captures SET settled_at = NULL WHERE id = ?", capture)
        }
    }

    private func activeDestination(
        _ id: DestinationID
    ) throws -> (url: String, kind: DestinationKind, event: String) {
        let found = try database.first(
            "SELECT url, kind, event_id FROM destinations WHERE id = ? AND removed_at IS NULL", id
        ) { row in
            (
                try row.get(0, as: String.self), try row.word(1, as: DestinationKind.self),
                try row.get(2, as: String.self)
            )
        }
        guard let found else { throw DestinationObjection.unknown }
        return found
    }

    private func delivered(to id: DestinationID) throws -> Int {
        try database.first(
            "SELECT count(*) FROM upload_jobs WHERE destination_id = ? AND state = 'completed'", id
        ) { row in try row.get(0) } ?? 0
    }

    private func unsendable(to id: DestinationID, _ event: String) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM captures WHERE event_id = ? AND state = 'staged' AND removed_at IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM upload_jobs
                    WHERE capture_id = captures.id AND destination_id = ? AND (state = 'completed' OR cancelled = 0))
            """, event, id
        ) { row in try row.get(0) } ?? 0
    }

    private func cancelOpen(of id: DestinationID) throws -> Int {
        try database.run(
            """
            UPDATE upload_jobs SET state = 'failedPermanent', cancelled = 1, claimed = 0, problem = ?, due_at = ?
            WHERE destination_id = ? AND state <> 'completed' AND cancelled = 0
            """, JobChange.cancelledWithDestination, wall.wallNow, id)
        return database.changes
    }

    /// What is open goes elsewhere as if it had been staged for there; nothing that was agreed with the one holds for the
    /// other. Where the other has been a destination before, it has jobs of its own.
    private func move(from old: DestinationID, to new: DestinationID) throws -> Int {
        try database.run(
            """
            UPDATE upload_jobs SET destination_id = ?1, state = 'staged', note = NULL, attempts = 0, due_at = ?2,
                problem = NULL, claimed = 0
            WHERE destination_id = ?3 AND state <> 'completed' AND cancelled = 0
                AND NOT EXISTS (SELECT 1 FROM upload_jobs o WHERE o.capture_id = upload_jobs.capture_id AND o.destination_id = ?1)
            """, new, wall.wallNow, old)
        return database.changes
    }

    /// Photos of which nothing is open any more, now that this is none of their destinations.
    private func settleWithout(_ id: DestinationID) throws -> [CaptureID] {
        let settled = try database.all(
            """
            UPDATE captures SET settled_at = ?1 WHERE state = 'staged' AND settled_at IS NULL
                AND id IN (SELECT capture_id FROM upload_jobs WHERE destination_id = ?2)
                AND \(Self.hasAllItShould)
            RETURNING id
            """, wall.wallNow, id
        ) { row in try row.get(0, as: CaptureID.self) }
        for capture in settled { try tell(.completed, of: capture) }
        return settled
    }

    private func tell(_ settled: [CaptureID]) {
        for capture in settled { onSettled(capture) }
        if !settled.isEmpty { settledSignal.fire() }
    }
}

extension LedgerReader {
    /// All that an event has or had, in the order in which they came.
    package func knownDestinations(of event: String) throws -> [KnownDestination] {
        var destinations = try database.all(
            """
            SELECT d.id, d.url, d.kind, d.removed_at, n.url FROM destinations d
            LEFT JOIN destinations n ON n.id = d.replaced_by WHERE d.event_id = ? ORDER BY d.id
            """, event
        ) { row in
            KnownDestination(
                id: try row.get(0), url: try row.get(1), kind: try row.word(2), removedAt: try row.get(3),
                replacedBy: try row.get(4))
        }
        try database.each(
            """
            SELECT destination_id, state, cancelled, count(*) FROM upload_jobs WHERE event_id = ?
            GROUP BY destination_id, state, cancelled
            """, event
        ) { row in
            let id = try row.get(0, as: DestinationID.self)
            guard let index = destinations.firstIndex(where: { $0.id == id }) else { return }
            let count = try row.get(3, as: Int.self)
            if try row.get(2, as: Bool.self) {
                destinations[index].cancelled += count
            } else {
                destinations[index].jobs[JobGroup(try row.word(1)), default: 0] += count
            }
        }
        try database.each(
            """
            SELECT destination_id, count(*) FROM upload_jobs WHERE event_id = ? AND state = 'completed'
                AND json_extract(receipt, '$.caption.place') = 'none' GROUP BY destination_id
            """, event
        ) { row in
            let id = try row.get(0, as: DestinationID.self)
            guard let index = destinations.firstIndex(where: { $0.id == id }) else { return }
            destinations[index].withoutCaption = try row.get(1)
        }
        return destinations
    }
}
