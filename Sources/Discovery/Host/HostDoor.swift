import Glibc
import Posix

/// Serves a ``HostDescription`` at one address of this computer: one answer to a connection, then it is closed.
actor HostDoor {
    private let reactor: Reactor
    private let socket: Socket
    private let host: HostDescription
    /// Where the description is: `192.168.1.2:40000`.
    nonisolated let place: String

    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    private static let backlog: Int32 = 16
    /// At one time; a room has fewer cameras.
    private static let mostConnections = 8
    private static let longestRequest = 4096
    /// For a request to come whole, and for its answer to be taken.
    private static let timeout = Duration.seconds(5)

    init(_ host: HostDescription, at address: CameraAddress, _ reactor: Reactor) throws(SystemError) {
        let endpoint = IPEndpoint(address: address.bytes, port: 0)
        socket = try Socket.make(for: endpoint)
        try socket.listen(on: endpoint, backlog: Self.backlog)
        guard let own = socket.localEndpoint else {
            throw SystemError("listening", EADDRNOTAVAIL, on: "\(address)")
        }
        place = "\(own)"
        self.host = host
        self.reactor = reactor
    }

    /// Until the task is cancelled.
    func serve() async {
        await socket.serve(on: reactor, atMost: Self.mostConnections) { await self.converse($0) }
    }

    private func converse(_ connection: Socket) async {
        let deadline = reactor.now + Self.timeout
        guard let request = await request(from: connection, until: deadline) else { return }
        var rest = host.reply(to: request)[...]
        while !rest.isEmpty {
            switch connection.send(rest) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                guard await reactor.waitWritable(connection.descriptor, until: deadline) == .ready else {
                    return
                }
            case .closedHere, .failed: return
            }
        }
    }

    /// The first line of a request that has come to its end.
    private func request(from connection: Socket, until deadline: Duration) async -> String? {
        var bytes: [UInt8] = []
        while bytes.count < Self.longestRequest {
            let outcome = withUnsafeTemporaryAllocation(byteCount: Self.longestRequest, alignment: 1) {
                memory in
                let outcome = connection.receive(memory, nil)
                if case .moved(let count) = outcome { bytes += memory[..<count] }
                return outcome
            }
            switch outcome {
            case .moved(0), .closedHere, .failed: return nil
            case .moved:
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("\r\n\r\n") { return String(text.prefix { $0 != "\r\n" }) }
            case .wouldBlock:
                guard await reactor.waitReadable(connection.descriptor, until: deadline) == .ready else {
                    return nil
                }
            }
        }
        return nil
    }
}
