import Posix

/// What videos are worked on by.
package struct VideoStudio: Sendable {
    let worker: any VideoWorker
    /// Nothing where there is no program that takes pictures out of videos.
    let posters: (any PosterMaker)?
    private let threads = DiskThreads(count: 1)

    package init(_ worker: any VideoWorker, posters: (any PosterMaker)? = nil) {
        self.worker = worker
        self.posters = posters
    }

    /// A file that is to be rendered, in the place of a frame.
    func keep(_ bytes: [UInt8], as name: String, in folder: String) async throws {
        try await threads.store { () throws(SystemError) in
            let file = try StagedFile(in: try Directory(path: folder), partialName: name)
            try file.truncate(to: 0)
            try file.write(bytes, at: 0)
        }
    }
}
