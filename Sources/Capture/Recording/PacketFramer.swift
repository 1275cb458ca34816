import PTP

/// Where packets begin and end in one direction of a link, so that a recording can give each a segment of its own.
///
/// Unlike a decoder it keeps the bytes as they are. Bytes that make no sense are passed on as they come.
struct PacketFramer {
    enum Piece {
        /// A whole packet, or all of a data packet that stands before its payload.
        case packet([UInt8], PacketType)
        case payload(UnsafeRawBufferPointer)
        /// Not PTP/IP, or not any more.
        case other(UnsafeRawBufferPointer)
    }

    private var pending: [UInt8] = []
    private var payloadLeft = 0
    private var isLost = false

    /// The slices given to `body` are good only while it runs.
    mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (Piece) -> Void) {
        var rest = bytes
        while !rest.isEmpty {
            if isLost { return body(.other(rest)) }
            if payloadLeft > 0 {
                let count = min(payloadLeft, rest.count)
                body(.payload(UnsafeRawBufferPointer(rebasing: rest[..<count])))
                payloadLeft -= count
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

    private var type: PacketType? { pending.count >= 8 ? PacketType(rawValue: word(at: 4)) : nil }

    private func word(at offset: Int) -> UInt32 {
        pending[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// As far as it is known: the header first, then what the header says.
    private var wantedLength: Int {
        guard let type else { return PacketType.headerLength }
        return Int(type.carriesPayload ? type.minimumLength : length)
    }

    private mutating func complete(_ body: (Piece) -> Void) {
        guard let type, length >= type.minimumLength, length <= type.maximumLength else {
            isLost = true
            pending.withUnsafeBytes { body(.other($0)) }
            pending = []
            return
        }
        // The header is complete, the packet is not.
        if pending.count < wantedLength { return }
        if type.carriesPayload { payloadLeft = Int(length) - pending.count }
        body(.packet(pending, type))
        pending = []
    }
}
