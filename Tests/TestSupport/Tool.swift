import Glibc

/// Another program, run as it is.
public struct Tool: Sendable {
    public let path: String

    /// Nothing where it is not installed.
    public init?(_ name: String) {
        let candidates =
            name.contains("/")
            ? [name]
            : (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map { "\($0)/\(name)" }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
        path = found
    }

    public static func isThere(_ name: String) -> Bool { Tool(name) != nil }

    public struct Output: Sendable {
        /// Negative for the signal that ended it.
        public let code: Int32
        public let output: [UInt8]
        public let errors: String
        /// The most memory it held, where that was asked for.
        public let peakBytes: Int?

        public var text: String { String(decoding: output, as: UTF8.self) }
        public var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// Runs it to its end. What it reads and writes goes through files, so that nothing can fill up.
    public func run(
        _ arguments: [String], in folder: String? = nil, input: [UInt8] = [],
        environment: [String: String] = [:], measuresMemory: Bool = false
    ) throws -> Output {
        let scratch = try TemporaryFolder()
        try scratch.write(input, to: "in")
        try scratch.write([], to: "out")
        try scratch.write([], to: "err")
        var words = [path] + arguments
        if let folder { words = ["/usr/bin/env", "-C", folder] + words }
        // A process begins with the peak of the one that it was forked from, and a test is large; time(1) is small.
        if measuresMemory {
            words = ["/usr/bin/time", "-q", "-f", "%M", "-o", scratch.file("memory")] + words
        }
        let process = try Spawned(
            words, environment: environment, input: scratch.file("in"), output: scratch.file("out"),
            errors: scratch.file("err"))
        let code = process.wait()
        let peak = measuresMemory ? try peakBytes(in: scratch) : nil
        return Output(
            code: code, output: try readFile(scratch.file("out")),
            errors: String(decoding: try readFile(scratch.file("err")), as: UTF8.self), peakBytes: peak)
    }
}

extension Tool {
    private func peakBytes(in scratch: TemporaryFolder) throws -> Int? {
        Int(String(decoding: try readFile(scratch.file("memory")).filter { $0 != 10 }, as: UTF8.self)).map {
            $0 << 10
        }
    }
}

/// A process of ours, from its start to its end.
public final class Spawned: @unchecked Sendable {
    public let pid: Int32
    private var result: Int32?

    /// What it writes goes to the files named.
    public init(
        _ words: [String], environment: [String: String] = [:], input: String = "/dev/null", output: String,
        errors: String
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = Spawned.merged(environment).map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var attributes = Spawned.deafToNothing()
        defer { posix_spawnattr_destroy(&attributes) }
        var pid: pid_t = 0
        let number = posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &variables)
        guard number == 0 else { throw FileProblem(path: words[0], number: number) }
        self.pid = pid
    }

    deinit {
        guard result == nil else { return }
        kill(pid, SIGKILL)
        _ = wait()
    }

    /// The threads that run tests block every signal, and a program would inherit that.
    private static func deafToNothing() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    private static func merged(_ changes: [String: String]) -> [String] {
        var kept: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            let name = String(text.prefix { $0 != "=" })
            if changes[name] == nil { kept.append(text) }
            next += 1
        }
        return kept + changes.map { "\($0.key)=\($0.value)" }
    }

    public func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Blocks until it has ended.
    @discardableResult
    public func wait() -> Int32 {
        if let result { return result }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        result = code
        return code
    }
}
