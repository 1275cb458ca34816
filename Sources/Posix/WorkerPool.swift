import Glibc

/// What a worker is asked, and what it may answer: a line each way.
package protocol WorkerJob: Sendable {
    associatedtype Answer: Sendable
    associatedtype Problem: Error

    /// Longer ones are not read.
    static var longestAnswer: Int { get }
    var line: String { get }
    /// Throws where the answer makes no sense.
    func answer(_ line: String) throws -> Result<Answer, Problem>
    static func problem(_ trouble: WorkerTrouble) -> Problem
    /// Takes away what a failed try may have left.
    func removeLeftovers()
}

/// Why a worker gave no answer.
package enum WorkerTrouble: Error, Equatable, Sendable {
    case late(Duration)
    case tooMuchProcessor(seconds: Int)
    /// No library ends like this: a machine without memory, or an operator, did it.
    case killed
    case signal(Int32)
    case exit(Int32)
    /// It was killed, and is in the system still.
    case hangs
    case nonsense
    /// The pool is being stopped; nothing is known about the job.
    case stopped
    case cannotStart(String)
}

/// Gives jobs to processes of their own, a few at a time, each job to whichever comes free.
///
/// A worker that dies or stalls is replaced, and only the job it worked on fails.
package final class WorkerPool<Job: WorkerJob>: Sendable {
    private let program: String
    private let arguments: [String]
    package let count: Int
    private let limits: WorkerLimits
    private let reactor: Reactor
    private let queue = WorkerQueue<Job>()

    /// As many workers as there are processors, where no count is given.
    package init(
        program: String, arguments: [String], count: Int?, limits: WorkerLimits, on reactor: Reactor
    ) {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        self.program = program
        self.arguments = arguments
        self.count = count ?? max(1, processors)
        self.limits = limits
        self.reactor = reactor
        precondition(self.count > 0, "a pool has at least one worker")
    }

    /// Waits for a worker, and for what it makes of the job. When there is a problem, nothing is left behind.
    package func perform(_ job: Job) async throws(Job.Problem) -> Job.Answer {
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

    /// One worker after the other; each is started when there is something to do.
    private func attend() async {
        var worker: WorkerProcess?
        while let order = await queue.next() {
            let result: Result<Job.Answer, Job.Problem>
            do {
                let asked = try worker ?? start()
                worker = asked
                result = try await ask(asked, order.job)
            } catch {
                // Whatever it was, it is not asked again.
                await worker?.end()
                worker = nil
                result = .failure(Job.problem(trouble(error)))
            }
            if case .failure = result { order.job.removeLeftovers() }
            order.answer.resume(returning: result)
        }
        await worker?.end()
    }

    private func start() throws(WorkerTrouble) -> WorkerProcess {
        do throws(SystemError) {
            // A backtrace of a library would take seconds, and say nothing about the file.
            return try WorkerProcess(
                program, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], on: reactor)
        } catch {
            throw .cannotStart("\(error)")
        }
    }

    private func ask(
        _ worker: WorkerProcess, _ job: Job
    ) async throws -> Result<Job.Answer, Job.Problem> {
        let line = try await worker.ask(job.line, within: limits.wall, longest: Job.longestAnswer)
        return try job.answer(line)
    }

    /// What a worker's end says.
    private func trouble(_ error: any Error) -> WorkerTrouble {
        switch error {
        case let trouble as WorkerTrouble: trouble
        case WorkerProcess.Failure.late: .late(limits.wall)
        case WorkerProcess.Failure.ended(.signal(SIGXCPU)):
            .tooMuchProcessor(seconds: limits.processorSeconds)
        case WorkerProcess.Failure.ended(.signal(SIGKILL)): .killed
        case WorkerProcess.Failure.ended(.signal(let number)): .signal(number)
        case WorkerProcess.Failure.ended(.exit(let code)): .exit(code)
        case WorkerProcess.Failure.ended(.none): .hangs
        case WorkerProcess.Failure.cancelled: .stopped
        // What it answered could not be read.
        default: .nonsense
        }
    }
}
