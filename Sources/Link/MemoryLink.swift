import Posix
import Synchronization

/// One end of a link that is nothing but memory: the same rules as TCP, without a network, a thread or a
/// clock, on any executor.
public final class MemoryLink: ByteLink {
    private let incoming: MemoryPipe
    private let outgoing: MemoryPipe
    public let peer: String

    /// What fits into one direction before the sender has to wait.
    public static let usualCapacity = 256 << 10

    /// Two ends that are connected to each other.
    public static func pair(
        capacity: Int = usualCapacity, names: (String, String) = ("memory A", "memory B")
    ) -> (MemoryLink, MemoryLink) {
        let there = MemoryPipe(capacity: capacity)
        let back = MemoryPipe(capacity: capacity)
        return (
            MemoryLink(incoming: back, outgoing: there, peer: names.1),
            MemoryLink(incoming: there, outgoing: back, peer: names.0)
        )
    }

    private init(incoming: MemoryPipe, outgoing: MemoryPipe, peer: String) {
        self.incoming = incoming
        self.outgoing = outgoing
        self.peer = peer
    }

    deinit {
        close(.orderly)
    }

    public func receive(into buffer: Buffer, _ range: Range<Int>, spill: Buffer?) async throws(LinkError)
        -> Int
    {
        precondition(!range.isEmpty, "there must be room for a byte")
        let first = UnsafeMutableRawBufferPointer(rebasing: buffer.memory[range])
        while true {
            switch incoming.take(first, spill?.memory) {
            case .moved(let count): return count
            case .wait: await incoming.readable.waitUnlessCancelled()
            case .ended: return 0
            case .broken: throw .reset(peer: peer)
            case .closedHere: throw .closedHere
            }
            if Task.isCancelled { throw .cancelled }
        }
    }

    public func send(_ pieces: [Piece]) async throws(LinkError) {
        for piece in pieces {
            var sent = 0
            while sent < piece.count {
                switch outgoing.put(piece, from: sent) {
                case .moved(let count): sent += count
                case .wait: await outgoing.writable.waitUnlessCancelled()
                case .ended, .broken: throw .reset(peer: peer)
                case .closedHere: throw .closedHere
                }
                if Task.isCancelled { throw .cancelled }
            }
        }
    }

    public func close(_ manner: LinkClosing) {
        outgoing.closeWriting(isReset: manner == .reset)
        incoming.closeReading()
    }
}

/// One direction of a memory link.
private final class MemoryPipe: Sendable {
    enum Result {
        case moved(Int)
        case wait
        case ended
        case broken
        case closedHere
    }

    private struct State {
        var bytes: [UInt8] = []
        var head = 0
        var isWriterClosed = false
        var isReaderClosed = false
        var isBroken = false

        var count: Int { bytes.count - head }
    }

    private let capacity: Int
    private let state = Mutex(State())
    let readable = Signal()
    let writable = Signal()

    init(capacity: Int) {
        precondition(capacity > 0, "a pipe holds at least a byte")
        self.capacity = capacity
    }

    func take(_ first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer?) -> Result {
        let result = state.withLock { state -> Result in
            if state.isReaderClosed { return .closedHere }
            if state.isBroken { return .broken }
            guard state.count > 0 else { return state.isWriterClosed ? .ended : .wait }
            let inFirst = min(first.count, state.count)
            first.copyBytes(from: state.bytes[state.head..<state.head + inFirst])
            let inSecond = min(second?.count ?? 0, state.count - inFirst)
            second?.copyBytes(from: state.bytes[(state.head + inFirst)..<(state.head + inFirst + inSecond)])
            state.head += inFirst + inSecond
            if state.count == 0 {
                state.bytes.removeAll(keepingCapacity: true)
                state.head = 0
            }
            return .moved(inFirst + inSecond)
        }
        if case .moved = result { writable.fire() }
        return result
    }

    func put(_ piece: Piece, from start: Int) -> Result {
        let result = state.withLock { state -> Result in
            if state.isWriterClosed { return .closedHere }
            if state.isReaderClosed || state.isBroken { return .broken }
            let count = min(piece.count - start, capacity - state.count)
            guard count > 0 else { return .wait }
            switch piece {
            case .bytes(let bytes): state.bytes += bytes[start..<start + count]
            case .buffer(let buffer, let range):
                state.bytes += buffer.memory[(range.lowerBound + start)..<(range.lowerBound + start + count)]
            }
            return .moved(count)
        }
        if case .moved = result { readable.fire() }
        return result
    }

    /// What was sent before an orderly end still arrives; a reset takes it away.
    func closeWriting(isReset: Bool) {
        state.withLock { state in
            if !state.isWriterClosed { state.isBroken = isReset }
            state.isWriterClosed = true
        }
        readable.fire()
        writable.fire()
    }

    func closeReading() {
        state.withLock { $0.isReaderClosed = true }
        readable.fire()
        writable.fire()
    }
}
