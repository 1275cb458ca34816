import CMicrohttpd
import Synchronization

/// A connection that sleeps while there is nothing to send to it, and is woken from elsewhere.
final class Wakeable: Sendable {
    private enum State {
        case awake
        /// Another thread called while it was awake: it is to look again before it sleeps.
        case called
        case asleep
        /// The request is over; the connection may be gone.
        case over
    }

    private let state = Mutex(State.awake)
    /// The library's name for the connection, which is good while a request is under way.
    private nonisolated(unsafe) let connection: OpaquePointer

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    func wake() {
        state.withLock { state in
            switch state {
            case .awake, .called: state = .called
            case .asleep:
                state = .awake
                MHD_resume_connection(connection)
            case .over: return
            }
        }
    }

    /// On the network's thread, when there was nothing to do. False: look again, another thread has called meanwhile.
    func sleep() -> Bool {
        state.withLock { state in
            switch state {
            case .called:
                state = .awake
                return false
            case .awake:
                // Inside the lock: no thread can wake it before it sleeps.
                MHD_suspend_connection(connection)
                state = .asleep
                return true
            case .asleep, .over: preconditionFailure("only a connection that is awake can go to sleep")
            }
        }
    }

    func end() {
        state.withLock { $0 = .over }
    }
}

extension Wakeable: FeedReader {
    func look(at feed: EventFeed) { wake() }
}
