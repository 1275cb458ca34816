import Glibc

/// A program of ours that runs beside the test: its lines can be waited for.
public final class Daemon: @unchecked Sendable {
    private let process: Spawned
    private let folder: TemporaryFolder
    private var mutex = pthread_mutex_t()
    private var changed = pthread_cond_t()
    private var lines: [String] = []
    private var hasEnded = false
    /// What a program that is leashed reads: its end is our end.
    private var leash: Int32?

    /// Longer than anything here takes; a test that waits for it has failed.
    private static let patience = 60

    /// Lets go of it when the test ends. One that is leashed ends with the test process, however that ends: a server
    /// that many tests share is never let go of.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], isLeashed: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        pthread_mutex_init(&mutex, nil)
        pthread_cond_init(&changed, nil)
        let pipe = folder.file("output")
        guard mkfifo(pipe, 0o600) == 0 else { throw FileProblem(path: pipe, number: errno) }
        // Opened for both, so that opening does not wait for the other end.
        let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
        if isLeashed {
            let end = folder.file("leash")
            guard mkfifo(end, 0o600) == 0 else { throw FileProblem(path: end, number: errno) }
            leash = open(end, O_RDWR | O_CLOEXEC)
            process = try Spawned(
                ["/bin/sh", "-c", Daemon.leashed, "leash", path] + arguments, environment: environment,
                input: end, output: pipe, errors: pipe)
        } else {
            leash = nil
            process = try Spawned([path] + arguments, environment: environment, output: pipe, errors: pipe)
        }
        let reading = open(pipe, O_RDONLY | O_CLOEXEC)
        close(descriptor)
        read(from: reading)
    }

    deinit {
        letGo()
    }

    public var pid: Int32 { process.pid }

    /// Ends it at once and waits.
    public func letGo() {
        if let leash { close(leash) } else { process.signal(SIGKILL) }
        leash = nil
        process.wait()
    }

    /// Runs its arguments until what it reads ends. It waits for the end of what it has killed: until then that one's locks are
    /// held, and its ports taken.
    private static let leashed = """
        "$@" </dev/null & child=$!
        read -r line
        kill -9 $child
        wait $child 2>/dev/null
        """

    private func read(from descriptor: Int32) {
        let reader = Unmanaged.passRetained(Reader(daemon: self, descriptor: descriptor))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Reader>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, reader.toOpaque())
        pthread_detach(thread)
    }

    /// Holds the daemon weakly, so that a test's end ends the program.
    private final class Reader {
        private weak var daemon: Daemon?
        private let descriptor: Int32

        init(daemon: Daemon, descriptor: Int32) {
            self.daemon = daemon
            self.descriptor = descriptor
        }

        func run() {
            guard let file = fdopen(descriptor, "r") else { return }
            var buffer = [CChar](repeating: 0, count: 1 << 16)
            while fgets(&buffer, Int32(buffer.count), file) != nil {
                let text = String(
                    decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                daemon?.add(text.split(separator: "\n").map(String.init))
            }
            fclose(file)
            daemon?.end()
        }
    }

    private func add(_ more: [String]) {
        pthread_mutex_lock(&mutex)
        lines += more
        pthread_cond_broadcast(&changed)
        pthread_mutex_unlock(&mutex)
    }

    private func end() {
        pthread_mutex_lock(&mutex)
        hasEnded = true
        pthread_cond_broadcast(&changed)
        pthread_mutex_unlock(&mutex)
    }

    /// What it has written so far.
    public var output: [String] {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        return lines
    }

    public struct NeverSaid: Error {
        public let output: [String]
    }

    /// Blocks until so many lines hold the text, and the other one. Gives the first of them.
    @discardableResult
    public func wait(for text: String, and other: String? = nil, times: Int = 1) throws -> String {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += Self.patience
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        while true {
            let found = lines.filter { $0.contains(text) && other.map($0.contains) ?? true }
            if let first = found.first, found.count >= times { return first }
            guard !hasEnded, pthread_cond_timedwait(&changed, &mutex, &deadline) == 0 else {
                throw NeverSaid(output: lines)
            }
        }
    }

    /// The most memory it has held so far.
    public func peakBytes() throws -> Int? {
        let status = String(decoding: try readFile("/proc/\(process.pid)/status"), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
    }

    public func signal(_ number: Int32) {
        process.signal(number)
    }

    /// Ends it in order and waits.
    public func stop(_ number: Int32 = 15) -> Int32 {
        process.signal(number)
        return process.wait()
    }

    public func wait() -> Int32 {
        process.wait()
    }
}

/// The programs of this package, as they were built beside the tests.
public enum Built {
    private static let folder: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()

    public static var tetherline: String { "\(folder)/tetherline" }
    public static var camsim: String { "\(folder)/camsim" }
    public static var gallery: String { "\(folder)/gallery" }

    public static func program(_ name: String) -> String { "\(folder)/\(name)" }
}
