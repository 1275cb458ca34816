import CLinux
import Glibc
import Synchronization

/// A local socket on which a running program takes commands: one line from the client, then lines to the client, then
/// the end.
package final class ControlListener: Sendable {
    package struct Limits: Sendable {
        /// For the client to send its line.
        package var lineLimit: Duration = .seconds(10)
        /// For the client to take the next bytes of an answer.
        package var sendLimit: Duration = .seconds(30)

        package init() {}
    }

    package typealias Reply = @Sendable (String) async throws -> Void

    /// The bytes that a path may have.
    package static let longestPath = Socket.longestLocalPath
    package static let longestRequest = 64 << 10
    package static let longestAnswerLine = 16 << 20
    package static let mostConnections = 8
    /// Clients that wait until there is room among those.
    private static let backlog: Int32 = 64

    private let socket: Socket
    private let path: String
    private let limits: Limits
    private let isRemoved = Mutex(false)

    /// Listens at once. A socket that an earlier process has left is removed: the caller holds a lock, so that no
    /// other process listens there.
    package init(path: String, limits: Limits = Limits()) throws(SystemError) {
        self.path = path
        self.limits = limits
        _ = try Socket.localAddress(path)
        var facts = stat()
        // Anything else that has the name stays, and then the name is taken.
        if lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK {
            try check("removing the old socket", on: path) { unlink(path) }
        }
        socket = try Socket.makeLocal()
        try socket.listen(onLocal: path, backlog: Self.backlog)
    }

    /// Removes the socket's file: from now on no client finds it.
    package func close() {
        // Once: later the name may be another listener's.
        let isFirst = isRemoved.withLock { isRemoved in
            defer { isRemoved = true }
            return !isRemoved
        }
        if isFirst { unlink(path) }
    }

    /// Answers every client that connects until the task is cancelled, and then listens no more. Each answer is a task on the
    /// reactor of its own.
    ///
    /// A client that goes away before it has got a line does not stop its command. One that goes away later cancels
    /// the rest of its answer, so that no client keeps a place by asking for news that do not come.
    package func serve(
        on reactor: Reactor, _ answer: @escaping @Sendable (String, _ reply: Reply) async -> Void
    ) async {
        await socket.serve(on: reactor, atMost: Self.mostConnections) { [self] accepted in
            await converse(over: accepted, reactor, answer)
        }
    }

    // MARK: One connection

    private func converse(
        over socket: Socket, _ reactor: Reactor,
        _ answer: @escaping @Sendable (String, _ reply: Reply) async -> Void
    ) async {
        let (path, limit) = (path, limits.sendLimit)
        let reply: Reply = { line in
            guard line.utf8.count <= Self.longestAnswerLine else {
                throw SystemError("sending a line of \(line.utf8.count) bytes", EMSGSIZE, on: path)
            }
            try await socket.sendLine(line, within: limit, reactor, path: path)
        }
        do {
            // The user at the other end when it connected; the file's rights may have been changed by hand.
            let peer = tl_peer_user(socket.descriptor)
            guard peer == Int64(getuid()) || peer == 0 else {
                return try await reply(Self.refusal("not allowed"))
            }
            let deadline = reactor.now + limits.lineLimit
            var reader = LineReader(socket, reactor, path: path)
            switch try await reader.next(longest: Self.longestRequest, within: { deadline }) {
            case .line(let line):
                await give(answer, to: line, over: socket, reactor, reply)
            case .end, .reset:
                break
            case .cutOff:
                try await reply(Self.refusal("a command ends with a newline"))
            case .tooLong:
                try await reply(Self.refusal("a command has at most \(Self.longestRequest) bytes"))
            case .tooLate:
                try await reply(Self.refusal("no command has come within \(limits.lineLimit)"))
            }
        } catch {
            // The client is gone, or this is over: no client is left to tell.
            return
        }
    }

    private func give(
        _ answer: @escaping @Sendable (String, _ reply: Reply) async -> Void, to line: String,
        over socket: Socket, _ reactor: Reactor, _ reply: @escaping Reply
    ) async {
        let hasReplied = Signal()
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: reactor) {
                await answer(line) { line in
                    try await reply(line)
                    hasReplied.fire()
                }
            }
            group.addTask(executorPreference: reactor) {
                await hasReplied.waitUnlessCancelled()
                if !Task.isCancelled { _ = await reactor.waitHungUp(socket.descriptor, until: nil) }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func refusal(_ reason: String) -> String { "{\"error\":\"\(reason)\"}" }
}

/// The other end: asks a running program.
package enum ControlClient {
    /// No program listens at the path, or the one that did has ended before it took the line: nothing has been done.
    package struct NobodyListens: Error {}

    /// Between tries to connect, while too many others wait.
    private static let pause = Duration.milliseconds(20)

    /// Sends one line and gives every line of the answer to `each`, until the other end closes. `timeout` is the
    /// longest that the other end may keep us waiting for anything; news that come rarely need a long one. An end
    /// without a line is an end: the other program may have been ending itself.
    package static func ask(
        path: String, _ line: String, on reactor: Reactor, timeout: Duration,
        _ each: @Sendable (String) throws -> Void
    ) async throws {
        guard line.utf8.count <= ControlListener.longestRequest else {
            throw SystemError("sending a command of \(line.utf8.count) bytes", EMSGSIZE, on: path)
        }
        let socket = try await connect(to: path, reactor, timeout)
        defer { socket.close(reset: false, reactor) }
        var isTurnedAway = false
        var isAnswered = false
        do {
            try await socket.sendLine(line, within: timeout, reactor, path: path)
        } catch let error as SystemError where [EPIPE, ECONNRESET].contains(error.number) {
            // A server that turns us away does not read first, but may have said why.
            isTurnedAway = true
        }
        var reader = LineReader(socket, reactor, path: path)
        let longest = ControlListener.longestAnswerLine
        while true {
            switch try await reader.next(longest: longest, within: { reactor.now + timeout }) {
            case .line(let line):
                isAnswered = true
                try each(line)
            case .end where isAnswered, .reset where isAnswered:
                return
            case .end where !isTurnedAway:
                return
            case .end, .reset:
                // The kernel says so only of a line that was not read. A socket outlives its program for a moment, where
                // a child that is just being started still holds it.
                throw NobodyListens()
            case .cutOff: throw SystemError("receiving the end of a line", ECONNRESET, on: path)
            case .tooLong: throw SystemError("receiving a line of this length", EMSGSIZE, on: path)
            case .tooLate: throw SystemError("waiting for the answer", ETIMEDOUT, on: path)
            }
        }
    }

    private static func connect(
        to path: String, _ reactor: Reactor, _ timeout: Duration
    ) async throws -> Socket {
        let socket = try Socket.makeLocal()
        let deadline = reactor.now + timeout
        while true {
            switch try socket.connect(toLocal: path) {
            case .moved, .closedHere:
                return socket
            case .wouldBlock:
                // Nothing tells when there is room.
                guard reactor.now < deadline else { throw SystemError("connecting", ETIMEDOUT, on: path) }
                try await reactor.sleep(until: min(deadline, reactor.now + Self.pause))
            case .failed(ENOENT), .failed(ECONNREFUSED):
                throw NobodyListens()
            case .failed(let number):
                throw SystemError("connecting", number, on: path)
            }
        }
    }
}
