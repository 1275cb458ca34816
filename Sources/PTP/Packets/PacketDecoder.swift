/// Cuts a stream of bytes into packets, however the network split them.
///
/// Feed it what arrived, then ask ``next()`` until it has nothing more. After a Data or End Data
/// header the payload follows: as slices of what was fed, or, for the bytes of a photo, not at all,
/// because the driver reads ``payloadRemaining`` bytes from the link to where they belong and
/// reports them with ``payloadTaken(_:)``. A decoder that has thrown stays broken: after bytes that
/// make no sense there is no place to go on from.
public struct PacketDecoder: Equatable, Sendable {
    public enum Output: Equatable, Sendable {
        case packet(Packet)
        /// A piece of the payload that the last header announced.
        case payload(ArraySlice<UInt8>)
    }

    private var buffer: [UInt8] = []
    /// Where the first unread byte of `buffer` is.
    private var start = 0
    private var broken: Malformed?

    /// How many bytes of the current packet's payload have not been handed out yet.
    public private(set) var payloadRemaining = 0

    public init() {}

    /// Whether a packet has begun and not ended: the peer owes us bytes.
    public var isInsidePacket: Bool { payloadRemaining > 0 || start < buffer.count }

    public mutating func append(_ bytes: some Collection<UInt8>) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next packet or piece of payload; nothing when more bytes are needed.
    public mutating func next() throws(Malformed) -> Output? {
        if let broken { throw broken }
        if payloadRemaining > 0 {
            let count = min(payloadRemaining, buffer.count - start)
            guard count > 0 else { return nil }
            defer {
                start += count
                payloadRemaining -= count
            }
            return .payload(buffer[start..<start + count])
        }
        do throws(Malformed) {
            return try nextPacket().map { .packet($0) }
        } catch {
            broken = error
            throw error
        }
    }

    /// The driver has moved `count` bytes of payload from the link itself.
    public mutating func payloadTaken(_ count: Int) {
        precondition(start == buffer.count, "bytes that were fed come first: ask next() until it is nil")
        precondition(count <= payloadRemaining, "more payload was taken than the packet holds")
        payloadRemaining -= count
    }

    private mutating func nextPacket() throws(Malformed) -> Packet? {
        let unread = buffer[start...]
        guard unread.count >= PacketType.headerLength else { return nil }
        let (type, length) = try PacketDecoder.header(unread.prefix(PacketType.headerLength))
        let needed = type.carriesPayload ? Int(type.minimumLength) : Int(length)
        guard unread.count >= needed else { return nil }
        let bytes = unread.prefix(needed)
        do throws(ReadFailure) {
            let packet = try Packet.decode(type, length: length, bytes: bytes)
            start += needed
            payloadRemaining = type.carriesPayload ? Int(length) - needed : 0
            return packet
        } catch {
            throw Malformed(.packet(type), error, bytes: bytes)
        }
    }

    /// Refuses a length or type that no packet can have before anything is kept because of it.
    private static func header(
        _ bytes: ArraySlice<UInt8>
    ) throws(Malformed) -> (type: PacketType, length: UInt32) {
        var reader = ByteReader(bytes)
        do throws(ReadFailure) {
            let length: UInt32 = try reader.integer("length")
            let number: UInt32 = try reader.integer("type")
            guard let type = PacketType(rawValue: number) else {
                throw ReadFailure(field: "type", offset: 4, problem: .unexpected(value: UInt64(number)))
            }
            guard (type.minimumLength...type.maximumLength).contains(length) else {
                throw ReadFailure(
                    field: "length", offset: 0,
                    problem: .outside(
                        value: UInt64(length),
                        allowed: UInt64(type.minimumLength)...UInt64(type.maximumLength)))
            }
            return (type, length)
        } catch {
            throw Malformed(.packetHeader, error, bytes: bytes)
        }
    }
}
