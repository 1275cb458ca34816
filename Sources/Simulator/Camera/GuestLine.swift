import Link
import PTP
import Posix
import Synchronization

/// One accepted link, as the simulator sees it.
final class GuestLine: Sendable {
    enum Outgoing: Sendable {
        case packet([UInt8])
        case data(DataJob, TransactionID)
        /// After everything before it has gone.
        case close
    }

    let id: Responder.LinkID
    let link: any ByteLink
    let outbox = Mailbox<Outgoing>()
    private let deafness = Mutex(false)

    /// Set when the Wi-Fi "drops": nothing is heard or said on this link any more, its end included.
    var isDeaf: Bool {
        get { deafness.withLock { $0 } }
        set { deafness.withLock { $0 = newValue } }
    }

    init(id: Responder.LinkID, link: any ByteLink) {
        self.id = id
        self.link = link
    }

    func end(_ manner: LinkClosing) {
        outbox.close()
        link.close(manner)
    }
}

/// The data of one transaction on its way out, and what is to go wrong with it.
final class DataJob: Sendable {
    /// What happens when so many bytes of payload have gone.
    enum Mishap: Sendable {
        case pause(Duration)
        /// Nothing more, for as long as the link stands.
        case stall
        case cut
        case reset
        /// Silence on both links, the slot kept for so long.
        case lost(hold: Duration)
    }

    let content: any ObjectContent
    let range: Range<UInt64>
    let packets: Packetisation
    let announced: UInt64
    /// Bytes that belong to nothing, behind the rest.
    let trailing: Int
    let mishap: (after: UInt64, what: Mishap)?
    /// Asked to stop: takes effect at the end of the packet under way.
    let stop = Mutex(false)

    var length: UInt64 { UInt64(range.count) + UInt64(trailing) }

    init(
        content: any ObjectContent, range: Range<UInt64>, packets: Packetisation, announced: UInt64,
        trailing: Int,
        mishap: (after: UInt64, what: Mishap)?
    ) {
        self.content = content
        self.range = range
        self.packets = packets
        self.announced = announced
        self.trailing = trailing
        self.mishap = mishap
    }

    /// Fills `memory` with the payload from `position` on.
    func fill(_ memory: UnsafeMutableRawBufferPointer, at position: UInt64) throws {
        let real =
            UInt64(range.count) > position
            ? Int(min(UInt64(memory.count), UInt64(range.count) - position)) : 0
        if real > 0 {
            try content.fill(
                UnsafeMutableRawBufferPointer(rebasing: memory[..<real]), at: range.lowerBound + position)
        }
        for index in real..<memory.count { memory[index] = 0xEE }
    }
}
