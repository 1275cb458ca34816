import Basics
import Database
import Posix

/// What comes, and what goes to make room.
extension DiskShelf {
    /// Keeps it where there is room, and otherwise not.
    func keep(_ row: ImageRow, _ bytes: [UInt8]) {
        guard UInt64(row.size) <= limits.diskBytes, let open = opened() else { return }
        if let again = writesAgain {
            guard time.now >= again else { return }
            writesAgain = nil
            problem = nil
        }
        attempt {
            try remove(open, try open.index.keys(replacedBy: row))
            try makeRoom(open, files: 1, bytes: UInt64(row.size))
            guard try leavesReserve(open, UInt64(row.size)) else { return rest(open) }
            try open.folder.write(bytes, as: row.cacheKey)
            do {
                try open.index.put(row, at: now)
            } catch {
                try open.folder.remove(row.cacheKey)
                throw error
            }
        }
    }

    func renew(_ row: ImageRow) {
        guard let open = opened() else { return }
        attempt { try open.index.renew(row) }
    }

    /// Within the cache's own limits.
    func makeRoom(_ open: Open, files: Int, bytes: UInt64) throws {
        while open.index.count > 0,
            open.index.bytes + bytes > limits.diskBytes || open.index.count + files > limits.mostImages
        {
            let tooMany = open.index.count + files - limits.mostImages
            let tooLarge = open.index.bytes + bytes > limits.diskBytes
            // One at a time for bytes: how large they are is not known here.
            try evict(open, atMost: tooLarge ? 1 : min(tooMany, Self.batch))
        }
    }

    /// Files of the cache go until the disk has room for it beside the reserve.
    private func leavesReserve(_ open: Open, _ bytes: UInt64) throws -> Bool {
        while true {
            let space = try open.folder.space()
            let (needed, isTooMuch) = reserve(space).addingReportingOverflow(bytes)
            if !isTooMuch, space.free >= needed { return true }
            guard open.index.count > 0 else { return false }
            let average = max(1, open.index.bytes / UInt64(open.index.count))
            let missing = isTooMuch ? .max : needed - space.free
            try evict(open, atMost: Int(min(missing / average + 1, UInt64(Self.batch))))
        }
    }

    private func evict(_ open: Open, atMost count: Int) throws {
        do {
            try open.index.writeUses()
        } catch  where DiskTrouble(error) == .noRoom {
            // Then the order is the one that was written last; the rows of files that go need less than these.
            open.index.forgetUses()
        }
        let keys = try open.index.leastRecentlyUsed(count)
        guard !keys.isEmpty else {
            throw DatabaseError(.corrupt, "it counts images that it does not have", path: open.folder.path)
        }
        try remove(open, keys)
        evicted += UInt64(keys.count)
    }

    /// Others need room: how many bytes of files went.
    func giveWay(_ wanted: UInt64) -> UInt64 {
        // A cache that was never used has nothing to give, and is not begun on a full disk.
        guard isOpen || attempt({ try ImageIndex.isThere(in: path) }) == true, let open = opened() else {
            return 0
        }
        let before = open.index.bytes
        attempt { if try !leavesReserve(open, wanted) { rest(open) } }
        return before - min(before, bytes)
    }
}
