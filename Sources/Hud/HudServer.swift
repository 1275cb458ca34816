package import Basics
import Bridge
package import Console
package import HTTPServer
import Posix
import Web

/// A bridge's page: serves it until the task is cancelled.
package final class HudServer: Sendable {
    private let server: WebServer
    private let wire: HudWire
    private let door: HudDoor
    private let settings: HudSettings

    private static let patience = Duration.seconds(1)

    /// `settings.listen` has its port.
    package init(
        _ settings: HudSettings, desk: HudDesk, bridge: any HudBridge, pictures: any PictureSource,
        time: any TimeSource, wall: any WallTime, random: any RandomSource
    ) throws(ServerProblem) {
        precondition(settings.listen.port != 0, "cookies are named after the port, so it is chosen before")
        self.settings = settings
        door = HudDoor(settings, random: random)
        wire = HudWire(desk: desk, bridge: bridge, time: time, executor: desk.executor)
        let routes = HudRoutes(
            door: door, settings: settings, desk: desk, wire: wire, bridge: bridge, pictures: pictures)
        server = try WebServer(
            settings.server, routes: routes.all, time: time, wall: wall, random: random,
            refusal: HudRoutes.refusal, log: { _ in })
    }

    /// Until the task is cancelled. The news only say that something has happened.
    package func run(_ news: NewsSubscription) async {
        await withDiscardingTaskGroup { group in
            group.addTask(executorPreference: self.wire.executor) { await self.wire.follow(news) }
            group.addTask(executorPreference: self.wire.executor) { await self.wire.run() }
        }
        await server.stop(within: Self.patience)
    }

    /// Where the page is, as seen from that host, without the token.
    package func address(host: String) -> String {
        "\(settings.tls == nil ? "http" : "https")://\(HostPort(host: host, port: settings.listen.port))/"
    }

    /// With the token, in the part that browsers send nowhere.
    package func entry(host: String) -> String { "\(address(host: host))#token=\(door.token)" }
}
