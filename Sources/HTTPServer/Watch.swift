import Bridge
import Synchronization

/// Looks once a second at who keeps us waiting: the library's own time limit begins anew with every byte, so that one
/// byte now and then would hold a connection for days.
struct Watch: Sendable {
    static let period = Duration.seconds(1)
    static let rateWindow = Duration.seconds(10)
    static let heartbeat = Duration.seconds(15)

    let core: Core

    func run() async {
        while true {
            do {
                try await core.time.sleep(until: core.time.now + Self.period)
            } catch {
                // The server stops.
                return
            }
            look(at: core.time.now)
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
