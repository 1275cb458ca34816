import PTP

/// What came out of a decoder, with payload joined so that it does not matter how it was cut.
enum Piece: Equatable {
    case packet(Packet)
    case odd(OddPacket)
    case payload([UInt8])
}

func drain(_ decoder: inout PacketDecoder, into pieces: inout [Piece]) throws(Malformed) {
    while let output = try decoder.next() {
        switch output {
        case .packet(let packet):
            pieces.append(.packet(packet))
        case .odd(let packet):
            pieces.append(.odd(packet))
        case .payload(let bytes):
            if case .payload(let before) = pieces.last {
                pieces[pieces.count - 1] = .payload(before + bytes)
            } else {
                pieces.append(.payload(Array(bytes)))
            }
        }
    }
}

func decodeAll(_ bytes: [UInt8]) throws(Malformed) -> [Piece] {
    var decoder = PacketDecoder()
    var pieces: [Piece] = []
    decoder.append(bytes)
    try drain(&decoder, into: &pieces)
    return pieces
}
