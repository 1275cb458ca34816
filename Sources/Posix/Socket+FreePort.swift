extension Socket {
    /// An address like that one with a port that is free now. For a server that is announced before it listens.
    package static func freeAddress(like endpoint: IPEndpoint) throws(SystemError) -> IPEndpoint {
        let socket = try Socket.make(for: endpoint)
        try socket.listen(on: endpoint, backlog: 1)
        return socket.localEndpoint ?? endpoint
    }
}
