import Basics
import Glibc
import Imaging
package import Posix

/// Renders photos in processes of their own, a few at a time, each photo by whichever comes free.
///
/// A renderer that dies or stalls is replaced, and only the photo it worked on fails.
package final class RenderPool: Sendable {
    private let program: String
    private let arguments: [String]
    package let count: Int
    private let limits: RenderLimits
    private let reactor: Reactor
    private let queue = RenderQueue()

    /// This program itself, whatever it is called.
    package static let ownProgram = "/proc/self/exe"

    /// As many renderers as there are processors, where no count is given. With these arguments the program calls
    /// ``renderMain()``.
    package init(
        program: String = ownProgram, arguments: [String] = ["render"], count: Int? = nil,
        limits: RenderLimits = RenderLimits(), on reactor: Reactor
    ) {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        self.program = program
        self.arguments = arguments
        self.count = count ?? max(1, processors)
        self.limits = limits
        self.reactor = reactor
        precondition(self.count > 0, "a pool has at least one renderer")
    }

    /// Waits for a renderer, and for what it makes of the photo. When there is a problem, no rendition is left behind.
    package func render(_ job: RenderJob) async throws(RenderProblem) -> RenderedPhoto {
        try await queue.wait(for: job)
    }

    /// Until the task is cancelled, which ends what is under way.
    package func run() async {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask(executorPreference: reactor) { await self.attend() }
                }
            }
        } onCancel: {
            queue.close()
        }
    }

    /// One renderer after the other; each is started when there is something to do.
    private func attend() async {
        var worker: WorkerProcess?
        while let order = await queue.next() {
            let result: Result<RenderedPhoto, RenderProblem>
            do {
                let asked = try worker ?? start()
                worker = asked
                result = try await ask(asked, order.job)
            } catch {
                // Whatever it was, it is not asked again.
                await worker?.end()
                worker = nil
                result = .failure(RenderProblem(error, limits))
            }
            if case .failure = result { Self.remove(order.job) }
            order.answer.resume(returning: result)
        }
        await worker?.end()
    }

    private func start() throws(SystemError) -> WorkerProcess {
        // A backtrace of a decoder would take seconds, and say nothing about the photo.
        try WorkerProcess(program, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], on: reactor)
    }

    private func ask(
        _ worker: WorkerProcess, _ job: RenderJob
    ) async throws -> Result<RenderedPhoto, RenderProblem> {
        let line = try await worker.ask(
            RenderWire.line(job), within: limits.wall, longest: RenderWire.longestLine)
        return try RenderWire.answer(line, to: job)
    }

    private static func remove(_ job: RenderJob) {
        for rendition in job.renditions where unlink(rendition.path) != 0 && errno != ENOENT {
            // It lies where renditions are made, and that folder is emptied at the next start.
            continue
        }
    }
}

extension RenderProblem {
    /// What a renderer's end says about the photo.
    fileprivate init(_ error: any Error, _ limits: RenderLimits) {
        let late = "rendering took longer than \(limits.wall)"
        switch error {
        case WorkerProcess.Failure.late: self.init(.timeout, late)
        case WorkerProcess.Failure.ended(.signal(SIGXCPU)):
            self.init(.timeout, "rendering took more than \(limits.processorSeconds) s of processor time")
        // No decoder ends like this: a machine without memory, or an operator, did it.
        case WorkerProcess.Failure.ended(.signal(SIGKILL)):
            self.init(.storage, "the renderer was killed while it worked on this file")
        case WorkerProcess.Failure.ended(.signal(let number)):
            self.init(.crashed, "the decoder was ended by signal \(number) while it worked on this file")
        case WorkerProcess.Failure.ended(.exit(let code)):
            self.init(.storage, "the renderer ended with code \(code) instead of an answer")
        case WorkerProcess.Failure.ended(.none):
            self.init(.crashed, "the decoder hangs in the system while it works on this file")
        case WorkerProcess.Failure.cancelled: self.init(.stopped, "rendering is being stopped")
        case WorkerProcess.Failure.nonsense, is RenderWire.Nonsense, is JSON5Error:
            self.init(.crashed, "the decoder answered what makes no sense")
        default: self.init(.storage, "no renderer could be started: \(error)")
        }
    }
}
