import Basics
import Posix
import Synchronization

/// Looks once a second at who keeps us waiting: the library's own time limit begins anew with every byte, so that one
/// byte now and then would hold a connection for days.
struct Watch: Sendable {
    static let period = Duration.seconds(1)
    static let rateWindow = Duration.seconds(10)
    static let heartbeat = Duration.seconds(15)

    let core: Core
    /// Where the server listens.
    let endpoint: IPEndpoint

    func run() async {
        while true {
            do {
                try await core.time.sleep(until: core.time.now + Self.period)
            } catch {
                // The server stops.
                return
            }
            look(at: core.time.now)
            core.streams?.beat(at: core.time.now)
            nudge()
        }
    }

    func look(at now: Duration) {
        for connection in core.connections.all {
            let (verdict, exchange) = connection.state.withLock { state in
                (judge(&state, at: now), state.exchange)
            }
            switch verdict {
            case .patient: exchange?.beat(at: now)
            case .late: core.connections.cut(connection)
            case .slow:
                exchange?.isTooSlow()
                core.connections.cut(connection)
            }
        }
    }

    /// So many events the library takes at a time.
    private static let batch = 128

    /// Where exactly a whole batch has come, version 0.9.75 waits for the next one before it looks at the first, and when
    /// the network is silent then, it waits until a connection is idle for too long. A new connection ends that,
    /// on every thread.
    private func nudge() {
        guard core.connections.count >= Self.batch else { return }
        do {
            _ = try Socket.make(for: endpoint).connect(to: endpoint)
        } catch {
            // Without a descriptor for it there is the next second.
            return
        }
    }

    private enum Verdict {
        case patient
        case late
        case slow
    }

    private func judge(_ state: inout Connection.State, at now: Duration) -> Verdict {
        switch state.debt {
        case .nothing: return .patient
        case .headers(let since): return now - since > core.settings.idle ? .late : .patient
        case .body(let since, let count):
            let window = now - since
            guard window >= Self.rateWindow else { return .patient }
            let wanted = core.settings.minimumRate * UInt64(window.components.seconds)
            guard state.received - count >= wanted else { return .slow }
            state.debt = .body(since: now, count: state.received)
            return .patient
        }
    }
}
