extension Socket {
    /// An address like that one with a port that is free now. For whoever has to say where it will be before it is there.
    package static func freeAddress(like endpoint: IPEndpoint) throws(SystemError) -> IPEndpoint {
        let socket = try Socket.make(for: endpoint)
        try socket.listen(on: endpoint, backlog: 1)
        return socket.localEndpoint ?? endpoint
    }
}
