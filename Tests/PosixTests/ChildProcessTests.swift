import Basics
import Glibc
import Posix
import TestSupport
import Testing

/// Real programs.
@Suite struct ChildProcessTests {
    let reactor: Reactor
    let folder: TemporaryFolder

    init() throws {
        reactor = try Reactor(name: "test")
        folder = try TemporaryFolder()
    }

    func run(
        _ program: String, _ arguments: String..., environment: [String: String] = [:],
        _ change: (inout ChildProcess) -> Void = { _ in }
    ) async throws -> ChildProcess.Exit {
        var child = ChildProcess(program, arguments, environment: environment)
        child.output = .first(1 << 20)
        child.errors = .first(1 << 20)
        change(&child)
        return try await child.run(on: reactor)
    }

    @Test("arguments and environment arrive as they are, whole, and nothing else does")
    func whole() async throws {
        let strange = "a b;$(id)`id`\"'\n*"
        let printed = try await run("/usr/bin/printf", "%s|", strange, "", "-x")
        #expect(String(decoding: printed.output, as: UTF8.self) == "\(strange)||-x|")
        let environment = try await run("/usr/bin/env", "-0", environment: ["A": strange, "B": ""])
        #expect(String(decoding: environment.output, as: UTF8.self) == "A=\(strange)\0B=\0")
        #expect(environment.cause == .exit(0) && environment.stop == nil && environment.errors.isEmpty)
    }

    @Test("it has nothing to read, no descriptor of ours, and its own folder, group and signals")
    func surroundings() async throws {
        // One that is not close-on-exec, as a library might open it.
        let leaked = open("/dev/null", O_RDONLY)
        defer { close(leaked) }
        #expect(leaked > 2)
        let inside = try await run(
            "/bin/sh", "-c", "cat; ls /proc/$$/fd; pwd; cut -d' ' -f5 /proc/$$/stat; echo $$"
        ) {
            $0.environment = ["PATH": "/usr/bin:/bin"]
        }
        let lines = String(decoding: inside.output, as: UTF8.self).split(separator: "\n").map(String.init)
        try #require(lines.count == 6, "\(lines)")
        #expect(Array(lines[..<4]) == ["0", "1", "2", "/"])
        #expect(lines[4] == lines[5])
        // SIGTERM is blocked and SIGPIPE ignored in our programs; not in theirs.
        let status = try await run("/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")
        let masks = String(decoding: status.output, as: UTF8.self).split(separator: "\n").map {
            UInt64($0.split(separator: "\t").last ?? "", radix: 16)
        }
        // Bit n is signal n + 1; 32 and 33 are the C library's own.
        let ours = ~UInt64(0b11 << 31)
        #expect(masks.count == 2 && masks.allSatisfy { $0.map { $0 & ours == 0 } ?? false }, "\(masks)")
    }

    @Test("how it ended is told: exit codes, signals, and what it wrote")
    func endings() async throws {
        let failed = try await run("/bin/sh", "-c", "echo out; echo err >&2; exit 7")
        #expect(failed.cause == .exit(7) && failed.output == Array("out\n".utf8))
        #expect(failed.errors == Array("err\n".utf8))
        #expect(try await run("/bin/sh", "-c", "kill -9 $$").cause == .signal(9))
        #expect(try await run("/bin/true").cause == .exit(0))
    }

    @Test("of what it writes no more is kept than was wanted, and it need not wait for a reader")
    func limits() async throws {
        let script = "head -c 3000000 /dev/zero; printf end; head -c 3000000 /dev/zero >&2; printf end >&2"
        let kept = try await run("/bin/sh", "-c", script) { child in
            child.environment = ["PATH": "/usr/bin:/bin"]
            child.output = .first(1000)
            child.errors = .last(1000)
        }
        #expect(kept.cause == .exit(0))
        #expect(kept.output == [UInt8](repeating: 0, count: 1000))
        #expect(kept.errors == [UInt8](repeating: 0, count: 997) + Array("end".utf8))
        let counted = Shared(0)
        let told = try await run("/bin/sh", "-c", script) { child in
            child.environment = ["PATH": "/usr/bin:/bin"]
            child.output = .each { bytes in counted.change { $0 += bytes.count } }
            child.errors = .nothing
        }
        #expect(told.output.isEmpty && told.errors.isEmpty && counted.value == 3_000_003)
    }

    @Test("what takes too long is ended with its children, politely first")
    func timeout() async throws {
        let polite = try await run("/bin/sh", "-c", "trap 'echo bye; exit 3' TERM; sleep 1000 & wait") {
            $0.environment = ["PATH": "/usr/bin:/bin"]
            $0.within = .milliseconds(200)
            $0.grace = .seconds(60)
        }
        #expect(polite.stop == .timeout && polite.cause == .exit(3))
        #expect(polite.output == Array("bye\n".utf8))
        let pids = folder.file("pids")
        let stubborn = try await run(
            "/bin/sh", "-c", "trap '' TERM; sleep 1000 & echo $! $$ > \(pids); while :; do wait; done"
        ) {
            $0.environment = ["PATH": "/usr/bin:/bin"]
            $0.within = .milliseconds(200)
            $0.grace = .milliseconds(100)
        }
        #expect(stubborn.stop == .timeout && stubborn.cause == .signal(SIGKILL))
        try await expectGone(pids)
    }

    @Test("a cancelled task ends it and all its children, and then returns")
    func cancelled() async throws {
        let pids = folder.file("pids")
        let fifo = folder.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        var child = ChildProcess(
            "/bin/sh", ["-c", "sleep 1000 & echo $! $$ > \(pids); echo > \(fifo); wait"],
            environment: ["PATH": "/usr/bin:/bin"])
        child.output = .first(100)
        let start = reactor.now
        let task = Task { [child] in try await child.run(on: reactor) }
        // It has said who its child is when this opens.
        _ = try readFile(fifo)
        task.cancel()
        let ending = try await task.value
        #expect(ending.stop == .cancelled && ending.cause == .signal(SIGTERM))
        #expect(reactor.now - start < .seconds(100))
        try await expectGone(pids)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ChildProcess("/bin/sleep", ["1000"]).run(on: reactor)
        }
        #expect(try await early.value.stop == .cancelled)
    }

    @Test(
        "children that it leaves behind when it ends by itself do not outlive it, and their pipes are not waited for"
    )
    func leftovers() async throws {
        let pids = folder.file("pids")
        let ending = try await run("/bin/sh", "-c", "sleep 1000 & echo $! > \(pids); echo done") {
            $0.environment = ["PATH": "/usr/bin:/bin"]
        }
        #expect(ending.cause == .exit(0) && ending.stop == nil && ending.output == Array("done\n".utf8))
        try await expectGone(pids)
    }

    @Test("a program that is not there, or is none, is an error with its path and why")
    func missing() async throws {
        for (path, number) in [
            (folder.file("none"), ENOENT), (folder.path, EACCES), (folder.file("text"), EACCES),
        ] {
            if path.hasSuffix("text") { try folder.write("x", to: "text") }
            let checked = #expect(throws: SystemError.self) { try ChildProcess.check(path) }
            #expect(checked?.number == number && checked?.subject == path)
            let ran = await #expect(throws: SystemError.self) {
                _ = try await ChildProcess(path).run(on: reactor)
            }
            #expect(ran?.number == number && ran?.subject == path)
        }
        try ChildProcess.check("/bin/sh")
    }

    @Test("a hundred at a time leave neither descriptors nor the dead behind")
    func many() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let ending = try await run("/bin/sh", "-c", "echo \(number); exit \(number)")
                    #expect(ending.cause == .exit(Int32(number)))
                    #expect(ending.output == Array("\(number)\n".utf8))
                }
            }
            try await group.waitForAll()
        }
        // Other tests run beside this one, with a few programs of theirs; a leak here would be of a hundred.
        #expect(try processDescriptors() < 50)
    }

    /// Descriptors of processes that this one holds open.
    private func processDescriptors() throws -> Int {
        try Directory(path: "/proc/self/fd").names(limit: 100_000).count { name in
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/self/fd/\(name)", &target, target.count - 1)
            return count > 0
                && String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    .contains("[pidfd]")
        }
    }

    /// Gone, or dead and waiting for its parent to notice.
    private func expectGone(_ path: String) async throws {
        let pids = String(decoding: try readFile(path), as: UTF8.self).split { " \n".contains($0) }
        #expect(!pids.isEmpty)
        for pid in pids {
            let deadline = reactor.now + .seconds(20)
            while isAlive(String(pid)), reactor.now < deadline {
                try await reactor.sleep(until: reactor.now + .milliseconds(10))
            }
            #expect(!isAlive(String(pid)), "\(pid)")
        }
    }

    private func isAlive(_ pid: String) -> Bool {
        do {
            let status = try ReadableFile.virtualContents(of: "/proc/\(pid)/stat", limit: 1000)
            let text = String(decoding: status, as: UTF8.self)
            return text.split(separator: ")").last?.hasPrefix(" Z") == false
        } catch {
            return false
        }
    }
}
