package import PTP

/// How bytes become packets on one link, and packets bytes.
///
/// One value for each link and both directions, because there are bodies whose frames of one direction can only be
/// made with what came in the other: a Fujifilm in phone mode names the operation in every frame of its data. What a
/// link says need not be PTP/IP, as long as it can be put into its packets. A photo's bytes never come this way: of Data
/// and End Data only what stands before the payload is made here.
package protocol Framing: Sendable {
    /// What has arrived.
    mutating func append(_ bytes: UnsafeRawBufferPointer)

    /// The next packet or piece of payload; nothing when more bytes are needed.
    mutating func next() throws(Malformed) -> PacketDecoder.Output?

    /// A packet as it goes onto the wire; no bytes for one that this framing has no place for. Payload follows.
    mutating func encode(_ packet: Packet) -> [UInt8]

    /// A whole frame of a type that need not be one, with any content: what the fault script makes cameras say.
    func frame(type: UInt32, _ content: [UInt8]) -> [UInt8]
}

/// PTP/IP as CIPA DC-X005 has it.
package struct StandardFraming: Framing {
    private var decoder = PacketDecoder()

    package init() {}

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        decoder.append(bytes)
    }

    package mutating func next() throws(Malformed) -> PacketDecoder.Output? {
        try decoder.next()
    }

    package func encode(_ packet: Packet) -> [UInt8] { packet.encoded }

    package func frame(type: UInt32, _ content: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(reserving: PacketType.headerLength + content.count)
        writer.append(UInt32(PacketType.headerLength + content.count))
        writer.append(type)
        writer.append(contentsOf: content)
        return writer.bytes
    }
}
