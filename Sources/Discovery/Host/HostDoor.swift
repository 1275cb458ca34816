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
    private static let mostGuests = 8
    private static let longestRequest = 4096
    /// For a request to come whole, and for its answer to be taken.
    private static let patience = Duration.seconds(5)
    private static let pauseAfterFailure = Duration.seconds(1)

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
        await withTaskGroup(of: Void.self) { group in
            var places = Self.mostGuests
            while let guest = await accept() {
                group.addTask(executorPreference: reactor) {
                    await self.converse(guest)
                    guest.close(reset: false, self.reactor)
                }
                places -= 1
                if places == 0 {
                    await group.next()
                    places += 1
                }
            }
            group.cancelAll()
        }
        socket.close(reset: false, reactor)
    }

    private func accept() async -> Socket? {
        while !Task.isCancelled {
            switch socket.accept() {
            case .accepted(let guest): return guest
            case .closedHere: return nil
            case .wouldBlock:
                switch await reactor.waitReadable(socket.descriptor, until: nil) {
                case .ready, .deadline: break
                case .closed, .cancelled: return nil
                }
            case .failed:
                do {
                    try await reactor.sleep(until: reactor.now + Self.pauseAfterFailure)
                } catch {
                    return nil
                }
            }
        }
        return nil
    }

    private func converse(_ guest: Socket) async {
        let deadline = reactor.now + Self.patience
        guard let request = await request(from: guest, until: deadline) else { return }
        var rest = host.reply(to: request)[...]
        while !rest.isEmpty {
            switch guest.send(rest) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                guard await reactor.waitWritable(guest.descriptor, until: deadline) == .ready else { return }
            case .closedHere, .failed: return
            }
        }
    }

    /// The first line of a request that has come to its end.
    private func request(from guest: Socket, until deadline: Duration) async -> String? {
        var bytes: [UInt8] = []
        while bytes.count < Self.longestRequest {
            let outcome = withUnsafeTemporaryAllocation(byteCount: Self.longestRequest, alignment: 1) {
                memory in
                let outcome = guest.receive(memory, nil)
                if case .moved(let count) = outcome { bytes += memory[..<count] }
                return outcome
            }
            switch outcome {
            case .moved(0), .closedHere, .failed: return nil
            case .moved:
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("\r\n\r\n") { return String(text.prefix { $0 != "\r\n" }) }
            case .wouldBlock:
                guard await reactor.waitReadable(guest.descriptor, until: deadline) == .ready else {
                    return nil
                }
            }
        }
        return nil
    }
}
