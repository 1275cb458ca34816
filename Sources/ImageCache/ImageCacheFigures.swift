/// How an image cache does, as numbers since it was opened; for a status and for metrics.
package struct ImageCacheFigures: Equatable, Sendable {
    /// Requests answered from memory, and from the disk, without a word to the gallery.
    package internal(set) var memoryHits: UInt64 = 0
    package internal(set) var diskHits: UInt64 = 0
    /// Requests that were not: they made a fetch, shared another's, or failed.
    package internal(set) var misses: UInt64 = 0
    /// Of those, the ones that have got their image from the gallery, and the ones that ended without.
    package internal(set) var answered: UInt64 = 0
    package internal(set) var unanswered: UInt64 = 0
    /// Of those, the ones that shared a fetch that was under way.
    package internal(set) var shared: UInt64 = 0
    /// Requests to the gallery.
    package internal(set) var fetches: UInt64 = 0
    /// Of those, the ones it answered "not modified".
    package internal(set) var revalidated: UInt64 = 0
    package internal(set) var failures: UInt64 = 0
    package internal(set) var bytesFetched: UInt64 = 0
    /// Files that went to make room.
    package internal(set) var evicted: UInt64 = 0
    /// How often the index was found damaged and begun anew.
    package internal(set) var rebuilt: UInt64 = 0

    package internal(set) var imagesInMemory = 0
    package internal(set) var bytesInMemory = 0
    package internal(set) var imagesOnDisk = 0
    package internal(set) var bytesOnDisk: UInt64 = 0
    /// Why nothing is kept on the disk at the moment, and what to do; nothing where all is well.
    package internal(set) var problem: String?

    package init() {}

    /// The share of requests that needed no network; nothing before the first.
    package var hitRatio: Double? {
        let asked = memoryHits + diskHits + misses
        return asked == 0 ? nil : Double(memoryHits + diskHits) / Double(asked)
    }
}
