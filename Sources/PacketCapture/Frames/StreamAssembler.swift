/// Puts one direction of a TCP connection back in order.
///
/// Segments come late, twice, cut differently the second time, or not at all. What was seen first counts.
/// Pure, and bounded: when too much waits for a missing piece, the piece counts as lost.
package struct StreamAssembler {
    package enum Piece: Equatable {
        case bytes(ArraySlice<UInt8>)
        /// On the wire and not captured, so many bytes: what the capture leaves out, or what it lost.
        case gap(Int, isLost: Bool)
    }

    private struct Waiting {
        var start: UInt64
        var bytes: ArraySlice<UInt8>
        var leftOut: Int

        var length: UInt64 { UInt64(bytes.count + leftOut) }
        var end: UInt64 { start + length }
    }

    /// What may wait for a missing piece: several windows of a fast network.
    static let mostWaitingBytes = 64 << 20
    static let mostWaitingSegments = 65_536

    /// The place in the stream that comes next, and the sequence number that it has.
    private var position: UInt64 = 1 << 32
    private var sequence: UInt32?
    /// In order of place, not touching `position`.
    private var waiting: [Waiting] = []
    private var waitingBytes = 0
    private(set) var isEnded = false

    package init() {}

    /// The stream's first byte has the number after this.
    package mutating func began(with sequence: UInt32) {
        if self.sequence == nil { self.sequence = sequence &+ 1 }
    }

    mutating func ended() {
        isEnded = true
    }

    /// Whether anything of this direction has been seen.
    var hasBegun: Bool { sequence != nil }

    package mutating func add(_ sequence: UInt32, _ payload: ArraySlice<UInt8>, leftOut: Int) -> [Piece] {
        guard !payload.isEmpty || leftOut > 0 else { return [] }
        // A capture that began in the middle begins with the first segment it saw.
        let expected = self.sequence ?? sequence
        self.sequence = expected
        let distance = Int64(Int32(bitPattern: sequence &- expected))
        let start = UInt64(Int64(position) + distance)
        insert(Waiting(start: start, bytes: payload, leftOut: leftOut))
        var pieces = takeReady()
        if waitingBytes > Self.mostWaitingBytes || waiting.count > Self.mostWaitingSegments {
            pieces += skipToNext()
        }
        return pieces
    }

    /// At the end of the capture nothing comes any more for what is missing.
    package mutating func flush() -> [Piece] {
        var pieces: [Piece] = []
        while !waiting.isEmpty { pieces += skipToNext() }
        return pieces
    }

    private mutating func insert(_ segment: Waiting) {
        let index = waiting.firstIndex { $0.start > segment.start } ?? waiting.count
        waiting.insert(segment, at: index)
        waitingBytes += segment.bytes.count
    }

    /// Everything that follows without a hole. What was given out before is cut off the front.
    private mutating func takeReady() -> [Piece] {
        var pieces: [Piece] = []
        while let first = waiting.first, first.start <= position {
            waiting.removeFirst()
            waitingBytes -= first.bytes.count
            guard first.end > position else { continue }
            let known = Int(position - first.start)
            let bytes = first.bytes.dropFirst(known)
            let leftOut = first.leftOut - max(0, known - first.bytes.count)
            if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
            if leftOut > 0 { pieces.append(.gap(leftOut, isLost: false)) }
            advance(by: bytes.count + leftOut)
        }
        return pieces
    }

    private mutating func advance(by count: Int) {
        position += UInt64(count)
        sequence = (sequence ?? 0) &+ UInt32(truncatingIfNeeded: count)
    }

    private mutating func skipToNext() -> [Piece] {
        guard let first = waiting.first else { return [] }
        let lost = Int(first.start - position)
        advance(by: lost)
        return [.gap(lost, isLost: true)] + takeReady()
    }
}
