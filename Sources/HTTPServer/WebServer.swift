package import Bridge
package import Posix

package struct ServerSettings: Sendable {
    package var listen: IPEndpoint
    /// Files of a certificate chain and its key, in PEM.
    package var tls: (certificate: String, key: String)?
    package var threads = 2
    package var mostConnections = 2000
    package var mostConnectionsPerAddress = 500
    /// Nothing came or went for so long.
    package var idle = Duration.seconds(30)
    /// Bytes a second that a body has to reach over any ten seconds.
    package var minimumRate: UInt64 = 1000
    /// Headers and the request line together.
    package var headerLimit = 16 << 10

    package init(listen: IPEndpoint) {
        self.listen = listen
    }
}

/// One line of the log for each request.
package struct AccessEntry: Sendable {
    package let id: String
    package let method: String
    package let path: String
    package let route: String?
    package let status: Int
    package let sent: UInt64
    package let received: UInt64
    package let took: Duration
    package let peer: String
}

package struct ServerProblem: Error, Equatable, CustomStringConvertible, Sendable {
    package let description: String
}

/// Answers requests by its routes until it is stopped.
package final class WebServer: Sendable {
    /// `refusal` makes the answers that come from the server itself, in the words of whoever uses it: no such route, a
    /// method that it does not have, a body that is too long, headers that make no sense.
    package init(
        _ settings: ServerSettings, routes: [Route], time: any TimeSource, wall: any WallTime,
        random: any RandomSource,
        refusal: @escaping @Sendable (_ status: Int, _ message: String) -> Response,
        log: @escaping @Sendable (AccessEntry) -> Void
    ) throws(ServerProblem) {
        throw ServerProblem(description: "not there yet")
    }

    package var port: UInt16 { 0 }

    /// Takes nothing new, finishes what it serves, at the longest for so long.
    package func stop(within patience: Duration) async {}
}
