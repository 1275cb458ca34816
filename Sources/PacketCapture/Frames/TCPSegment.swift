/// One end of a connection in a capture: address bytes in network order, and a port.
package struct FlowEnd: Hashable, Sendable {
    package let address: [UInt8]
    package let port: UInt16
}

/// What a captured frame holds for us.
package struct TCPSegment: Equatable {
    package struct Flags: OptionSet, Equatable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let fin = Flags(rawValue: 0x01)
        package static let syn = Flags(rawValue: 0x02)
        package static let rst = Flags(rawValue: 0x04)
        package static let psh = Flags(rawValue: 0x08)
        package static let ack = Flags(rawValue: 0x10)
    }

    package let source: FlowEnd
    package let destination: FlowEnd
    package let sequence: UInt32
    package let flags: Flags
    package let payload: ArraySlice<UInt8>
    /// Bytes of payload that were on the wire and not captured.
    package let leftOut: Int
}

/// Why a frame is of no use. Counted and named, so that a reader sees where packets went.
package enum SkippedFrame: Error, Hashable {
    case tooShort
    case notIP
    case notTCP
    case fragment
    case malformed
}
