package import Posix

/// What a program says of itself beside the bridge's status.
package struct ProgramFigures: Sendable {
    /// Pictures that were asked for, by where they were found. The share that needed no network is the hit ratio.
    package struct ImageCache: Equatable, Sendable {
        package var fromMemory = 0
        package var fromDisk = 0
        package var fromNetwork = 0
        package var failed = 0
        package var memoryBytes: UInt64 = 0
        package var diskBytes: UInt64 = 0

        package init() {}
    }

    package var version: String
    /// Of the bridge; nothing where none runs.
    package var process: ProcessFigures?
    /// Nothing where there is no such cache.
    package var imageCache: ImageCache?

    package init(version: String, process: ProcessFigures? = nil, imageCache: ImageCache? = nil) {
        self.version = version
        self.process = process
        self.imageCache = imageCache
    }
}
