import Bridge
import PTP
import Synchronization

/// Where the notices go that a camera pushes: to those who follow its changes, as the standard has them, until a maker's
/// driver takes them.
final class PushedNotices: Sendable {
    private struct State {
        var taker: (@Sendable (EventPacket) -> Void)?
        /// What came while the body was still being greeted.
        var early: [EventPacket] = []
    }

    private let changes: CameraChanges
    private let state = Mutex(State())

    /// More than a body tells in a greeting.
    private static let mostEarly = 1024

    init(_ changes: CameraChanges) {
        self.changes = changes
    }

    func deliver(_ notice: EventPacket) {
        let taker = state.withLock { state in
            if state.taker == nil, state.early.count < Self.mostEarly { state.early.append(notice) }
            return state.taker
        }
        if let taker { return taker(notice) }
        CameraChange(notice).map { changes.push($0) }
    }

    /// Gives what came before, which was told as far as the standard has it.
    @discardableResult
    func take(by taker: @escaping @Sendable (EventPacket) -> Void) -> [EventPacket] {
        state.withLock { state in
            defer { state.early = [] }
            state.taker = taker
            return state.early
        }
    }
}
