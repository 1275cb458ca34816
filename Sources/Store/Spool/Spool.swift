package import Basics
package import Bridge
package import Digest

/// Where photos are staged: `spool/incoming/<id>.part` while they arrive, `spool/<event>/<id>-<name>` once they are whole.
///
/// A final name means a whole file: the bytes are counted and looked at, synced, and only then renamed, and the
/// folder is synced after that. Everything here blocks, on the thread that the spool was given.
package actor Spool {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the spool's folder, making it if it is missing: again, when it was removed meanwhile.
    private let openRoot: @Sendable () throws(DiskError) -> any DiskFolder
    private let event: String
    private let boot: String
    private let reserve: Reserve
    /// Asked to let go of what is delivered until so much fits; returns when it has done what it may.
    private let makeRoom: (@Sendable (UInt64) async -> Void)?
    private var folders: Folders?

    private struct Folders {
        let root: any DiskFolder
        let incoming: any DiskFolder
        let event: any DiskFolder
    }

    /// What stays free for the rest of the machine.
    package struct Reserve: Equatable, Sendable {
        /// Nothing for the usual: 2 GiB, or a twentieth of the disk where that is less.
        package var bytes: UInt64?

        package init(bytes: UInt64? = nil) {
            self.bytes = bytes
        }

        package func size(on disk: DiskSpace) -> UInt64 {
            bytes ?? min(2 << 30, disk.total / 20)
        }
    }

    package static let incomingName = "incoming"
    package static let straysName = "strays"

    package init(
        event: String, boot: String, reserve: Reserve, executor: any SerialExecutor,
        makeRoom: (@Sendable (UInt64) async -> Void)? = nil,
        openRoot: @escaping @Sendable () throws(DiskError) -> any DiskFolder
    ) {
        self.executor = executor
        self.openRoot = openRoot
        self.event = event
        self.boot = boot
        self.reserve = reserve
        self.makeRoom = makeRoom
    }

    // MARK: One photo

    package static func partialName(_ capture: CaptureID) -> String { "\(capture).part" }

    package static func finalName(_ capture: CaptureID, _ name: String) -> String {
        let prefix = "\(capture)-"
        return prefix
            + SafeName.shortened(SafeName.component(name, fallback: "photo"), by: prefix.utf8.count)
    }

    /// Opens the partial file. What is in it counts in the boot that wrote it; after another, only what was noted as
    /// being on the disk does. The rest is cut off.
    package func open(
        _ capture: Capture, _ offer: Offer, mayResume: Bool
    ) throws(DiskError) -> IncomingPhoto {
        let size = offer.hasFinalSize ? offer.identity.size : nil
        return try retryingWhenMissing { (folders) throws(DiskError) in
            let file = try folders.incoming.open(Self.partialName(capture.id))
            let there = try file.size()
            // The row has a boot as soon as anything was noted; a short one was begun and cut before, in this boot or
            // in one that left no trace, and is not worth trusting.
            let trusted = capture.boot == boot ? there : min(there, capture.verified)
            var kept = mayResume ? trusted : 0
            if kept < IncomingPhoto.leastKept || kept > size ?? kept { kept = 0 }
            if kept < there { try file.truncate(to: kept) }
            if let size { try file.preallocate(size) }
            return IncomingPhoto(capture: capture.id, file: file, kept: kept)
        }
    }

    private static let piece = 1 << 20

    /// What is kept from before goes through the hash first: the digest is of the file, not of what arrived.
    package func hash(_ incoming: IncomingPhoto, into hasher: SHA256) throws(DiskError) {
        try Self.hash(incoming.file, upTo: incoming.kept, into: hasher)
    }

    package static func hash(_ file: any DiskFile, upTo length: UInt64, into hasher: SHA256) throws(DiskError)
    {
        var position: UInt64 = 0
        while position < length {
            let bytes = try file.read(Int(min(UInt64(piece), length - position)), at: position)
            guard !bytes.isEmpty else {
                throw DiskError(.failing, "a file in the spool became shorter while it was read")
            }
            hasher.update(bytes)
            position += UInt64(bytes.count)
        }
    }

    /// A few bytes of it, to compare.
    package func bytes(
        of incoming: IncomingPhoto, _ range: Range<UInt64>
    ) throws(DiskError) -> [UInt8] {
        try incoming.file.read(range.count, at: range.lowerBound)
    }

    /// Count, look, sync, name, sync: in this order, or a power cut leaves a name without its photo.
    package func finish(
        _ incoming: IncomingPhoto, _ order: FinishOrder, modified: Int64?
    ) throws(DiskError) -> ShelfFinish {
        let file = incoming.file
        let inspection = try FileInspection(of: file, order)
        switch inspection {
        case .refused(let reason): return reason
        case .fine: break
        }
        if let modified { try file.setModified(modified) }
        try file.sync()
        let final = Self.finalName(incoming.capture, order.offer.identity.name)
        return try retryingWhenMissing { (folders) throws(DiskError) in
            // The number before the name is ours alone: what bears it can only be an earlier try of this same photo.
            if try !folders.incoming.move(Self.partialName(incoming.capture), to: folders.event, as: final) {
                try folders.event.remove(final)
                guard
                    try folders.incoming.move(
                        Self.partialName(incoming.capture), to: folders.event, as: final)
                else {
                    throw DiskError(
                        .other, "\(folders.event.path)/\(final): another program writes into the spool")
                }
            }
            // Not before it has its name: a read-only partial file could not be continued after a crash.
            try file.makeReadOnly()
            try folders.event.sync()
            return .whole(file: final, doubts: inspection.doubts)
        }
    }

    /// After a failed fsync it is unknown what is on the disk: the file is written again from its first byte.
    package func discard(_ capture: CaptureID) throws(DiskError) {
        try retryingWhenMissing { (folders) throws(DiskError) in
            if try folders.incoming.size(of: Self.partialName(capture)) != nil {
                try folders.incoming.remove(Self.partialName(capture))
            }
        }
    }

    /// Removes a whole file that is not needed: a duplicate.
    package func remove(_ file: String) throws(DiskError) {
        try retryingWhenMissing { (folders) throws(DiskError) in
            if try folders.event.size(of: file) != nil { try folders.event.remove(file) }
        }
    }

    // MARK: Room

    /// Whether a photo of this size leaves the reserve free, if need be without what is delivered; the sentence says
    /// what is missing.
    package func lack(
        ofRoomFor whole: UInt64, of capture: CaptureID? = nil
    ) async throws(DiskError) -> String? {
        guard let size = try sizeThatDoesNotFit(whole, of: capture) else { return nil }
        await makeRoom?(size)
        guard let size = try sizeThatDoesNotFit(whole, of: capture) else { return nil }
        return try retryingWhenMissing { (folders) throws(DiskError) in
            let space = try folders.root.space()
            return
                "\(folders.root.path): \(Human.bytes(space.free)) are free, and \(Human.bytes(size)) for the next "
                + "photo with \(Human.bytes(reserve.size(on: space))) in reserve do not fit. Make room; it goes on by "
                + "itself."
        }
    }

    /// What is to come of a photo, where there is no room for it.
    private func sizeThatDoesNotFit(
        _ whole: UInt64, of capture: CaptureID?
    ) throws(DiskError) -> UInt64? {
        try retryingWhenMissing { (folders) throws(DiskError) in
            let space = try folders.root.space()
            // What its partial file was given before is not free, and is its own.
            let partial = capture.map { Self.partialName($0) }
            let own = try partial.flatMap { (name) throws(DiskError) in
                try folders.incoming.allocated(to: name)
            }
            let size = whole - min(whole, own ?? 0)
            if whole > space.total {
                throw DiskError(
                    .tooLarge,
                    "\(folders.root.path): \(Human.bytes(whole)) are more than that whole disk. Use a larger one."
                )
            }
            let room = Retention.Room(free: space.free, reserve: reserve.size(on: space), wanted: size)
            return room.isShort ? size : nil
        }
    }

    // MARK: Folders

    private func opened() throws(DiskError) -> Folders {
        if let folders { return folders }
        let root = try openRoot()
        let incoming = try root.folder(Self.incomingName)
        let eventFolder = try root.folder(event)
        // The names of the folders themselves, before any file in them counts.
        try root.sync()
        let opened = Folders(root: root, incoming: incoming, event: eventFolder)
        folders = opened
        return opened
    }

    /// The spool may have been removed under us: the folders are made again and the step is tried once more.
    private func retryingWhenMissing<Result>(
        _ step: (Folders) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        do throws(DiskError) {
            return try step(try opened())
        } catch {
            guard error.meaning == .missing else { throw error }
            folders = nil
            return try step(try opened())
        }
    }
}
