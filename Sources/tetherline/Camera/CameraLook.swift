import Discovery
import HTTPClient
import Posix
import Synchronization

/// Cameras looked for once, for a few seconds: what announces itself, and where that was listened to.
struct CameraLook {
    let interfaces: [String]
    private static let time = Duration.seconds(4)

    func take(on reactor: Reactor) async throws -> (cameras: FoundCameras, interfaces: [String]) {
        let transport = try CurlClient(CurlClient.Configuration(usesProxies: false))
        let found = Mutex((cameras: FoundCameras(), interfaces: [String]()))
        let finder = CameraFinder(
            reactor, transport: transport, interfaces: interfaces, random: SystemRandomSource(),
            tell: { news in
                found.withLock { found in
                    found.cameras.apply(news)
                    if case .listening(let names) = news { found.interfaces = names }
                }
            })
        let looking = Task(executorPreference: reactor) { try await finder.run() }
        let outcome = await withTaskCancellationHandler {
            do throws(CancellationError) {
                try await reactor.sleep(until: reactor.now + Self.time)
            } catch {
                looking.cancel()
            }
            looking.cancel()
            return await looking.result
        } onCancel: {
            looking.cancel()
        }
        await transport.shutDown()
        try outcome.get()
        try Task.checkCancellation()
        return found.withLock { $0 }
    }
}
