public import Link
public import PacketCapture
import Posix

extension SimulatedCamera {
    /// Serves a TCP port until the task is cancelled or the listener closed.
    public func run(on listener: TCPListener) async {
        await run(accepting: { try await listener.accept() })
    }

    /// A camera with this card on a free port of this machine for as long as `body` takes, which gets its address.
    public static func serve<Result: Sendable>(
        _ card: VirtualCard, settings: Settings = Settings(),
        _ body: (_ address: String) async throws -> Result
    ) async throws -> Result {
        try await serve(body) { SimulatedCamera(card: card, settings: settings, executor: $0, time: $0) }
    }

    /// The camera of a recording on a free port of this machine for as long as `body` takes, which gets its address.
    public static func serve<Result: Sendable>(
        replaying recording: Recording, settings: Settings = Settings(),
        _ body: (_ address: String) async throws -> Result
    ) async throws -> Result {
        try await serve(body) {
            SimulatedCamera(replaying: recording, settings: settings, executor: $0, time: $0)
        }
    }

    private static func serve<Result: Sendable>(
        _ body: (_ address: String) async throws -> Result, _ make: (Reactor) -> SimulatedCamera
    ) async throws -> Result {
        let reactor = try Reactor(name: "camsim")
        defer { reactor.shutDown() }
        let listener = try TCPListener(on: .loopback(port: 0), reactor: reactor)
        let camera = make(reactor)
        async let serving: Void = camera.run(on: listener)
        defer { listener.close() }
        let result = try await body("\(listener.localEndpoint)")
        listener.close()
        await serving
        return result
    }
}
