/// Bytes in order between two ends, and nothing about what they mean.
///
/// One task receives and one task sends at a time. Both run on the caller's executor and never block it.
public protocol ByteLink: AnyObject, Sendable {
    /// Waits until there is at least one byte and moves what is there into `range` of `buffer`, then,
    /// when `range` is full, into `spill`. Returns how many bytes came in all; 0 when the other end has
    /// finished sending.
    ///
    /// `spill` saves a call where the end of a payload is known: the next packet's header comes with it.
    func receive(into buffer: Buffer, _ range: Range<Int>, spill: Buffer?) async throws(LinkError) -> Int

    /// Returns when every byte has been handed over (to the kernel, for TCP), or throws.
    func send(_ pieces: [Piece]) async throws(LinkError)

    /// Ends the link at once. A caller that waits in `receive` or `send` gets ``LinkError/closedHere``.
    func close(_ manner: LinkClosing)

    /// Who is at the other end, for messages: `192.168.1.1:15740`.
    var peer: String { get }
}

/// What `send` takes: small headers as arrays, payload as a part of a buffer, in one call.
public enum Piece: Sendable {
    case bytes([UInt8])
    case buffer(Buffer, Range<Int>)

    public var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .buffer(_, let range): range.count
        }
    }
}

public enum LinkClosing: Sendable {
    /// What was sent still arrives; the peer sees an end (TCP: FIN).
    case orderly
    /// The peer sees the link break (TCP: RST).
    case reset
}

extension ByteLink {
    public func send(_ bytes: [UInt8]) async throws(LinkError) {
        try await send([.bytes(bytes)])
    }

    public func receive(into buffer: Buffer) async throws(LinkError) -> Int {
        try await receive(into: buffer, 0..<buffer.capacity, spill: nil)
    }
}
