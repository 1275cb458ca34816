public import Posix

extension TCPLink {
    /// Connects to the first address of the target that answers, within one limit for all of them.
    public static func connect(
        to target: HostPort, options: Options = Options(), reactor: Reactor
    ) async throws(LinkError) -> TCPLink {
        let deadline = reactor.now + options.connectLimit
        let endpoints: [IPEndpoint]
        do throws(Resolver.Failure) {
            endpoints = try await Resolver.resolve(target, until: deadline, on: reactor)
        } catch {
            throw .unreachable(peer: "\(target)", reason: error.reason)
        }
        var failure = LinkError.unreachable(peer: "\(target)", reason: "the name has no address")
        for endpoint in endpoints {
            do throws(LinkError) {
                return try await connect(to: endpoint, until: deadline, options, reactor)
            } catch {
                switch error {
                case .cancelled, .closedHere, .connectTimedOut: throw error
                // A host that is there says more than a route that is not.
                case .refused: failure = error
                case .unreachable, .denied, .reset, .stalled, .system:
                    if case .refused = failure { continue }
                    failure = error
                }
            }
        }
        throw failure
    }

    private static func connect(
        to endpoint: IPEndpoint, until deadline: Duration, _ options: Options, _ reactor: Reactor
    ) async throws(LinkError) -> TCPLink {
        let socket: Socket
        do throws(SystemError) {
            socket = try Socket.make(for: endpoint)
            if let interface = options.interface { try socket.bind(toInterface: interface) }
        } catch {
            throw LinkError(error)
        }
        switch socket.connect(to: endpoint) {
        case .moved, .closedHere: break
        case .failed(let number): throw LinkError(connecting: number, to: endpoint)
        case .wouldBlock:
            switch await reactor.waitWritable(socket.descriptor, until: deadline) {
            case .ready: break
            case .deadline: throw .connectTimedOut(peer: "\(endpoint)", after: options.connectLimit)
            case .closed: throw .closedHere
            case .cancelled: throw .cancelled
            }
            let number = socket.pendingError
            if number != 0 { throw LinkError(connecting: number, to: endpoint) }
        }
        return try TCPLink(socket, reactor, options)
    }
}

extension LinkError {
    init(_ error: SystemError) {
        self = .system(call: error.call, peer: error.subject, reason: error.reason)
    }

    init(connecting number: Int32, to endpoint: IPEndpoint) {
        switch SystemError.ConnectionKind(number) {
        case .refused:
            self = .refused(peer: "\(endpoint)", port: endpoint.port)
        case .connectionBroken, .peerSilent, .other:
            let error = SystemError("connect", number, on: "\(endpoint)")
            self = .unreachable(peer: "\(endpoint)", reason: error.reason)
        }
    }

    init(_ number: Int32, _ call: String, peer: String) {
        switch SystemError.ConnectionKind(number) {
        case .connectionBroken: self = .reset(peer: peer)
        case .peerSilent: self = .stalled(peer: peer, after: Socket.keepaliveLimit)
        case .refused, .other:
            self = .system(call: call, peer: peer, reason: SystemError(call, number, on: peer).reason)
        }
    }
}
