import PTP
import Posix

/// When a frame was captured.
public struct CaptureTime: Comparable, Hashable, Sendable {
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (left: CaptureTime, right: CaptureTime) -> Bool {
        left.microseconds < right.microseconds
    }

    public func since(_ other: CaptureTime) -> Duration {
        .microseconds(microseconds - other.microseconds)
    }
}

/// One direction of one TCP connection of a capture, read as PTP/IP packets.
struct FlowDirection {
    struct Entry {
        enum Content {
            case packet(Packet)
            /// A packet that is not as the standard has it. What could be understood of it is the next entry.
            case odd(OddPacket)
            /// What could not be read; nothing follows from this direction.
            case broken(String)
        }

        let content: Content
        var payload: StoredBytes?
        let time: CaptureTime
        /// The frame in which the packet ended its header.
        let frame: Int

        var payloadLength: Int {
            switch content {
            case .packet(.data(let header)), .packet(.endData(let header)): Int(header.length)
            case .packet, .odd, .broken: 0
            }
        }
    }

    private var assembler = StreamAssembler()
    private var decoder = PacketDecoder()
    private(set) var entries: [Entry] = []
    private var isBroken = false

    /// More packets than this in one direction of one connection are no conversation with a camera.
    private static let mostEntries = 4_000_000

    var firstPacket: Packet? {
        for entry in entries {
            switch entry.content {
            case .packet(let packet): return packet
            case .broken: return nil
            case .odd: continue
            }
        }
        return nil
    }

    var hasBegun: Bool { assembler.hasBegun }
    var isEnded: Bool { assembler.isEnded }

    mutating func add(_ segment: TCPSegment, _ store: PayloadStore, at time: CaptureTime, _ frame: Int)
        throws(SystemError)
    {
        if segment.flags.contains(.syn) { assembler.began(with: segment.sequence) }
        // A SYN takes a number; data behind it begins one later.
        let start = segment.flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence
        let pieces = assembler.add(start, segment.payload, leftOut: segment.leftOut)
        try take(pieces, store, at: time, frame)
        if segment.flags.contains(.fin) || segment.flags.contains(.rst) { assembler.ended() }
    }

    mutating func finish(_ store: PayloadStore, at time: CaptureTime, _ frame: Int) throws(SystemError) {
        try take(assembler.flush(), store, at: time, frame)
        if decoder.isInsidePacket, !isBroken {
            broken("the capture ends in the middle of a packet", at: time, frame)
        }
    }

    private mutating func take(
        _ pieces: [StreamAssembler.Piece], _ store: PayloadStore, at time: CaptureTime, _ frame: Int
    ) throws(SystemError) {
        for piece in pieces where !isBroken {
            switch piece {
            case .bytes(let bytes):
                decoder.append(bytes)
                try decode(store, at: time, frame)
            case .gap(let count, let isLost):
                guard count <= decoder.payloadRemaining else {
                    broken(
                        isLost
                            ? "\(count) bytes are missing from the capture, packets among them"
                            : "the capture holds only the beginning of each frame, and packets are longer",
                        at: time, frame)
                    continue
                }
                decoder.payloadTaken(count)
                entries[entries.count - 1].payload?.append(.missing(count, isLost: isLost))
            }
        }
    }

    private mutating func decode(_ store: PayloadStore, at time: CaptureTime, _ frame: Int)
        throws(SystemError)
    {
        while !isBroken {
            let output: PacketDecoder.Output?
            do throws(Malformed) {
                output = try decoder.next()
            } catch {
                return broken("\(error)", at: time, frame)
            }
            switch output {
            case .packet(let packet):
                add(.packet(packet), packet.type.carriesPayload ? StoredBytes() : nil, at: time, frame)
            case .odd(let packet):
                add(.odd(packet), nil, at: time, frame)
            case .payload(let bytes):
                let part = try store.keep(bytes, ofPacket: entries[entries.count - 1].payloadLength)
                entries[entries.count - 1].payload?.append(part)
            case nil:
                return
            }
        }
    }

    private mutating func add(
        _ content: Entry.Content, _ payload: StoredBytes?, at time: CaptureTime, _ frame: Int
    ) {
        guard entries.count < Self.mostEntries else {
            return broken("more than \(Self.mostEntries) packets", at: time, frame)
        }
        entries.append(Entry(content: content, payload: payload, time: time, frame: frame))
    }

    private mutating func broken(_ reason: String, at time: CaptureTime, _ frame: Int) {
        isBroken = true
        entries.append(Entry(content: .broken(reason), payload: nil, time: time, frame: frame))
    }
}

/// One TCP connection of a capture: both directions, by who sent first in the capture.
struct Flow {
    let ends: (FlowEnd, FlowEnd)
    var directions = (FlowDirection(), FlowDirection())
    /// In which order the connections of the capture began.
    let order: Int

    /// Which end sent the packet that says what this connection is: 0 or 1.
    func sender(ofFirst isWanted: (Packet) -> Bool) -> Int? {
        if let first = directions.0.firstPacket, isWanted(first) { return 0 }
        if let first = directions.1.firstPacket, isWanted(first) { return 1 }
        return nil
    }
}
