import CLinux
import Glibc

/// How our programs begin and end.
package enum Program {
    /// Runs `body` on a reactor and ends the process with what it returns.
    ///
    /// The signals that end a program are taken out of the way before the first thread exists, because a thread
    /// that was there before would still die of them.
    package static func run(
        name: String, _ body: @escaping @Sendable (Reactor, TerminationSignals) async -> Int32
    ) -> Never {
        let signals: TerminationSignals
        let reactor: Reactor
        do throws(SystemError) {
            signals = try TerminationSignals()
            reactor = try Reactor(name: name)
        } catch {
            printError("\(name): \(error)")
            exit(EX_OSERR)
        }
        // A file that would pass `ulimit -f` is an error of that file, not the end of the program.
        signal(SIGXFSZ, SIG_IGN)
        Task(executorPreference: reactor) {
            let code = await body(reactor, signals)
            // Not exit(3): it takes libraries apart while other threads, on their way out, may still be in them. Nothing
            // here waits to be written: what is printed is written at once, and files are closed by what opened them.
            _exit(code)
        }
        while true { pause() }
    }

    /// For a child of our own that needs no thread but its first.
    package static func end(with code: Int32) -> Never { _exit(code) }

    /// All other processes have the processor before this one, and it ends first where memory is short: a service passes its
    /// own place on to its children.
    package static func givesWay() {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        let file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        writeAll("1000", to: file)
        close(file)
    }

    /// What this process makes from now on is for its user alone.
    package static func keepsToItself() { umask(0o077) }

    /// As many open files as the system lets this user have: a server has one for each connection. Gives their number.
    package static func opensManyFiles() throws(SystemError) -> UInt64 {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        try check("getrlimit", on: "this process") { getrlimit(files, &limit) }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        // Where that is refused the old limit holds.
        return UInt64(setrlimit(files, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }

    /// Memory that was had for one large picture goes back when that is done. glibc would keep it for the next one of that
    /// size, and hold most when something else needs much: mallopt(3), "dynamic mmap threshold".
    package static func givesBackLargeBuffers() {
        tl_give_back_above(256 << 10)
    }

    /// Memory that was had for a picture stays for the next one: the kernel clears each page that it gives, which is a tenth
    /// of what a small picture costs. To be called where ``givesBackMemory()`` is once there is nothing to do.
    package static func keepsBuffers() { tl_keep_up_to(32 << 20) }

    /// Memory that is free goes back, wherever in a heap it lies: what a rare piece of work took is not kept for the next.
    package static func givesBackMemory() { tl_give_back() }

    /// What this process prints from now on goes nowhere; errors stay.
    package static func discardsOutput() throws(SystemError) {
        let path = "/dev/null"
        let descriptor = OwnedDescriptor(
            owning: try check("opening", on: path) { tl_openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0) })
        try check("redirecting the output", on: path) { dup2(descriptor.number, STDOUT_FILENO) }
    }

    /// The user that this process works for.
    package static var user: UInt32 { geteuid() }

    /// The words behind the program's name.
    package static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// What this machine calls itself.
    package static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "this machine" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// SIGINT and SIGTERM as something to wait for.
package final class TerminationSignals: Sendable {
    private let descriptor: OwnedDescriptor

    init() throws(SystemError) {
        descriptor = OwnedDescriptor(
            owning: try check("signalfd", on: "this process") { tl_termination_signals() })
    }

    /// The number of the signal that came; nothing when the task is cancelled.
    package func next(on reactor: Reactor) async -> Int32? {
        while true {
            let number = tl_next_signal(descriptor.number)
            if number > 0 { return number }
            guard await reactor.waitReadable(descriptor.number, until: nil) == .ready else { return nil }
        }
    }
}

/// One whole line at a time, so that lines of several threads do not mix.
package func printError(_ line: String) {
    writeAll(line + "\n", to: STDERR_FILENO)
}

/// Standard output, without a buffer that a killed program would lose.
/// False when it is not read any more.
@discardableResult
package func printOutput(_ line: String) -> Bool {
    writeAll(line + "\n", to: STDOUT_FILENO)
}

/// False when its reader is gone: a pipe to `head`, a terminal that was closed.
@discardableResult
package func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    writeAll(Array(text.utf8), to: descriptor)
}

@discardableResult
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

/// What is known about where output goes.
package enum Terminal {
    /// "BEL is used when there is a need to call for attention" (ECMA-48 §8.3.3).
    package static let bell = "\u{7}"

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns; eighty where the terminal does not say.
    package static func columns(_ descriptor: Int32) -> Int { knownColumns(descriptor) ?? 80 }

    /// Nothing where it is no terminal, or one that does not say.
    package static func knownColumns(_ descriptor: Int32) -> Int? {
        let columns = Int(tl_terminal_columns(descriptor))
        return columns > 0 ? columns : nil
    }
}

/// What the process has used so far.
package enum ResourceUse {
    /// The most memory it ever held, and the seconds of processor time it took.
    package static var now: (peakBytes: Int, processorSeconds: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (usage.ru_maxrss * 1024, seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
}
