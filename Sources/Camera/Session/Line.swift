import Link
import PTP
import Posix

/// One of the two connections, as the session sees it. Used only on the session's executor.
final class Line {
    let channel: Channel
    var link: (any ByteLink)?
    /// Rung when the machine wants the link opened, and when it never will.
    let door = Signal()
    /// What is to be sent, in order.
    let outbox = Mailbox<[UInt8]>()
    private(set) var isOver = false

    init(_ channel: Channel) {
        self.channel = channel
    }

    func end(_ manner: LinkClosing) {
        isOver = true
        link?.close(manner)
        door.fire()
        outbox.close()
    }
}
