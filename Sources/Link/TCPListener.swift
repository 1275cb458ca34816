public import Posix

/// Where TCP links come in.
public final class TCPListener: Sendable {
    private let socket: Socket
    private let reactor: Reactor
    private let options: TCPLink.Options
    public let localEndpoint: IPEndpoint

    /// Connections that wait to be accepted; a camera has room for few.
    private static let backlog: Int32 = 64

    /// Listens at once. Port 0 lets the system choose; ``localEndpoint`` says what it chose.
    public init(
        on endpoint: IPEndpoint, options: TCPLink.Options = TCPLink.Options(), reactor: Reactor
    ) throws(LinkError) {
        do throws(SystemError) {
            let socket = try Socket.make(for: endpoint)
            try socket.listen(on: endpoint, backlog: Self.backlog)
            self.socket = socket
        } catch {
            throw LinkError(error)
        }
        guard let local = socket.localEndpoint else { throw .closedHere }
        localEndpoint = local
        self.reactor = reactor
        self.options = options
    }

    deinit {
        close()
    }

    /// The next link. A connection that was gone before it was accepted is passed over; one that cannot be
    /// accepted because too many files are open is an error, after which accepting can be tried again.
    public func accept() async throws(LinkError) -> TCPLink {
        while true {
            switch socket.accept() {
            case .accepted(let accepted):
                do throws(LinkError) {
                    return try TCPLink(accepted, reactor, options)
                } catch {
                    accepted.close(reset: false, reactor)
                }
            case .wouldBlock:
                switch await reactor.waitReadable(socket.descriptor, until: nil) {
                case .ready, .deadline: break
                case .closed: throw .closedHere
                case .cancelled: throw .cancelled
                }
            case .closedHere:
                throw .closedHere
            case .failed(let number):
                if SystemError.ConnectionKind(number) == .connectionBroken { continue }
                throw LinkError(number, "accepting a connection", peer: "\(localEndpoint)")
            }
        }
    }

    public func close() {
        socket.close(reset: false, reactor)
    }
}
