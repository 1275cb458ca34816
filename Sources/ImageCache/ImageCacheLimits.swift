/// What an image cache may take up.
package struct ImageCacheLimits: Equatable, Sendable {
    /// Of images in memory: some thousand small ones, or some dozen large.
    package var memoryBytes = 64 << 20
    /// Of the files; the index comes on top, some 600 bytes for each.
    package var diskBytes: UInt64 = 2 << 30
    /// Files on the disk.
    package var mostImages = 100_000
    /// A larger one is no image for a screen. Originals of some cameras are larger; they are not for this cache.
    package var largestImage = 48 << 20
    /// Fetches at a time: they share the way to the gallery with the photos that go there.
    package var mostFetches = 4
    /// Callers that wait for fetches.
    package var mostAskers = 2000

    package init() {}

    /// Of one image in memory: a single large one does not drive out all others.
    var largestInMemory: Int { memoryBytes / 4 }
}
