/// How frames of a capture begin, by libpcap's number.
///
/// Numbers are those of the data link types of pcap(3); some have another number in the file itself, which
/// libpcap translates.
package enum LinkLayer: Equatable {
    case null
    case ethernet
    case raw
    case loop
    case linuxCooked
    case linuxCooked2
    case ipv4
    case ipv6

    package init?(dataLinkType number: Int32) {
        switch number {
        case 0: self = .null
        case 1: self = .ethernet
        // DLT_RAW is 12 here and 14 on OpenBSD; the file says 101.
        case 12, 14, 101: self = .raw
        case 108: self = .loop
        case 113: self = .linuxCooked
        case 276: self = .linuxCooked2
        case 228: self = .ipv4
        case 229: self = .ipv6
        default: return nil
        }
    }

    /// Where the IP packet begins.
    func networkPacket(in frame: ArraySlice<UInt8>) throws(SkippedFrame) -> ArraySlice<UInt8> {
        switch self {
        case .raw, .ipv4, .ipv6:
            return frame
        case .null, .loop:
            // Four bytes of address family in whatever order the capturing machine had: the IP version says it too.
            return try frame.after(4)
        case .linuxCooked:
            return try Self.ifIP(frame, typeAt: 14, headerLength: 16)
        case .linuxCooked2:
            return try Self.ifIP(frame, typeAt: 0, headerLength: 20)
        case .ethernet:
            return try Self.ethernetPayload(frame)
        }
    }

    private static let ipv4Type: UInt16 = 0x0800
    private static let ipv6Type: UInt16 = 0x86DD
    private static let vlanTypes: Set<UInt16> = [0x8100, 0x88A8, 0x9100]

    /// A frame carries a tag for each VLAN it is nested in; more than a few are no honest frame.
    private static let mostTags = 4

    private static func ethernetPayload(_ frame: ArraySlice<UInt8>) throws(SkippedFrame) -> ArraySlice<UInt8>
    {
        var at = 12
        for _ in 0..<mostTags {
            guard vlanTypes.contains(try frame.number16(at)) else { break }
            at += 4
        }
        return try ifIP(frame, typeAt: at, headerLength: at + 2)
    }

    private static func ifIP(
        _ frame: ArraySlice<UInt8>, typeAt: Int, headerLength: Int
    ) throws(SkippedFrame) -> ArraySlice<UInt8> {
        let type = try frame.number16(typeAt)
        guard type == ipv4Type || type == ipv6Type else { throw .notIP }
        return try frame.after(headerLength)
    }
}

extension ArraySlice<UInt8> {
    func after(_ count: Int) throws(SkippedFrame) -> ArraySlice<UInt8> {
        guard count >= 0, count <= self.count else { throw .tooShort }
        return dropFirst(count)
    }

    func number8(_ offset: Int) throws(SkippedFrame) -> UInt8 {
        guard offset < count else { throw .tooShort }
        return self[startIndex + offset]
    }

    func number16(_ offset: Int) throws(SkippedFrame) -> UInt16 {
        UInt16(try number8(offset)) << 8 | UInt16(try number8(offset + 1))
    }

    func number32(_ offset: Int) throws(SkippedFrame) -> UInt32 {
        UInt32(try number16(offset)) << 16 | UInt32(try number16(offset + 2))
    }
}
