import Basics
import TestSupport
import Testing

/// A person at a terminal of its own: waits for what a program shows, and types the answer. The terminal is Python's, so
/// that the program's end of it is the system's own.
enum Typist {
    /// What is to be shown, and what is typed then. Ctrl-C is "\u{3}", Ctrl-D "\u{4}".
    typealias Turn = (shown: String, types: String)

    /// What the terminal showed, and how the program ended.
    struct Outcome {
        let code: Int32
        let shown: String
    }

    /// Ends with 98 where the program has ended before it showed what was waited for, with 99 where it never did.
    private static let script = """
        import json, os, pty, select, sys, time
        turns = json.loads(sys.argv[1])
        pid, fd = pty.fork()
        if pid == 0:
            os.execv(sys.argv[2], sys.argv[2:])
        shown, seen = b"", 0

        def more(patience):
            global shown
            if not select.select([fd], [], [], patience)[0]:
                return None
            try:
                part = os.read(fd, 4096)
            except OSError:
                part = b""
            shown += part
            return bool(part)

        def leave(code):
            sys.stdout.buffer.write(shown)
            sys.stdout.flush()
            os._exit(code)

        for wanted, answer in turns:
            wanted = wanted.encode()
            end = time.monotonic() + 60
            while wanted not in shown[seen:]:
                came = more(max(0, end - time.monotonic()))
                if came is None:
                    os.kill(pid, 9)
                    leave(99)
                if not came:
                    leave(98)
            seen = shown.index(wanted, seen) + len(wanted)
            os.write(fd, answer.encode())
        while more(60):
            pass
        leave(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    static func types(
        _ turns: [Turn], into words: [String], home: String, environment: [String: String] = [:]
    ) throws -> Outcome {
        let told = JSONValue.array(turns.map { .array([.string($0.shown), .string($0.types)]) }).compact
        let run = try #require(Tool("python3")).run(
            ["-c", script, told] + words, environment: environment.merging(["TETHERLINE_HOME": home]) { $1 })
        return Outcome(code: run.code, shown: run.text)
    }
}
