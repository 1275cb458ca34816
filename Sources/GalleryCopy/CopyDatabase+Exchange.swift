import Basics
import Bridge
import Database

/// One exchange with the gallery: what goes, and what an answer changes. Each is one transaction.
extension CopyDatabase {
    /// Which photos the gallery has confirmed meanwhile; nothing for one that it has not.
    typealias Confirmation = (CaptureID) throws -> String?

    /// What is said of the clocks at the moment of an exchange.
    struct Clocks {
        /// Ours.
        let now: Timestamp
        /// How far the gallery's is ahead of it; nothing where the gallery has not said.
        let ahead: Duration?

        var gallery: Timestamp? { ahead.map { now + $0 } }
    }

    /// Edits of photos whose upload was confirmed since they were made: they are of the gallery's record from now on.
    func resolve(at place: CopyPlaceID, _ clocks: Clocks, _ confirmed: Confirmation) throws {
        let captures: [Int64] = try database.all(
            "SELECT DISTINCT capture FROM edits WHERE place = ? AND record IS NULL AND cause IS NULL",
            place.number
        ) { try $0.get(0) }
        for capture in captures {
            guard let record = try confirmed(CaptureID(capture)) else { continue }
            try database.transaction { () in
                try database.run(
                    "UPDATE edits SET record = ? WHERE place = ? AND capture = ? AND record IS NULL AND cause IS NULL",
                    record, place.number, capture)
                guard let known = try self.record(.photo, record, at: place) else { return }
                try change(.photo, record, at: place, clocks.now) { $0.tell(known, clockAhead: clocks.ahead) }
            }
        }
    }

    /// The changes that go next, each of another record; dated for good before the first of them is sent. `besides`: edits
    /// that are on their way in this course already.
    func nextBatch(
        at place: CopyPlaceID, _ clocks: Clocks, besides sent: Set<EditID>
    ) throws -> [OutgoingChange] {
        try database.transaction { () -> [OutgoingChange] in
            let waiting = try database.all(
                """
                SELECT kind, record, min(id) AS first FROM edits
                WHERE place = ? AND record IS NOT NULL AND cause IS NULL GROUP BY kind, record ORDER BY first
                """, place.number
            ) { row in
                (kind: try row.get("kind", as: String.self), id: try row.get("record", as: String.self))
            }
            var batch: [OutgoingChange] = []
            for (word, id) in waiting where batch.count < Self.batch {
                guard let kind = GalleryRecord.Kind(rawValue: word) else { throw damage("a kind is none") }
                let next = try change(kind, id, at: place, clocks.now) { merge in
                    merge.next(at: clocks.gallery, clockAhead: clocks.ahead)
                }
                guard let next, !sent.contains(next.edit), try areThere(next, at: place) else { continue }
                batch.append(next)
            }
            return batch
        }
    }

    /// A photo goes into an album once the gallery has the album.
    private func areThere(_ change: OutgoingChange, at place: CopyPlaceID) throws -> Bool {
        guard let edit = try entry(change.edit)?.edit.edit else { return false }
        for album in edit.neededAlbums where try record(.album, album, at: place) == nil {
            let isMadeHere = try database.has(
                "SELECT 1 FROM edits WHERE place = ? AND kind = 'album' AND record = ? AND cause IS NULL",
                place.number, album)
            if isMadeHere { return false }
        }
        return true
    }

    /// All that an answer says, and how far it has told.
    func take(
        _ answer: SyncAnswer, to sent: [OutgoingChange], at place: CopyPlace, _ clocks: Clocks
    ) throws {
        try database.transaction { () in
            // A gallery that was put back from a backup tells everything anew, and what it does not tell is not there.
            if let stamp = try self.place(place.id).stamp, answer.stamp < stamp {
                try forgetRecords(of: place.id)
            }
            let edited = try editedRecords(at: place.id)
            for record in answer.records where try belongs(record, to: place, edited) {
                if edited.contains(record.id) {
                    try change(record.kind, record.id, at: place.id, clocks.now) { merge in
                        merge.tell(record, clockAhead: clocks.ahead)
                    }
                } else {
                    try put(record, at: place.id)
                }
            }
            for rejection in answer.rejections {
                guard let one = sent.first(where: { $0.record == rejection.record }) else { continue }
                try change(one.kind, one.record, at: place.id, clocks.now) { $0.refuse(one.edit, rejection) }
            }
            try database.run(
                "UPDATE places SET stamp = ? WHERE id = ?", answer.stamp.milliseconds, place.id.number)
        }
    }

    /// An account may have many events, and deletes are told without theirs.
    private func belongs(
        _ record: GalleryRecord, to place: CopyPlace, _ edited: Set<String>
    ) throws -> Bool {
        if let event = record.event { return event == place.event }
        return try edited.contains(record.id)
            || database.has(
                "SELECT 1 FROM records WHERE place = ? AND kind = ? AND id = ?", place.id.number,
                record.kind.rawValue, record.id)
    }

    private func editedRecords(at place: CopyPlaceID) throws -> Set<String> {
        Set(
            try database.all(
                "SELECT DISTINCT record FROM edits WHERE place = ? AND record IS NOT NULL AND cause IS NULL",
                place.number
            ) { try $0.get(0, as: String.self) })
    }

    /// Whether neither the gallery's records nor a refusal of its have settled what was sent.
    func isOpen(_ sent: EditID) throws -> Bool {
        guard let edit = try entry(sent)?.edit else { return false }
        return edit.standing == .waiting && !edit.isAhead
    }
}
