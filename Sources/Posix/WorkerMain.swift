import Glibc

/// The life of a worker: a job on each line, until the program that started it closes the socket that is this process'
/// standard output. `rest` is called each time that no line has come for a second.
package func workerMain(
    _ limits: WorkerLimits = WorkerLimits(), resting rest: () -> Void = {},
    answering answer: (_ line: String) -> String
) -> Int32 {
    limits.hold()
    var requests = RequestLines()
    while let line = requests.next(resting: rest) {
        limits.holdProcessor()
        guard writeAll(answer(line) + "\n", to: STDOUT_FILENO) else { return EX_OK }
    }
    return EX_OK
}

/// What the program asks for. Only it writes there, so that no line is longer than it makes them.
private struct RequestLines {
    private static let pause: Int32 = 1000
    /// What has come behind the last line.
    private var bytes: [UInt8] = []

    /// Nothing at the end.
    mutating func next(resting rest: () -> Void) -> String? {
        while true {
            if let end = bytes.firstIndex(of: 10) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            if !hasMore(within: Self.pause) { rest() }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    /// Also true at the end, and where that cannot be told: reading tells.
    private func hasMore(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) != 0
    }

    private func read() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(STDOUT_FILENO, &chunk, chunk.count)
            if count > 0 { return Array(chunk[..<count]) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}
