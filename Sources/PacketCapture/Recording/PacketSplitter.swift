import PTP

/// Where packets begin and end in one direction of a link, so that a recording can give each a segment of its own.
///
/// Unlike a decoder it keeps the bytes as they are. Bytes that make no sense are passed on as they come.
struct PacketSplitter {
    enum Piece {
        /// A whole packet, or all of a data packet that stands before its payload, or the header of one that is odd.
        case packet([UInt8], PacketType?)
        case payload(UnsafeRawBufferPointer)
        /// The rest of one that is odd. Or not PTP/IP, or not any more.
        case other(UnsafeRawBufferPointer)
    }

    private var pending: [UInt8] = []
    /// What is still to come of the packet under way: payload, or the rest of one that is odd.
    private var passingLeft = 0
    private var passesPayload = false
    private var isLost = false

    /// The slices given to `body` are good only while it runs.
    mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (Piece) -> Void) {
        var rest = bytes
        while !rest.isEmpty {
            if isLost { return body(.other(rest)) }
            if passingLeft > 0 {
                let count = min(passingLeft, rest.count)
                let part = UnsafeRawBufferPointer(rebasing: rest[..<count])
                body(passesPayload ? .payload(part) : .other(part))
                passingLeft -= count
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                continue
            }
            let wanted = wantedLength - pending.count
            let count = min(wanted, rest.count)
            pending += rest[..<count]
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if pending.count >= PacketType.headerLength { complete(body) }
        }
    }

    private var length: UInt32 { word(at: 0) }

    private var type: PacketType? { PacketType(rawValue: word(at: 4)) }

    private func word(at offset: Int) -> UInt32 {
        pending[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// As far as it is known: the header first, then what the header says. A packet that is longer than such packets are
    /// is not waited for: what has come of it when the connection is lost belongs into the recording.
    private var wantedLength: Int {
        guard pending.count >= PacketType.headerLength, let type, length <= type.maximumLength else {
            return PacketType.headerLength
        }
        return Int(type.carriesPayload ? min(length, type.minimumLength) : length)
    }

    private mutating func complete(_ body: (Piece) -> Void) {
        guard PacketType.possibleLengths(of: word(at: 4)).contains(length) else {
            isLost = true
            pending.withUnsafeBytes { body(.other($0)) }
            pending = []
            return
        }
        // The header is complete, the packet is not.
        if pending.count < wantedLength { return }
        passingLeft = Int(length) - pending.count
        passesPayload = type?.carriesPayload == true
        body(.packet(pending, type))
        pending = []
    }
}
