/// What videos are worked on by.
package struct VideoStudio: Sendable {
    let worker: any VideoWorker
    /// Nothing where there is no program that takes pictures out of videos.
    let posters: (any PosterMaker)?

    package init(_ worker: any VideoWorker, posters: (any PosterMaker)? = nil) {
        self.worker = worker
        self.posters = posters
    }
}
