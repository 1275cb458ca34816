/// Pictures in memory, so many bytes of them; those go first that were asked for longest ago.
struct PictureShelf {
    struct Key: Hashable {
        let photo: String
        let size: PictureSize
    }

    private struct Entry {
        let bytes: [UInt8]
        var used: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private(set) var count = 0
    private var clock: UInt64 = 0
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    mutating func take(_ key: Key) -> [UInt8]? {
        clock += 1
        entries[key]?.used = clock
        return entries[key]?.bytes
    }

    mutating func put(_ bytes: [UInt8], for key: Key) {
        guard bytes.count <= limit, entries[key] == nil else { return }
        clock += 1
        entries[key] = Entry(bytes: bytes, used: clock)
        count += bytes.count
        while count > limit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
            entries[oldest.key] = nil
            count -= oldest.value.bytes.count
        }
    }
}
