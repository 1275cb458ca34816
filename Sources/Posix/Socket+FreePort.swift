extension Socket {
    /// An address like that one with a port that is free now. For a server that is announced before it listens.
    ///
    /// It is bound and never listened at: a child that is just being started holds a copy for a moment, and one that
    /// listened would keep the server from the port, or answer in its place.
    package static func freeAddress(like endpoint: IPEndpoint) throws(SystemError) -> IPEndpoint {
        let socket = try Socket.make(for: endpoint)
        try socket.bind(to: endpoint)
        return socket.localEndpoint ?? endpoint
    }
}
