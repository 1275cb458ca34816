public import Link

extension SimulatedCamera {
    /// Serves a TCP port until the task is cancelled or the listener closed.
    public func run(on listener: TCPListener) async {
        await run(accepting: { try await listener.accept() })
    }
}
