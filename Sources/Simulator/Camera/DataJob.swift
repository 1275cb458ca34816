import PTP
import Synchronization

/// What goes wrong with an answer on its way out.
enum Mishap: Sendable {
    case pause(Duration)
    /// Nothing more, for as long as the link stands.
    case stall
    case cut
    case reset
    /// Silence on both links, the slot kept for so long.
    case lost(hold: Duration)
    /// Empty Data packets instead of what should come, for as long as the link stands.
    case emptyPackets(perSecond: UInt64)
}

/// The data of one transaction on its way out, and what is to go wrong with it.
final class DataJob: Sendable {
    /// In what way its packets are none that belong there.
    enum Disorder: String, CaseIterable, Sendable {
        case wrongTransaction = "wrong-transaction"
        case noStart = "no-start"
        case startTwice = "start-twice"
        case unknownPacket = "unknown-packet"
    }

    enum Stop: Equatable, Sendable {
        /// The client has cancelled.
        case asked
        /// There is nothing more to send.
        case broken(ResponseCode)
    }

    let content: any ObjectContent
    let range: Range<UInt64>
    let packets: Packetisation
    let announced: UInt64
    /// Bytes that belong to nothing, behind the rest.
    let trailing: Int
    /// When so many bytes of payload have gone.
    let mishap: (after: UInt64, what: Mishap)?
    let disorder: Disorder?
    /// Whether it is gone when the card is.
    let isFromCard: Bool
    /// Takes effect at the end of the packet under way.
    let stop = Mutex<Stop?>(nil)

    var length: UInt64 { UInt64(range.count) + UInt64(trailing) }

    init(
        content: any ObjectContent, range: Range<UInt64>, packets: Packetisation, announced: UInt64,
        trailing: Int, mishap: (after: UInt64, what: Mishap)?, disorder: Disorder?,
        isFromCard: Bool
    ) {
        self.content = content
        self.range = range
        self.packets = packets
        self.announced = announced
        self.trailing = trailing
        self.mishap = mishap
        self.disorder = disorder
        self.isFromCard = isFromCard
    }

    /// A number that no packet type has.
    static let unknownPacketType: UInt32 = 200

    /// What comes before the first Data packet.
    func beginning(_ transaction: TransactionID, on line: GuestLine) -> [[UInt8]] {
        let start = Packet.startData(StartData(transaction: transaction, totalLength: announced))
        switch disorder {
        case .noStart: return []
        case .startTwice: return [line.encode(start), line.encode(start)]
        case .unknownPacket: return [line.encode(start), line.oddFrame(type: Self.unknownPacketType)]
        case .wrongTransaction, nil: return [line.encode(start)]
        }
    }

    /// What the packets of the data say they belong to.
    func shown(_ transaction: TransactionID) -> TransactionID {
        disorder == .wrongTransaction
            ? TransactionID(rawValue: transaction.rawValue &+ 1000) : transaction
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
