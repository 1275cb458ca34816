import CLinux
import Glibc
import Synchronization

/// Another program, run from its start to its end: with the arguments and the environment given and nothing of ours, never
/// through a shell.
///
/// It leads a process group of its own. Whatever ends it ends the whole group: when it is stopped, and when it ends by
/// itself and leaves children behind. Waiting is the reactor's; no thread blocks in a system call, and no signal handler
/// is needed.
package struct ChildProcess: Sendable {
    package var program: String
    /// Without the program's own name, which is its path.
    package var arguments: [String]
    /// All of it.
    package var environment: [String: String]
    /// It is asked to end after so long, and made to end when it does not.
    package var within: Duration?
    /// How long it may take to end when it is asked to.
    package var grace = Duration.seconds(2)
    package var output = Keeping.nothing
    package var errors = Keeping.nothing

    /// What becomes of what it writes.
    package enum Keeping: Sendable {
        case nothing
        /// The first bytes; the rest is read and forgotten.
        case first(Int)
        case last(Int)
        /// Called on the reactor.
        case each(@Sendable ([UInt8]) -> Void)
    }

    package struct Exit: Equatable, Sendable {
        package enum Cause: Equatable, Sendable {
            case exit(Int32)
            case signal(Int32)
            /// Even a kill did not end it: it hangs in the kernel, and is left to that.
            case none
        }

        package enum Stop: Equatable, Sendable {
            case timeout
            case cancelled
        }

        package var cause: Cause
        /// Why it was made to end, where it did not end by itself.
        package var stop: Stop?
        package var output: [UInt8] = []
        package var errors: [UInt8] = []

        /// What went wrong, behind the program's name, with the last line that it wrote to its errors; nothing where nothing did.
        /// `owner` is who has asked it to end, where one has.
        package func problem(within limit: Duration, owner: String) -> String? {
            let what: String
            switch (stop, cause) {
            case (nil, .exit(0)): return nil
            case (.timeout, _): what = "was ended because it took longer than \(limit)"
            case (.cancelled, _): what = "was ended because \(owner) ends"
            case (nil, .exit(let code)): what = "ended with exit code \(code)"
            case (nil, .signal(let number)): what = "was ended by signal \(number)"
            case (nil, .none): what = "cannot be ended"
            }
            let lines = String(decoding: errors, as: UTF8.self).split { $0.isNewline }
            guard let last = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) else { return what }
            return "\(what): \(last)"
        }
    }

    package init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
    }

    /// Whether there is such a program and this user may run it.
    package static func check(_ program: String) throws(SystemError) {
        var facts = stat()
        try Posix.check("looking for the program", on: program) { stat(program, &facts) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("running what is no program", EACCES, on: program)
        }
        try Posix.check("running the program", on: program) { access(program, X_OK) }
    }

    /// Returns when it has ended. A cancelled task asks it to end, and waits for that.
    package func run(on reactor: Reactor) async throws(SystemError) -> Exit {
        let child = try RunningChild(self)
        let work = Task(executorPreference: reactor) { await child.attend(on: reactor) }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            child.stop()
        }
    }
}

/// One that runs.
private final class RunningChild: Sendable {
    private let settings: ChildProcess
    private let pid: pid_t
    private let ended: OwnedDescriptor
    private let output: ChildOutput?
    private let errors: ChildOutput?
    private let state = Mutex(State())

    private struct State {
        var isAskedToStop = false
        var nap: Task<Reactor.Wakening, Never>?
    }

    /// What a killed process may take to be gone.
    private static let longestDying = Duration.seconds(10)

    init(_ settings: ChildProcess) throws(SystemError) {
        self.settings = settings
        let output = try ChildOutput.make(settings.output)
        let errors = try ChildOutput.make(settings.errors)
        let words = [settings.program] + settings.arguments
        let variables = settings.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        precondition(
            !(words + variables).contains { $0.utf8.contains(0) }, "what a program is given ends at a zero")
        // Only the child holds the writing ends when this is done.
        defer { for pipe in [output, errors].compactMap({ $0 }) { close(pipe.writing) } }
        let pid = try withWords(words) { words throws(SystemError) in
            try withWords(variables) { variables throws(SystemError) in
                try check("running the program", on: settings.program) {
                    tl_spawn(
                        settings.program, words, variables, output?.writing ?? -1, errors?.writing ?? -1)
                }
            }
        }
        self.pid = pid
        self.output = output?.reading
        self.errors = errors?.reading
        do throws(SystemError) {
            ended = OwnedDescriptor(
                owning: try check("pidfd_open", on: settings.program) { tl_pid_descriptor(pid) })
        } catch {
            kill(-pid, SIGKILL)
            _ = tl_reap(pid)
            throw error
        }
    }

    /// From any thread, at any time.
    func stop() {
        state.withLock { state in
            state.isAskedToStop = true
            state.nap?.cancel()
        }
    }

    func attend(on reactor: Reactor) async -> ChildProcess.Exit {
        await withTaskGroup(of: Void.self) { group in
            for stream in [output, errors].compactMap({ $0 }) {
                group.addTask(executorPreference: reactor) { await stream.read(on: reactor) }
            }
            var ending = await waitForEnd(on: reactor)
            // Other processes that hold ends of the pipes have been killed, or do not matter.
            group.cancelAll()
            await group.waitForAll()
            ending.output = output?.kept ?? []
            ending.errors = errors?.kept ?? []
            return ending
        }
    }

    private func waitForEnd(on reactor: Reactor) async -> ChildProcess.Exit {
        var stop: ChildProcess.Exit.Stop?
        var wakening = await wait(until: settings.within.map { reactor.now + $0 }, on: reactor)
        if wakening != .ready {
            stop = wakening == .deadline ? .timeout : .cancelled
            kill(-pid, SIGTERM)
            wakening = await wait(until: reactor.now + settings.grace, on: reactor, isStopping: true)
        }
        // The child's number is its own until it is reaped, and so is the group's: what it leaves behind goes with it.
        kill(-pid, SIGKILL)
        if wakening != .ready {
            wakening = await wait(until: reactor.now + Self.longestDying, on: reactor, isStopping: true)
        }
        guard wakening == .ready else { return ChildProcess.Exit(cause: .none, stop: stop) }
        let code = tl_reap(pid)
        return ChildProcess.Exit(cause: code < 0 ? .signal(-code) : .exit(code), stop: stop)
    }

    /// Until it has ended, the time has come, or it is to stop.
    private func wait(
        until deadline: Duration?, on reactor: Reactor, isStopping: Bool = false
    ) async -> Reactor.Wakening {
        let number = ended.number
        let nap = Task(executorPreference: reactor) {
            await reactor.waitReadable(number, until: deadline)
        }
        if !isStopping {
            state.withLock { state in
                state.nap = nap
                if state.isAskedToStop { nap.cancel() }
            }
        }
        let wakening = await nap.value
        state.withLock { $0.nap = nil }
        return wakening
    }
}

/// The reading end of what a child writes, and what is kept of it.
private final class ChildOutput: Sendable {
    struct Pipe {
        let reading: ChildOutput
        /// To be closed once a child has it.
        let writing: Int32
    }

    private let descriptor: OwnedDescriptor
    private let keeping: ChildProcess.Keeping
    private let bytes = Mutex<[UInt8]>([])

    private static let piece = 16 << 10
    /// Of a child that writes faster than we read, so much is read before others have their turn.
    private static let mostPieces = 16

    private init(_ keeping: ChildProcess.Keeping, owning number: Int32) {
        self.keeping = keeping
        descriptor = OwnedDescriptor(owning: number)
    }

    static func make(_ keeping: ChildProcess.Keeping) throws(SystemError) -> Pipe? {
        if case .nothing = keeping { return nil }
        var reading: Int32 = -1
        var writing: Int32 = -1
        try check("pipe", on: "a program's output") { tl_pipe(&reading, &writing) }
        return Pipe(reading: ChildOutput(keeping, owning: reading), writing: writing)
    }

    var kept: [UInt8] { bytes.withLock { $0 } }

    /// Until every process has closed the other end; when the task is cancelled, what is there by then.
    func read(on reactor: Reactor) async {
        while true {
            guard takeWhatIsThere() else { return }
            if await reactor.waitReadable(descriptor.number, until: nil) == .ready { continue }
            _ = takeWhatIsThere()
            return
        }
    }

    /// False at the end.
    private func takeWhatIsThere() -> Bool {
        for _ in 0..<Self.mostPieces {
            var result = 0
            let piece = [UInt8](unsafeUninitializedCapacity: Self.piece) { memory, count in
                result = Glibc.read(descriptor.number, memory.baseAddress, memory.count)
                count = max(0, result)
            }
            if result == 0 { return false }
            // That there is nothing now is all that can be the matter with a pipe.
            if result < 0 { return true }
            keep(piece)
        }
        return true
    }

    private func keep(_ piece: [UInt8]) {
        switch keeping {
        case .nothing: break
        case .each(let tell): tell(piece)
        case .first(let limit):
            bytes.withLock { $0 += piece.prefix(max(0, limit - $0.count)) }
        case .last(let limit):
            bytes.withLock { bytes in
                bytes += piece
                bytes.removeFirst(max(0, bytes.count - limit))
            }
        }
    }
}

/// Words as a C program takes them: each ended by a zero, and the list by nothing.
func withWords<Result>(
    _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws(SystemError) -> Result
) throws(SystemError) -> Result {
    let copies = words.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return try body(copies)
}
