package import Posix
import Synchronization

/// Room on the database's disk that is kept for hosts: a file of no use, which is given up when a change finds no room.
///
/// - Held: uploads are taken.
/// - Given up: the disk was full. What a host writes has the file's room: a log-in, and above all deleting photos. Uploads
///   are refused and none is worked on, or they would take that room as well. It is left when there is room again for the
///   file, and as much beside it.
package final class DiskReserve: Sendable {
    package static let name = "reserve"
    /// To delete an event of 50,000 photos takes half of that in SQLite's log.
    static let most: UInt64 = 64 << 20
    /// A small disk gives no more than this part.
    static let part: UInt64 = 16
    /// A disk is called full when less than this part of it is free, or this much where that is less.
    static let fullPart: UInt64 = 256
    static let fullBelow: UInt64 = 16 << 20

    private let folder: Directory
    private let log: GalleryLog
    private let held = Mutex(false)

    /// Where the disk is full already, the file of a run before makes room for the start.
    package init(in folder: Directory, log: GalleryLog) throws(SystemError) {
        self.folder = folder
        self.log = log
        if try folder.facts(of: Self.name) != nil {
            if try Self.isFull(folder) {
                try folder.remove(Self.name)
            } else if try Self.makes(Self.size(try folder.space()), in: folder) {
                // What is there costs nothing; a run may have ended before all of it was set aside.
                held.withLock { $0 = true }
            }
        }
        if !hasRoom() { log.warning("\(folder.path): the disk is full, so no photos are taken; make room") }
    }

    /// Whether uploads are taken. Where the file was given up it is made anew as soon as there is room.
    package func hasRoom() -> Bool {
        held.withLock { held in
            if !held { held = refill() }
            return held
        }
    }

    package static func isFull(_ folder: Directory) throws(SystemError) -> Bool {
        let space = try folder.space()
        return space.free < min(fullBelow, space.total / fullPart)
    }

    /// Whether there is more room now than before.
    func giveUp() -> Bool {
        held.withLock { held in
            guard held else { return false }
            held = false
            do throws(SystemError) {
                try folder.remove(Self.name)
            } catch {
                log.error("the reserve cannot be given up: \(error)")
                return false
            }
            log.error(
                "\(folder.path): the disk is full; no photos are taken until there is room, hosts can log in and delete"
            )
            return true
        }
    }

    private static func size(_ space: (free: UInt64, total: UInt64)) -> UInt64 {
        min(most, space.total / part)
    }

    private func refill() -> Bool {
        do throws(SystemError) {
            let space = try folder.space()
            let size = Self.size(space)
            guard space.free >= 2 * size else { return false }
            return try Self.makes(size, in: folder)
        } catch {
            log.warning("no room can be kept for hosts: \(error)")
            return false
        }
    }

    /// False where others fill the disk at this very moment.
    private static func makes(_ size: UInt64, in folder: Directory) throws(SystemError) -> Bool {
        let file = try StagedFile(in: folder, partialName: name, mode: 0o600)
        do throws(SystemError) {
            let isSetAside = try file.preallocate(size)
            if !isSetAside, try file.size() < size { try fill(file, size) }
            return true
        } catch {
            try file.discard()
            if error.kind == .noRoom { return false }
            throw error
        }
    }

    /// Where a file system cannot set room aside for a file that is empty.
    private static func fill(_ file: StagedFile, _ size: UInt64) throws(SystemError) {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
        defer { piece.deallocate() }
        piece.initializeMemory(as: UInt8.self, repeating: 0)
        for offset in stride(from: 0, to: size, by: piece.count) {
            try file.write(UnsafeRawBufferPointer(piece), at: offset)
        }
    }
}
