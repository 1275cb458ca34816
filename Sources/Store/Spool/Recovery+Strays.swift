import Basics
import Bridge
import Database

/// Photos that the ledger does not know, because it is new, or was put back from a backup.
extension Ledger {
    /// The number that a final name begins with, written as we write it.
    static func number(of name: String) -> CaptureID? {
        let digits = name.prefix { $0 != "-" }
        guard digits.count < name.count, let number = Int64(digits), number > 0, "\(number)" == digits else {
            return nil
        }
        return CaptureID(number)
    }

    /// Folders of events that the ledger does not know, because it is new or older than they are: their photos are
    /// found again under an event that is called by its number.
    func adoptEvents(_ root: any DiskFolder) throws {
        let known = Set(try LedgerReader.allEvents(in: database).map(\.id))
        for entry in try root.names() where entry.isFolder && Self.isEvent(entry.name) {
            if known.contains(entry.name) { continue }
            let folder = try root.folder(entry.name)
            guard try folder.names().contains(where: { !$0.isFolder }) else { continue }
            try database.run(
                "INSERT INTO events (id, name, origin, created_at) VALUES (?1, ?1, 'local', ?2)", entry.name,
                wall.wallNow)
            try enter(
                JournalEntry(
                    .warning, "\(folder.path) belongs to no event in the ledger; it has been adopted."))
        }
    }

    /// A UUID as we write one.
    private static func isEvent(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// A whole photo without a row: the ledger was put back from a backup, or is new. It is delivered as any other.
    func adoptStray(
        _ name: String, numbered number: CaptureID?, in folder: any DiskFolder, of event: BridgeEvent,
        _ skipsDuplicates: Bool
    ) throws {
        var photo = try measured(name, in: folder)
        let shown = String(name.drop { $0 != "-" }.dropFirst())
        let identity = PhotoIdentity(
            manufacturer: "", model: "", body: "", slot: 0, folders: [], name: shown, size: photo.size,
            captureDate: "", format: 0)
        // Row and name in one transaction: interrupted, it leaves a file without a row, which is where it began.
        let id = try database.transaction { () throws -> CaptureID in
            try database.run(
                """
                INSERT INTO captures (id, event_id, in_memory, slot, folder, name, stem, kind, format, size,
                    capture_date, seq, state, announced_at) VALUES (?, ?, 0, 0, '', ?, ?, ?, 0, ?, '', ?, 'announced', ?)
                """, number, event.id, shown, identity.stem, identity.kind.rawValue, photo.size,
                try nextSequence(of: event.id), wall.wallNow)
            let id = CaptureID(database.lastInsertedID)
            let final = Spool.finalName(id, shown)
            if final != name {
                guard try folder.move(name, to: folder, as: final) else {
                    throw DiskError(
                        .other, "\(folder.path)/\(final) is in the way of a photo that is being adopted")
                }
                try folder.sync()
                photo.file = final
            }
            try enter(
                JournalEntry(
                    .warning, capture: id,
                    "\(folder.path)/\(name) was whole and in no ledger; it has been adopted as capture \(id)."
                ))
            return id
        }
        if case .duplicate = try stage(id, photo, skipsDuplicates: skipsDuplicates) {
            try folder.remove(photo.file)
        }
    }
}
