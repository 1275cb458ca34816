/// Cuts a stream of bytes into packets, however the network split them.
///
/// Feed it what arrived, then ask ``next()`` until it has nothing more. After a Data or End Data
/// header the payload follows: as slices of what was fed, or, for the bytes of a photo, not at all,
/// because the driver reads ``payloadRemaining`` bytes from the link to where they belong and
/// reports them with ``payloadTaken(_:)``.
///
/// A packet that is whole and odd is told as such, and then as what could be understood of it. A length that
/// no packet can have is an error, and a decoder that has thrown stays broken: there is no place to go on
/// from.
public struct PacketDecoder: Equatable, Sendable {
    public enum Output: Equatable, Sendable {
        case packet(Packet)
        /// A packet that is not as the standard has it. What of it can be understood is the next output.
        case odd(OddPacket)
        /// A piece of the payload that the last header announced.
        case payload(ArraySlice<UInt8>)
    }

    private var buffer: [UInt8] = []
    /// Where the first unread byte of `buffer` is.
    private var start = 0
    private var broken: Malformed?
    /// What could be understood of the odd packet just told of.
    private var understood: Packet?
    /// What is still to come of a packet that is skipped.
    private var passingOver = 0

    /// How many bytes of the current packet's payload have not been handed out yet.
    public private(set) var payloadRemaining = 0

    public init() {}

    /// Whether a packet has begun and not ended: the peer owes us bytes.
    public var isInsidePacket: Bool { payloadRemaining > 0 || passingOver > 0 || start < buffer.count }

    /// What has come of a packet that is not whole.
    public var unread: ArraySlice<UInt8> { buffer[start...] }

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
        if let packet = understood {
            understood = nil
            return .packet(packet)
        }
        if passingOver > 0 {
            let count = min(passingOver, buffer.count - start)
            start += count
            passingOver -= count
            guard passingOver == 0 else { return nil }
        }
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
            return try nextPacket()
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

    private mutating func nextPacket() throws(Malformed) -> Output? {
        let unread = buffer[start...]
        guard unread.count >= PacketType.headerLength else { return nil }
        let header = try Header(unread.prefix(PacketType.headerLength))
        guard unread.count >= header.kept else { return nil }
        let bytes = unread.prefix(header.kept)
        let odd = header.oddity.map {
            OddPacket($0, type: header.number, length: header.length, bytes: bytes)
        }
        var packet: Packet?
        if let type = header.type, odd?.isPassedOver != true {
            do throws(ReadFailure) {
                packet = try Packet.decode(type, length: header.length, bytes: bytes)
            } catch {
                throw Malformed(.packet(type), error, bytes: bytes)
            }
        }
        start += header.kept
        let rest = Int(header.length) - header.kept
        if packet?.type.carriesPayload == true { payloadRemaining = rest } else { passingOver = rest }
        guard let odd else { return packet.map { .packet($0) } }
        understood = packet
        return .odd(odd)
    }

    /// What the first eight bytes say, judged before anything is kept because of it.
    private struct Header {
        let number: UInt32
        let length: UInt32
        /// Nothing for a type that the standard does not have.
        let type: PacketType?

        init(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
            var reader = ByteReader(bytes)
            do throws(ReadFailure) {
                length = try reader.integer("length")
                number = try reader.integer("type")
                type = PacketType(rawValue: number)
                let possible = PacketType.possibleLengths(of: number)
                guard possible.contains(length) else {
                    throw ReadFailure(
                        field: "length", offset: 0,
                        problem: .outside(
                            value: UInt64(length),
                            allowed: UInt64(possible.lowerBound)...UInt64(possible.upperBound)))
                }
            } catch {
                throw Malformed(.packetHeader, error, bytes: bytes)
            }
        }

        /// How many bytes have to be there before the packet is looked at. What stands behind them is payload, or is
        /// passed over as it comes.
        var kept: Int {
            guard let type else { return min(Int(length), OddPacket.firstBytesLimit) }
            return Int(min(length, type.carriesPayload ? type.minimumLength : type.maximumLength))
        }

        var oddity: OddPacket.Oddity? {
            guard let type else { return .unknown }
            if length < type.leastLength { return .empty }
            if length < type.minimumLength { return .shorter }
            if length > type.maximumLength { return .longer }
            // "p is implied by the length": one to three bytes more are no parameter.
            return type.endsInParameters && !(length - type.minimumLength).isMultiple(of: 4) ? .longer : nil
        }
    }
}
