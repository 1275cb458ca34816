package import Posix
import Synchronization

/// Room on the database's disk that is kept for hosts: a file without content, which is given up when a change finds no room.
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
    private let held = Atomic<Bool>(false)

    /// Where the disk is full already, the file of a run before makes room for the start.
    package init(in folder: Directory, log: GalleryLog) throws(SystemError) {
        self.folder = folder
        self.log = log
        if try folder.facts(of: Self.name) != nil {
            let isFull = try Self.isFull(folder)
            if isFull {
                try folder.remove(Self.name)
            } else {
                held.store(true, ordering: .releasing)
            }
        }
        if !hasRoom() { log.warning("\(folder.path): the disk is full, so no photos are taken; make room") }
    }

    /// Whether uploads are taken. Where the file was given up it is made anew as soon as there is room.
    package func hasRoom() -> Bool {
        if held.load(ordering: .acquiring) { return true }
        refill()
        return held.load(ordering: .acquiring)
    }

    package static func isFull(_ folder: Directory) throws(SystemError) -> Bool {
        let space = try folder.space()
        return space.free < min(fullBelow, space.total / fullPart)
    }

    /// Whether there is more room now than before.
    func giveUp() -> Bool {
        guard held.exchange(false, ordering: .acquiringAndReleasing) else { return false }
        do throws(SystemError) {
            try folder.remove(Self.name)
            log.error(
                "\(folder.path): the disk is full; no photos are taken until there is room, hosts can log in and delete"
            )
            return true
        } catch {
            log.error("the reserve cannot be given up: \(error)")
            return false
        }
    }

    private func refill() {
        do throws(SystemError) {
            let space = try folder.space()
            let size = min(Self.most, space.total / Self.part)
            guard space.free >= 2 * size else { return }
            let file = try StagedFile(in: folder, partialName: Self.name, mode: 0o600)
            do throws(SystemError) {
                try file.preallocate(size)
            } catch {
                try file.discard()
                throw error
            }
            held.store(true, ordering: .releasing)
        } catch {
            // Others fill the disk at this very moment; it is tried again.
            if error.kind != .noRoom { log.warning("no room can be kept for hosts: \(error)") }
        }
    }
}
