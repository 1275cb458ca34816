/// One message of netlink (`linux/netlink.h`): sixteen bytes of header, in this machine's order of bytes, and what
/// follows.
package struct NetlinkMessage: Equatable, Sendable {
    package let type: UInt16
    package let flags: UInt16
    package let sequence: UInt32
    package let body: ArraySlice<UInt8>

    static let headerSize = 16

    /// Types that mean the same whatever the protocol.
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    /// The kernel lost messages: whatever it says here, something has changed.
    static let overrun: UInt16 = 4

    static let isRequest: UInt16 = 0x1
    static let acknowledge: UInt16 = 0x4
    /// Root and match together: everything there is.
    static let dump: UInt16 = 0x300
    /// What was dumped changed while it was.
    static let wasInterrupted: UInt16 = 0x10

    /// The kernel said something that cannot be read.
    package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = "the kernel's answer makes no sense: \(description)"
        }
    }

    /// All messages of one datagram. A length that leaves it is refused, not followed.
    package static func all(in datagram: [UInt8]) throws(Malformed) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram[...]
        while !rest.isEmpty {
            guard rest.count >= headerSize else { throw Malformed("a header of \(rest.count) bytes") }
            let length = Int(rest.number(at: 0, UInt32.self))
            guard length >= headerSize, length <= rest.count else {
                throw Malformed("a message of \(length) bytes where \(rest.count) are left")
            }
            let start = rest.startIndex
            messages.append(
                NetlinkMessage(
                    type: rest.number(at: 4, UInt16.self), flags: rest.number(at: 6, UInt16.self),
                    sequence: rest.number(at: 8, UInt32.self),
                    body: rest[(start + headerSize)..<(start + length)]))
            // "NLMSG_ALIGNTO 4": the last one may come without its padding.
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return messages
    }

    /// Attributes behind a fixed part: two bytes of length, two of type, the value, padding to four.
    /// Of those with the same type the last one counts.
    static func attributes(of body: ArraySlice<UInt8>) throws(Malformed) -> [UInt16: ArraySlice<UInt8>] {
        var attributes: [UInt16: ArraySlice<UInt8>] = [:]
        var rest = body
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw Malformed("an attribute of \(rest.count) bytes") }
            let length = Int(rest.number(at: 0, UInt16.self))
            guard length >= 4, length <= rest.count else {
                throw Malformed("an attribute of \(length) bytes where \(rest.count) are left")
            }
            // The two highest bits say "nested" and "in network order".
            let type = rest.number(at: 2, UInt16.self) & 0x3FFF
            attributes[type] = rest[(rest.startIndex + 4)..<(rest.startIndex + length)]
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return attributes
    }

    /// Behind a fixed part of so many bytes, which has to be there.
    func attributes(behind fixed: Int) throws(Malformed) -> [UInt16: ArraySlice<UInt8>] {
        guard body.count >= fixed else { throw Malformed("\(body.count) bytes of a message of type \(type)") }
        return try Self.attributes(of: body.dropFirst(fixed))
    }

    // MARK: Writing

    static func request(
        _ type: UInt16, flags: UInt16, sequence: UInt32, fixed: [UInt8],
        _ attributes: [(type: UInt16, value: [UInt8])] = []
    ) -> [UInt8] {
        var body = fixed
        for (type, value) in attributes {
            body += bytes(UInt16(4 + value.count)) + bytes(type) + value
            body += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        }
        return bytes(UInt32(headerSize + body.count)) + bytes(type) + bytes(flags | isRequest)
            + bytes(sequence) + bytes(UInt32(0)) + body
    }

    /// In this machine's order.
    package static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}

extension ArraySlice<UInt8> {
    /// In this machine's order. The caller has looked that it is there.
    func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    /// A number that fills a whole attribute; nothing when it has another size.
    func whole<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        count == MemoryLayout<Number>.size ? number(at: 0, Number.self) : nil
    }

    /// Text up to its zero.
    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
