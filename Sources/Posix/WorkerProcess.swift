import CLinux
import Glibc

/// Another program that is asked again and again, a line each way, for as long as it lives.
///
/// Its standard output is a socket, on which it is asked too. It leads a process group of its own and gets nothing of
/// ours, and when this is let go the whole group is killed.
///
/// Belongs to one task: nothing of it is guarded.
package final class WorkerProcess {
    package enum Failure: Error, Equatable, Sendable {
        /// It is gone, and this is how.
        case ended(ChildProcess.Exit.Cause)
        /// It has not answered in time.
        case late
        /// What it answered is no line, or a longer one than was wanted.
        case nonsense
        case cancelled
    }

    private let program: String
    /// For tools that look at it from outside; it means nothing once it has ended.
    package let pid: Int32
    private let ended: OwnedDescriptor
    private let socket: Socket
    private let reactor: Reactor
    private var reader: LineReader
    private var cause: ChildProcess.Exit.Cause?

    /// What one that is not busy takes to end.
    private static let grace = Duration.milliseconds(200)
    /// What a killed process may take to be gone.
    private static let longestDying = Duration.seconds(10)

    package init(
        _ program: String, _ arguments: [String], environment: [String: String], on reactor: Reactor
    ) throws(SystemError) {
        self.program = program
        self.reactor = reactor
        var ends: (Int32, Int32) = (-1, -1)
        try check("socketpair", on: program) {
            withUnsafeMutableBytes(of: &ends) {
                socketpair(
                    AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0,
                    $0.assumingMemoryBound(to: Int32.self).baseAddress)
            }
        }
        let (ours, theirs) = ends
        // Only the child holds its end when this is done.
        defer { close(theirs) }
        socket = Socket(owning: ours)
        reader = LineReader(socket, reactor, path: program)
        try check("fcntl", on: program) { fcntl(ours, F_SETFL, O_NONBLOCK) }
        let pid = try withWords([program] + arguments) { words throws(SystemError) in
            let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return try withWords(variables) { variables throws(SystemError) in
                try check("running the program", on: program) {
                    tl_spawn(program, words, variables, theirs, -1)
                }
            }
        }
        self.pid = pid
        do throws(SystemError) {
            ended = OwnedDescriptor(
                owning: try check("pidfd_open", on: program) { tl_pid_descriptor(pid) })
        } catch {
            kill(-pid, SIGKILL)
            _ = tl_reap(pid)
            throw error
        }
    }

    deinit {
        guard cause == nil else { return }
        // Killed where it stands, it is gone in a moment.
        kill(-pid, SIGKILL)
        _ = tl_reap(pid)
    }

    /// The answer to a line. After any failure it is of no use any more.
    package func ask(
        _ line: String, within limit: Duration, longest: Int
    ) async throws(Failure) -> String {
        let deadline = reactor.now + limit
        do {
            try await socket.sendLine(line, within: limit, reactor, path: program)
            switch try await reader.next(longest: longest, within: { deadline }) {
            case .line(let answer): return answer
            case .tooLate: throw Failure.late
            case .tooLong: throw Failure.nonsense
            case .end, .cutOff, .reset: throw Failure.ended(await end())
            }
        } catch let failure as Failure {
            throw failure
        } catch let error as SystemError where error.number == ETIMEDOUT {
            throw .late
        } catch is CancellationError {
            throw .cancelled
        } catch {
            // It does not listen any more.
            throw .ended(await end())
        }
    }

    /// Lets it end by itself, as it does when its socket is closed, and kills it and what it has started when it does
    /// not. How it ended.
    @discardableResult
    package func end() async -> ChildProcess.Exit.Cause {
        if let cause { return cause }
        socket.close(reset: false, reactor)
        let number = ended.number
        if await reactor.waitReadable(number, until: reactor.now + Self.grace) != .ready {
            kill(-pid, SIGKILL)
            _ = await reactor.waitReadable(number, until: reactor.now + Self.longestDying)
        }
        kill(-pid, SIGKILL)
        let code = tl_reap(pid)
        let cause: ChildProcess.Exit.Cause = code < 0 ? .signal(-code) : .exit(code)
        self.cause = cause
        return cause
    }
}
