import Basics
import Posix

/// What is looked at, and what may not be looked at any more.
extension DiskShelf {
    // MARK: Looking

    func row(_ cacheKey: String) -> ImageRow? {
        guard let open = opened() else { return nil }
        return attempt { try open.index.row(cacheKey) } ?? nil
    }

    func row(of object: ImageObject, _ kind: String) -> ImageRow? {
        guard let open = opened() else { return nil }
        return attempt { try open.index.row(of: object, kind) } ?? nil
    }

    func objects(of owner: ImageOwner, after last: ImageObject?, limit: Int) -> [ImageObject] {
        guard let open = opened() else { return [] }
        return attempt { try open.index.objects(of: owner, after: last, limit: limit) } ?? []
    }

    func isDeleted(_ object: ImageObject) -> Bool {
        guard let open = opened() else { return false }
        return attempt { try open.index.isDeleted(object) } ?? false
    }

    /// The bytes as they were written. A file that is gone, or that the disk has changed, is dropped with its row.
    func bytes(of row: ImageRow) -> [UInt8]? {
        guard let open = opened() else { return nil }
        let bytes = attempt { () throws -> [UInt8]? in
            guard row.size <= limits.largestImage,
                let bytes = try open.folder.read(row.cacheKey, size: row.size),
                row.isOf(bytes)
            else {
                try remove(open, [row.cacheKey])
                return nil
            }
            return bytes
        }
        return bytes ?? nil
    }

    func use(_ cacheKey: String) {
        guard case .open(let open) = state else { return }
        open.index.use(cacheKey, at: now)
        let isDue = lastWriteOfUses.map { time.now - $0 >= Self.longestPending } ?? true
        guard open.index.pending.count >= Self.mostPendingUses || isDue else { return }
        writeUses(open)
    }

    private func writeUses(_ open: Open) {
        lastWriteOfUses = time.now
        attempt { try open.index.writeUses() }
    }

    /// What has expired goes, and what is known of uses is written.
    func tidy() {
        guard let open = opened() else { return }
        attempt { try dropForeign(open) }
        writeUses(open)
    }

    // MARK: Letting go

    func drop(_ selection: ImageSelection) {
        dropping { open in try remove(open, try open.index.keys(meantBy: selection)) }
    }

    func drop(cacheKeys keys: [String]) {
        dropping { open in try remove(open, keys) }
    }

    func allow(_ access: ImageAccess) {
        self.access = access
        dropping { open in try dropForeign(open) }
    }

    func markDeleted(_ object: ImageObject) {
        dropping { open in
            for key in try open.index.keys(meantBy: .object(object)) { try open.folder.remove(key) }
            try open.index.markDeleted(object, at: now)
        }
    }

    func forgetDeletion(of object: ImageObject) {
        guard let open = opened() else { return }
        attempt { try open.index.forgetDeletion(of: object) }
    }

    /// What has to go goes: where the index cannot say which files those are, all of them do.
    private func dropping(_ body: (Open) throws -> Void) {
        if let open = opened(), attempt({ try body(open) }) != nil { return }
        if case .ended = state { return }
        attempt { try removeFiles(try ImageFolder(path: path)) }
        if case .open = state { state = .notOpened }
    }

    func remove(_ open: Open, _ keys: [String]) throws {
        for key in keys { try open.folder.remove(key) }
        try open.index.remove(keys)
    }

    func end() {
        if case .open(let open) = state { attempt { try open.index.end() } }
        state = .ended
    }
}
