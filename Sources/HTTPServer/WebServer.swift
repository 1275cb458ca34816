package import Basics
package import Posix
import Synchronization

package struct ServerSettings: Sendable {
    package var listen: IPEndpoint
    /// A socket that listens there already: the service manager's, which outlives the server.
    package var inherited: InheritedSocket?
    /// Files of a certificate chain and its key, in PEM.
    package var tls: (certificate: String, key: String)?
    package var threads = 2
    package var mostConnections = 2000
    /// A hall of 500 guests has one address: each listens over one connection, and over five more for half a minute after
    /// it has opened the page. A quarter is left to all others. A proxy that is trusted may have all of them.
    package var mostConnectionsPerAddress = 1500
    /// Requests under way of one client that a trusted proxy names, where nothing else would limit it.
    package var mostRequestsPerClient = 1500
    /// Clients that listen to events, which count for themselves: one costs less than any other connection.
    package var mostStreams = 2000
    /// Nothing came or went for so long.
    package var idle = Duration.seconds(30)
    /// Bytes a second that a body has to reach over any ten seconds.
    package var minimumRate: UInt64 = 1000
    /// Headers and the request line together.
    package var headerLimit = 16 << 10
    /// Addresses of proxies of ours: what they say in X-Forwarded-For is believed.
    package var trustedProxies: Set<String> = []

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
    /// 499 where the other side left before there was an answer, 408 where it was cut for its slowness.
    package let status: Int
    /// Of the body; 0 for a file or bytes that were cut on their way.
    package let sent: UInt64
    package let received: UInt64
    package let took: Duration
    package let peer: String
}

package struct ServerProblem: Error, Equatable, CustomStringConvertible, Sendable {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// Answers requests by its routes until it is stopped.
package final class WebServer: Sendable {
    private enum Life {
        case serving
        case stopping
        case stopped
    }

    private let core: Core
    private let daemon: Daemon
    private let watch: Task<Void, Never>
    private let writing: Task<Void, Never>?
    private let life = Mutex(Life.serving)

    /// `refusal` makes the answers that come from the server itself, in the words of its user: no such route, a
    /// method that it does not have, a body that is too long, headers that make no sense. `elsewhere` is asked first where no
    /// route has the path, of which it gets the parts; `finish` has the last word about every answer.
    package init(
        _ settings: ServerSettings, routes: [Route], time: any TimeSource, wall: any WallTime,
        random: any RandomSource,
        refusal: @escaping @Sendable (_ status: Int, _ message: String) -> Response,
        elsewhere: (@Sendable (_ request: Request, _ parts: [String]) -> Response?)? = nil,
        finish: (@Sendable (_ request: Request, _ answer: Response) -> Response)? = nil,
        log: @escaping @Sendable (AccessEntry) -> Void
    ) throws(ServerProblem) {
        let core: Core
        do throws(SystemError) {
            let answers = Core.Answers(refusal: refusal, elsewhere: elsewhere, finish: finish)
            core = try Core(settings, routes, time, wall, random, answers, log)
        } catch {
            throw ServerProblem(description: "\(error)")
        }
        self.core = core
        let daemon = try Daemon(core)
        self.daemon = daemon
        writing = core.streams?.start()
        let endpoint = IPEndpoint(address: settings.listen.address, port: daemon.port)
        watch = Task { await Watch(core: core, endpoint: endpoint).run() }
    }

    deinit {
        watch.cancel()
        // Its owner has let go of it without stopping it.
        if life.withLock({ $0 == .serving }) {
            daemon.stop()
            core.streams?.stop()
        }
    }

    /// The one it listens at, also where any was asked for.
    package var port: UInt16 { daemon.port }

    /// Takes nothing new, finishes what it serves, at the longest for so long.
    package func stop(within timeout: Duration) async {
        let isFirst = life.withLock { life in
            guard life == .serving else { return false }
            life = .stopping
            return true
        }
        guard isFirst else { return }
        core.beginStopping()
        daemon.quiesce()
        for connection in core.connections.all { connection.state.withLock(\.exchange)?.endEvents() }
        core.streams?.endStreams()
        let deadline = core.time.now + timeout
        // A request that comes over a connection that is still open is served, too.
        while !core.isQuiet, core.time.now < deadline {
            await core.quiet.wait(until: deadline, of: core.time)
        }
        watch.cancel()
        await watch.value
        // Ending the threads waits for them, which is nothing for the pool of tasks.
        let thread = ThreadExecutor(name: "server-stop")
        await Task(executorPreference: thread) { [daemon] in daemon.stop() }.value
        thread.shutDown()
        core.streams?.stop()
        await writing?.value
        life.withLock { $0 = .stopped }
    }
}
