import Bridge
import PTP
import Synchronization

/// Where the notices go that a camera pushes: to those who follow its changes, as the standard has them, until a maker's
/// driver takes them.
final class PushedNotices: Sendable {
    private let changes: CameraChanges
    private let taker = Mutex<(@Sendable (EventPacket) -> Void)?>(nil)

    init(_ changes: CameraChanges) {
        self.changes = changes
    }

    func deliver(_ notice: EventPacket) {
        if let taker = taker.withLock(\.self) { return taker(notice) }
        CameraChange(notice).map { changes.push($0) }
    }

    func take(by taker: @escaping @Sendable (EventPacket) -> Void) {
        self.taker.withLock { $0 = taker }
    }
}
