public import Basics
import Posix
import Synchronization

/// A server of HTTP/1.1 on a real socket that does what a test says: a closure gets each request and gives the answer,
/// or does what no server should.
///
/// Everything of it happens on one thread of its own, the closure included. It is gone with its owner.
public final class HTTPPeer: Sendable {
    public typealias Handler = @Sendable (Request) async throws -> Answer

    /// A request, once its head is there.
    public struct Request: Sendable {
        public let method: String
        public let target: String
        public let headers: [HTTPHeader]
        /// The how manyth connection of this server it came by, from 1.
        public let connection: Int
        /// The how manyth request on it, from 1.
        public let number: Int
        /// What follows the head, for handlers that read it before answering.
        public let body: Body

        /// The first header of that name, in any case.
        public subscript(name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The target without what stands behind a question mark.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }

    public struct Answer: Sendable {
        public enum Framing: Sendable {
            case length
            case chunked
            /// It ends with the connection.
            case untilClosed
            /// The headers say what is not true, or the status has no body.
            case asSaid
        }

        public enum After: Sendable {
            /// The rest of the request is read, and the next one may come.
            case goesOn
            /// The rest of the request is read, and the connection ends.
            case endsOrderly
            /// The connection ends, whatever was still coming.
            case closes
            /// The connection is broken off.
            case resets
            /// Nothing is read or said any more until the other side has gone.
            case stalls
        }

        public var status: Int
        public var headers: [HTTPHeader]
        public var body: [UInt8]
        public var framing: Framing
        public var after: After
        /// Said word for word instead of all this.
        public var raw: [UInt8]?

        public init(
            _ status: Int, headers: [HTTPHeader] = [], body: [UInt8] = [], framing: Framing = .length,
            then after: After = .goesOn
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.framing = framing
            self.after = after
        }

        public static func text(_ status: Int, _ text: String, headers: [HTTPHeader] = []) -> Answer {
            Answer(status, headers: headers, body: Array(text.utf8))
        }

        public static func raw(_ text: String, then after: After) -> Answer {
            var answer = Answer(0, then: after)
            answer.raw = Array(text.utf8)
            return answer
        }

        /// No word.
        public static func nothing(then after: After) -> Answer { .raw("", then: after) }
    }

    public let port: UInt16
    private let reactor: Reactor
    private let life: Task<Void, Never>
    private let connections = Shared(0)

    /// Listens at once. `continues` is whether it says 100 to clients that ask, when the body is read.
    public init(continues: Bool = true, _ handler: @escaping Handler) throws {
        let reactor = try Reactor(name: "peer")
        let endpoint = IPEndpoint.loopback(port: 0)
        let socket = try Socket.make(for: endpoint)
        try socket.listen(on: endpoint, backlog: 128)
        port = socket.localEndpoint?.port ?? 0
        self.reactor = reactor
        let connections = connections
        life = Task(executorPreference: reactor) {
            await withDiscardingTaskGroup { group in
                while let accepted = await Self.accept(socket, reactor) {
                    let number = connections.change { count in
                        count += 1
                        return count
                    }
                    group.addTask(executorPreference: reactor) {
                        let wire = HTTPWire(accepted, reactor, continues: continues)
                        await wire.serve(number, handler)
                    }
                }
                group.cancelAll()
            }
            socket.close(reset: false, reactor)
        }
    }

    deinit {
        life.cancel()
        reactor.shutDown()
    }

    public var url: String { "http://127.0.0.1:\(port)" }

    /// How many connections there have been.
    public var connectionCount: Int { connections.value }

    /// Every connection ends, and no client can connect any more.
    public func stop() async {
        life.cancel()
        await life.value
    }

    private static func accept(_ socket: Socket, _ reactor: Reactor) async -> Socket? {
        while true {
            switch socket.accept() {
            case .accepted(let accepted): return accepted
            case .wouldBlock:
                guard await reactor.waitReadable(socket.descriptor, until: nil) == .ready else { return nil }
            case .closedHere, .failed: return nil
            }
        }
    }
}

extension HTTPPeer {
    /// The body of a request, as it comes.
    public struct Body: Sendable {
        let wire: HTTPWire

        /// The next bytes; nothing at the end. Throws when the other side has gone before.
        public func read() async throws -> [UInt8]? { try await wire.readBody() }

        /// Everything that is left of it.
        public func all() async throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let more = try await read() { bytes += more }
            return bytes
        }

        /// Reads so much at least and leaves the rest.
        public func read(atLeast count: Int) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count, let more = try await read() { bytes += more }
            return bytes
        }

        /// Returns when the other side has gone.
        public func waitUntilGone() async { await wire.waitUntilGone() }

        /// Said before the answer, word for word.
        public func say(_ text: String) async throws { try await wire.write(Array(text.utf8)[...]) }
    }
}
