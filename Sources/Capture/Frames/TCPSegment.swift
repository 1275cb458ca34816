/// One end of a connection in a capture: address bytes in network order, and a port.
struct FlowEnd: Hashable, Sendable {
    let address: [UInt8]
    let port: UInt16
}

/// What a captured frame holds for us.
struct TCPSegment: Equatable {
    struct Flags: OptionSet, Equatable {
        let rawValue: UInt8

        static let fin = Flags(rawValue: 0x01)
        static let syn = Flags(rawValue: 0x02)
        static let rst = Flags(rawValue: 0x04)
        static let psh = Flags(rawValue: 0x08)
        static let ack = Flags(rawValue: 0x10)
    }

    let source: FlowEnd
    let destination: FlowEnd
    let sequence: UInt32
    let flags: Flags
    let payload: ArraySlice<UInt8>
    /// Bytes of payload that were on the wire and not captured.
    let leftOut: Int
}

/// Why a frame is of no use. Counted and named, so that nobody wonders where packets went.
enum SkippedFrame: Error, Hashable {
    case tooShort
    case notIP
    case notTCP
    case fragment
    case malformed
}
