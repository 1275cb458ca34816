package import Basics
import Bridge
import Database
import Digest

/// What is done before anything else when a bridge starts: every file and every row is adopted, resumed or reported.
///
/// Each step leaves the home in a state from which the whole procedure can begin again, so it does not matter where
/// it was interrupted itself.
package struct Recovery {
    package struct Report: Equatable, Sendable {
        /// Whole files whose row had not been told yet.
        package var adopted = 0
        /// Partial files that will be gone on with.
        package var resumable = 0
        /// Files without a row: whole ones became captures, others were put aside.
        package var strays = 0
        /// Rows whose file is gone: announced again, for the camera to bring.
        package var vanished = 0
        /// Duplicates whose file was still there.
        package var removed = 0
        /// Deliveries that a crash interrupted.
        package var rescuedJobs = 0

        package var isQuiet: Bool {
            adopted + resumable + strays + vanished + removed + rescuedJobs == 0
        }

        package init() {}
    }

    private let ledger: Ledger
    private let skipsDuplicates: Bool
    private let openRoot: @Sendable () throws(DiskError) -> any DiskFolder

    package init(
        _ ledger: Ledger, skipsDuplicates: Bool = true,
        openRoot: @escaping @Sendable () throws(DiskError) -> any DiskFolder
    ) {
        self.ledger = ledger
        self.skipsDuplicates = skipsDuplicates
        self.openRoot = openRoot
    }

    package func run() async throws -> Report {
        try await ledger.recover(skipsDuplicates: skipsDuplicates, openRoot: openRoot)
    }
}

extension Ledger {
    /// On the ledger's thread from the beginning to the end: nothing else runs yet.
    func recover(
        skipsDuplicates: Bool, openRoot: () throws(DiskError) -> any DiskFolder
    ) throws -> Recovery.Report {
        var report = Recovery.Report()
        // 1. Deliveries that were under way begin again; windows are empty.
        report.rescuedJobs = try rescueJobs()
        let root = try openRoot()
        try adoptEvents(root)
        // 2. Rows that say "staged" and have no file: before anything is taken for a second copy of them.
        try recoverRows(root, &report)
        // 3. Files under final names are whole; what their rows say is made true.
        for event in try LedgerReader.allEvents(in: database) {
            try recoverFiles(in: try root.folder(event.id), of: event, root, skipsDuplicates, &report)
        }
        // 4. Partial files: those with a row that still wants them stay, the others are put aside. After the files, for
        // a power cut may bring back a partial name beside the final one.
        try recoverPartials(in: try root.folder(Spool.incomingName), root, &report)
        try root.sync()
        return report
    }

    private struct SpoolRow {
        let id: CaptureID
        let state: CaptureState
        let name: String
        let file: String?
        let size: UInt64?
        let isRemoved: Bool

        func isSettled(by entry: DiskEntry) -> Bool {
            state == .staged && file == entry.name && !isRemoved && !entry.isOdd
        }
    }

    private func row(of capture: CaptureID, in event: String? = nil) throws -> SpoolRow? {
        try database.first(
            """
            SELECT id, state, name, file, staged_size, removed_at IS NOT NULL FROM captures WHERE id = ?1
                AND (?2 IS NULL OR event_id = ?2)
            """, capture, event
        ) { row in
            SpoolRow(
                id: try row.get(0), state: try row.word(1), name: try row.get(2), file: try row.get(3),
                size: try row.get(4), isRemoved: try row.get(5))
        }
    }

    private func recoverPartials(
        in incoming: any DiskFolder, _ root: any DiskFolder, _ report: inout Recovery.Report
    ) throws {
        for entry in try incoming.names() where !entry.isFolder {
            let id = entry.name.hasSuffix(".part") ? Int64(entry.name.dropLast(5)).map { CaptureID($0) } : nil
            switch try id.flatMap({ try row(of: $0) })?.state {
            case .announced, .receiving, .abandoned, .lost: report.resumable += 1
            case .staged, .duplicate, .filtered:
                // A second copy of what is whole, or of what is not wanted.
                try incoming.remove(entry.name)
                report.removed += 1
            case nil: try putAside(entry.name, from: incoming, root, &report)
            }
        }
        try incoming.sync()
    }

    private func putAside(
        _ name: String, from folder: any DiskFolder, _ root: any DiskFolder, _ report: inout Recovery.Report
    ) throws {
        let strays = try root.folder(Spool.straysName)
        for number in 1...9999 {
            let free = SafeName.numbered(SafeName.component(name, fallback: "stray"), number)
            guard try strays.size(of: free) == nil else { continue }
            // Said before it is done: rather twice than never.
            try enter(
                JournalEntry(
                    .warning,
                    "\(folder.path)/\(name) belongs to no photo in the ledger; it is put aside as \(strays.path)/\(free)."
                ))
            guard try folder.move(name, to: strays, as: free) else { continue }
            try strays.sync()
            report.strays += 1
            return
        }
    }

    private func recoverFiles(
        in folder: any DiskFolder, of event: BridgeEvent, _ root: any DiskFolder, _ skipsDuplicates: Bool,
        _ report: inout Recovery.Report
    ) throws {
        // The names may have been given just before a crash, and nothing may rely on one that a power cut takes back.
        try folder.sync()
        var strays: [(id: CaptureID, name: String)] = []
        for entry in try unsettled(folder, event) {
            let name = entry.name
            guard !entry.isOdd, let id = Self.number(of: name) else {
                try putAside(name, from: folder, root, &report)
                continue
            }
            // As it is now: another file may have become that of this row just before.
            guard let row = try row(of: id, in: event.id) else {
                strays.append((id, name))
                continue
            }
            switch row.state {
            case .staged where row.isSettled(by: entry): break
            case .staged where row.file == name:
                // Every destination has it, and the row said so before the file went.
                try folder.remove(name)
                report.removed += 1
            case .announced, .receiving, .abandoned, .lost:
                // It has its final name, so it is whole: only the row was not written any more.
                do {
                    try adopt(name, in: folder, as: id, skipsDuplicates)
                    report.adopted += 1
                } catch let error as DiskError
                    where error.meaning == .failing || error.meaning == .notWritable
                {
                    // One file that cannot be read does not stop the start; it is looked at again at the next one.
                    try enter(JournalEntry(.error, capture: id, "\(error)"))
                }
            case .staged:
                // Not the file of that row: a photo that lost its own.
                strays.append((id, name))
            case .duplicate, .filtered:
                try folder.remove(name)
                report.removed += 1
            }
        }
        // Rows that are made for some of these must not be taken for the rows of others: those that can keep their
        // number come first, and everything else gets a number above all of them.
        strays.sort { $0.id < $1.id }
        let free = try strays.filter { try row(of: $0.id) == nil }
        let taken = try strays.filter { try row(of: $0.id) != nil }
        for stray in free {
            try adoptStray(stray.name, numbered: stray.id, in: folder, of: event, skipsDuplicates)
        }
        for stray in taken {
            try adoptStray(stray.name, numbered: nil, in: folder, of: event, skipsDuplicates)
        }
        report.strays += strays.count
        try folder.sync()
    }

    /// Files that are not simply those of their rows. Nearly all are, and nothing is to be done about them.
    private func unsettled(_ folder: any DiskFolder, _ event: BridgeEvent) throws -> [DiskEntry] {
        let files = try folder.names().filter { !$0.isFolder }
        return try database.snapshot {
            try files.filter { file in
                guard let id = Self.number(of: file.name), let row = try row(of: id, in: event.id) else {
                    return true
                }
                return !row.isSettled(by: file)
            }
        }
    }

    private func adopt(
        _ name: String, in folder: any DiskFolder, as capture: CaptureID, _ skipsDuplicates: Bool
    ) throws {
        var photo = try measured(name, in: folder)
        let claim = try database.first("SELECT size, format, name FROM captures WHERE id = ?", capture) {
            row in
            try (
                size: row.get(0, as: UInt64.self), format: row.get(1, as: Int64.self),
                name: row.get(2, as: String.self)
            )
        }
        if let claim {
            photo.doubts = try FileInspection.doubts(
                of: folder.openForReading(name), claimed: Offer.isFinal(size: claim.size) ? claim.size : nil,
                format: UInt16(truncatingIfNeeded: claim.format), name: claim.name)
        }
        try database.run(
            "UPDATE captures SET state = 'receiving', reason = NULL WHERE id = ? AND state IN ('abandoned', 'lost')",
            capture)
        if case .duplicate = try stage(capture, photo, skipsDuplicates: skipsDuplicates) {
            try folder.remove(name)
        }
    }

    func measured(_ name: String, in folder: any DiskFolder) throws(DiskError) -> StagedPhoto {
        let file = try folder.openForReading(name)
        let size = try file.size()
        let hasher = SHA256()
        try Spool.hash(file, upTo: size, into: hasher)
        // It may have got its name just before the end, and no more than that.
        try file.makeReadOnly()
        try file.sync()
        return StagedPhoto(file: name, size: size, sha256: "\(hasher.finish())")
    }

    private func recoverRows(_ root: any DiskFolder, _ report: inout Recovery.Report) throws {
        for event in try LedgerReader.allEvents(in: database) {
            let there = Set(try root.folder(event.id).names().map(\.name))
            var vanished: [(id: CaptureID, path: String)] = []
            // What every destination has may be gone.
            try database.each(
                """
                SELECT id, file, folder, name FROM captures WHERE event_id = ? AND state = 'staged'
                    AND (NOT EXISTS (SELECT 1 FROM upload_jobs WHERE capture_id = captures.id)
                        OR EXISTS (SELECT 1 FROM upload_jobs WHERE capture_id = captures.id AND state <> 'completed'
                            AND cancelled = 0))
                """, event.id
            ) { row in
                if there.contains(try row.get(1, as: String.self)) { return }
                vanished.append(
                    (try row.get(0), try row.get(2, as: String.self) + "/" + row.get(3, as: String.self)))
            }
            for (id, path) in vanished {
                try database.transaction {
                    try database.run(
                        "DELETE FROM upload_jobs WHERE capture_id = ? AND state <> 'completed'", id)
                    try database.run(
                        """
                        UPDATE captures SET state = iif(camera_id IS NULL, 'lost', 'announced'),
                            reason = iif(camera_id IS NULL, 'its file is gone from the spool', NULL), file = NULL,
                            staged_size = NULL, sha256 = NULL, staged_at = NULL, verified = 0, boot = NULL,
                            settled_at = NULL, removed_at = NULL WHERE id = ?
                        """, id)
                    // Its duplicates were let go because of it.
                    try database.run(
                        """
                        UPDATE captures SET state = 'announced', duplicate_of = NULL
                        WHERE duplicate_of = ? AND state = 'duplicate'
                        """, id)
                }
                report.vanished += 1
                try enter(
                    JournalEntry(
                        .error, capture: id,
                        "\(path): its file is gone from the spool and it was not delivered everywhere; it is fetched "
                            + "again if the camera still has it."))
            }
        }
    }
}

extension LedgerReader {
    static func allEvents(in database: Connection) throws -> [BridgeEvent] {
        try database.all("SELECT id, name FROM events") { row in
            BridgeEvent(id: try row.get(0), name: try row.get(1))
        }
    }
}
