import Posix

@testable import Gallery

/// Looks at videos on a thread of the tests.
struct VideoThread: VideoWorker {
    private let threads = DiskThreads(count: 1)

    init() {}

    func prepare(_ job: VideoJob) async throws(VideoProblem) -> PreparedVideo {
        let result = await threads.perform { VideoWire.result(of: job) }
        if case .failure = result { job.removeLeftovers() }
        return try result.get()
    }
}
