/// How many blocks are read at a time: as many as it seems to take until the page is full.
struct BlockReading {
    private let limit: Int
    private let fewest: Int
    /// Half a megabyte of texts as they usually are.
    private static let most = 192
    private var read = 0
    private(set) var count: Int

    init(_ filter: PhotoFilter, fewest: Int) {
        limit = filter.limit
        self.fewest = fewest
        count = max(fewest, filter.limit / 16)
    }

    /// So many more were read, and so many photos of the page are found.
    mutating func goOn(_ blocks: Int, _ found: Int) {
        read += blocks
        let missing = found > 0 ? (limit - found) * read * 5 / (4 * found) : 4 * count
        count = min(max(missing, fewest), Self.most)
    }
}
