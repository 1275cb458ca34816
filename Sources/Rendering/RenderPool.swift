import Glibc
import Imaging
package import Posix

/// Renders photos in processes of their own, a few at a time.
package final class RenderPool: Sendable {
    private let pool: WorkerPool<RenderJob>

    /// This program itself, whatever it is called.
    package static let ownProgram = "/proc/self/exe"
    /// With these the program calls ``renderMain()``, and with no others.
    package static let arguments = ["render"]

    /// As many renderers as there are processors, where no count is given.
    package init(
        program: String = ownProgram, arguments: [String] = RenderPool.arguments, count: Int? = nil,
        limits: WorkerLimits = WorkerLimits(), on reactor: Reactor
    ) {
        pool = WorkerPool(
            program: program, arguments: arguments, count: count, limits: limits, on: reactor)
    }

    package var count: Int { pool.count }

    /// Waits for a renderer, and for what it makes of the photo. When there is a problem, no rendition is left behind.
    package func render(_ job: RenderJob) async throws(RenderProblem) -> RenderedPhoto {
        try await pool.perform(job)
    }

    /// Until the task is cancelled, which ends what is under way.
    package func run() async { await pool.run() }
}

extension RenderJob: WorkerJob {
    package static var longestAnswer: Int { RenderWire.longestLine }

    package var line: String { RenderWire.line(self) }

    package func answer(_ line: String) throws -> Result<RenderedPhoto, RenderProblem> {
        try RenderWire.answer(line, to: self)
    }

    package func removeLeftovers() {
        for rendition in renditions where unlink(rendition.path) != 0 && errno != ENOENT {
            // It lies where renditions are made, and that folder is emptied at the next start.
            continue
        }
    }

    /// What a renderer's end says about the photo.
    package static func problem(_ trouble: WorkerTrouble) -> RenderProblem {
        switch trouble {
        case .late(let limit): RenderProblem(.timeout, "rendering took longer than \(limit)")
        case .tooMuchProcessor(let seconds):
            RenderProblem(.timeout, "rendering took more than \(seconds) s of processor time")
        case .killed: RenderProblem(.storage, "the renderer was killed while it worked on this file")
        case .signal(let number):
            RenderProblem(
                .crashed, "the decoder was ended by signal \(number) while it worked on this file")
        case .exit(let code):
            RenderProblem(.storage, "the renderer ended with code \(code) instead of an answer")
        case .hangs:
            RenderProblem(.crashed, "the decoder hangs in the system while it works on this file")
        case .stopped: RenderProblem(.stopped, "rendering is being stopped")
        case .nonsense: RenderProblem(.crashed, "the decoder answered what makes no sense")
        case .cannotStart(let reason): RenderProblem(.storage, "no renderer could be started: \(reason)")
        }
    }
}
