import Basics
import Glibc
import HTTPServer
import Posix
import Synchronization
import TestSupport

/// A server on a port of its own, with what it has logged.
final class TestServer: Sendable {
    let server: WebServer
    let time: any TimeSource
    private let mailbox: Mailbox<AccessEntry>

    init(
        _ routes: [Route], time: any TimeSource = ManualClock(),
        change: (inout ServerSettings) -> Void = { _ in }
    ) throws {
        var settings = ServerSettings(listen: .loopback(port: 0))
        change(&settings)
        let mailbox = Mailbox<AccessEntry>()
        self.mailbox = mailbox
        self.time = time
        server = try WebServer(
            settings, routes: routes, time: time, wall: SystemWallTime(), random: SystemRandomSource(),
            refusal: { status, message in .text(status, "refused: \(message)") },
            log: { mailbox.post($0) })
    }

    var port: UInt16 { server.port }
    var url: String { "http://127.0.0.1:\(port)" }

    /// The next lines of the log, at least one.
    func entries() async -> [AccessEntry] { await mailbox.next() ?? [] }

    func client() throws -> RawClient { try RawClient(port: port) }

    /// What one connection gets for what it sends, to its end.
    func exchange(_ text: String) async throws -> [RawClient.Answer] {
        try await aside { [self] in
            let client = try client()
            try client.send(text)
            return try client.answersToTheEnd()
        }
    }

    /// The answer to one request without a body.
    func get(
        _ path: String, method: String = "GET", headers: [String] = []
    ) async throws -> RawClient.Answer {
        try await aside { [self] in
            let client = try client()
            let lines =
                ["\(method) \(path) HTTP/1.1", "Host: here"] + headers + ["Connection: close", "", ""]
            try client.send(lines.joined(separator: "\r\n"))
            return try client.answer(isHead: method == "HEAD")
        }
    }

    /// What curl makes of it.
    func curl(_ arguments: [String]) async throws -> Tool.Output {
        try await aside {
            guard let curl = Tool("curl") else { throw NotInstalled() }
            return try curl.run(
                ["-s", "-S", "-g", "--max-time", "\(60 * Cases.minutesOfHang)", "--noproxy", "*"] + arguments)
        }
    }

    struct NotInstalled: Error {}
}

/// Holds a thread until the test says so.
final class Barrier: @unchecked Sendable {
    private var semaphore = sem_t()

    init() { sem_init(&semaphore, 0, 0) }

    func block() { sem_wait(&semaphore) }
    func unblock() { sem_post(&semaphore) }
}

/// Stops when the test says so.
final class Gate: Sendable {
    private let signal = Signal()
    private let arrivals = Signal()

    func pass() async {
        arrivals.fire()
        await signal.wait()
    }

    func waitForArrival() async { await arrivals.wait() }
    func open() { signal.fire() }
    func waitUntilOpen() async { await signal.wait() }
}
