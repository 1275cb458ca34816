import Link
import PTP

/// One of the two connections, as the session sees it. Used only on the session's executor.
final class Line {
    let channel: Channel
    var link: (any ByteLink)?
    /// Rung when the machine wants the link opened, and when it never will.
    let door = Doorbell()
    /// What is to be sent, in order.
    private var outgoing: [[UInt8]] = []
    private let outgoingBell = Doorbell()
    private(set) var isOver = false

    init(_ channel: Channel) {
        self.channel = channel
    }

    func post(_ bytes: [UInt8]) {
        outgoing.append(bytes)
        outgoingBell.ring()
    }

    /// Everything posted so far; nothing once the line is over.
    func nextBatch() async -> [Piece]? {
        while !isOver {
            if !outgoing.isEmpty {
                defer { outgoing.removeAll(keepingCapacity: true) }
                return outgoing.map { .bytes($0) }
            }
            await outgoingBell.wait()
        }
        return nil
    }

    func end(_ manner: LinkClosing) {
        isOver = true
        link?.close(manner)
        door.ring()
        outgoingBell.ring()
    }
}
