import Link
import PTP
import Posix
import Synchronization

/// One accepted link, as the simulator sees it.
final class GuestLine: Sendable {
    enum Outgoing: Sendable {
        case packet([UInt8])
        case data(DataJob, TransactionID)
        /// Between what was posted before it and what comes after.
        case mishap(Mishap)
        /// Everything before it has gone: rings ``drained``.
        case mark
        /// After everything before it has gone.
        case close
    }

    let id: Responder.LinkID
    let link: any ByteLink
    let outbox = Mailbox<Outgoing>()
    private let framing: Mutex<any Framing>
    /// Rung when a mark was reached, and when there is nothing more to reach. One task waits.
    let drained = Signal()
    /// Closed when the Wi-Fi "drops": nothing is heard or said on this link any more, its end included.
    let hearing = Gate()

    var isDeaf: Bool { !hearing.isOpen }

    init(id: Responder.LinkID, link: any ByteLink, framing: any Framing) {
        self.id = id
        self.link = link
        self.framing = Mutex(framing)
    }

    // MARK: Framing

    func append(_ bytes: UnsafeRawBufferPointer) {
        framing.withLock { $0.append(bytes) }
    }

    func next() throws(Malformed) -> PacketDecoder.Output? {
        try framing.withLock { framing throws(Malformed) in try framing.next() }
    }

    func encode(_ packet: Packet) -> [UInt8] {
        framing.withLock { $0.encode(packet) }
    }

    /// What no camera should say, in a frame that is whole.
    func oddFrame(type: UInt32, _ content: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
        framing.withLock { $0.frame(type: type, content) }
    }

    func post(_ packet: Packet) {
        let bytes = encode(packet)
        if !bytes.isEmpty { outbox.post(.packet(bytes)) }
    }

    func end(_ manner: LinkClosing) {
        outbox.close()
        link.close(manner)
        hearing.open()
        drained.fire()
    }
}
