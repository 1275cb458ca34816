import Basics
import Glibc
package import Posix

/// Looks at videos and makes their copies: in a process of its own, or on a thread of the tests.
package protocol VideoWorker: Sendable {
    func prepare(_ job: VideoJob) async throws(VideoProblem) -> PreparedVideo
}

/// The life of a worker, a video on each line. It is a process of its own because it meets bytes from strangers: what those do
/// ends this process, and one video.
package func videoMain(largest: UInt64) -> Int32 {
    workerMain(VideoPool.limits(largest: largest), answering: VideoWire.answer)
}

/// Works on videos in processes of its own.
package final class VideoPool: VideoWorker {
    private let pool: WorkerPool<VideoJob>

    /// This program itself, whatever it is called.
    package static let ownProgram = "/proc/self/exe"
    /// With this and the largest video's bytes the program calls ``videoMain(largest:)``.
    package static let argument = "video"
    /// A disk of the slowest kind reads, copies and reads again so many bytes a second.
    private static let slowest: UInt64 = 4 << 20
    private static let shortest = 120

    package init(largest: UInt64, program: String = ownProgram, count: Int = 1, on reactor: Reactor) {
        pool = WorkerPool(
            program: program, arguments: [Self.argument, "\(largest)"], count: count,
            limits: Self.limits(largest: largest), on: reactor)
    }

    static func limits(largest: UInt64) -> WorkerLimits {
        var limits = WorkerLimits()
        let seconds = shortest + Int(clamping: largest / slowest)
        (limits.wall, limits.processorSeconds) = (.seconds(seconds), seconds)
        limits.fileSize = Int(clamping: largest)
        return limits
    }

    package func prepare(_ job: VideoJob) async throws(VideoProblem) -> PreparedVideo {
        try await pool.perform(job)
    }

    /// Until the task is cancelled, which ends what is under way.
    package func run() async { await pool.run() }
}

extension VideoJob: WorkerJob {
    package static var longestAnswer: Int { VideoWire.longestLine }

    package var line: String { VideoWire.line(self) }

    package func answer(_ line: String) throws -> Result<PreparedVideo, VideoProblem> {
        try VideoWire.answer(to: line)
    }

    package func removeLeftovers() {
        if unlink(copy) != 0 && errno != ENOENT {
            // It lies where copies are made, and that folder is emptied at the next start.
            return
        }
    }

    /// What a worker's end says about the video.
    package static func problem(_ trouble: WorkerTrouble) -> VideoProblem {
        switch trouble {
        case .late(let limit): VideoProblem(.timeout, "working on the video took longer than \(limit)")
        case .tooMuchProcessor(let seconds):
            VideoProblem(.timeout, "working on the video took more than \(seconds) s of processor time")
        case .killed: VideoProblem(.storage, "the worker was killed while it was at this video")
        case .signal(let number):
            VideoProblem(.crashed, "the worker was ended by signal \(number) while it was at this video")
        case .exit(let code):
            VideoProblem(.storage, "the worker ended with code \(code) instead of an answer")
        case .hangs: VideoProblem(.crashed, "the worker hangs in the system while it is at this video")
        case .stopped: VideoProblem(.stopped, "work on videos is being stopped")
        case .nonsense: VideoProblem(.crashed, "the worker answered what makes no sense")
        case .cannotStart(let reason): VideoProblem(.storage, "no worker could be started: \(reason)")
        }
    }
}
