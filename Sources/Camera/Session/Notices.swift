public import PTP
import Posix
import Synchronization

/// What the camera tells by itself, in order, for one reader.
///
/// A camera can notice faster than anybody reads. Beyond ``limit`` the newest are dropped, and the reader
/// gets an UnreportedStatus after what was kept: "events were lost, re-list everything" is what that code
/// means in the standard, so both kinds of loss are handled in one place.
public struct Notices: AsyncSequence, Sendable {
    public static let limit = 1024

    let queue: NoticeQueue

    public func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue)
    }

    public struct Iterator: AsyncIteratorProtocol {
        let queue: NoticeQueue

        /// Nothing once the connection is over and everything was read.
        public func next() async -> EventPacket? {
            await queue.next()
        }
    }
}

final class NoticeQueue: Sendable {
    private struct State {
        var kept: [EventPacket] = []
        var hasLost = false
        var isFinished = false
    }

    private let state = Mutex(State())
    private let bell = Doorbell()

    func push(_ notice: EventPacket) {
        state.withLock { state in
            // The same notice twice in a row says nothing new.
            if state.kept.last == notice { return }
            if state.kept.count < Notices.limit {
                state.kept.append(notice)
            } else {
                state.hasLost = true
            }
        }
        bell.ring()
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        bell.ring()
    }

    func next() async -> EventPacket? {
        while !Task.isCancelled {
            let (notice, isOver) = state.withLock { state -> (EventPacket?, Bool) in
                if !state.kept.isEmpty { return (state.kept.removeFirst(), false) }
                if state.hasLost {
                    state.hasLost = false
                    return (EventPacket(code: .unreportedStatus), false)
                }
                return (nil, state.isFinished)
            }
            if notice != nil || isOver { return notice }
            await bell.waitUnlessCancelled()
        }
        return nil
    }
}
