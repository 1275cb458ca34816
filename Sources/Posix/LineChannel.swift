import Glibc

/// Lines in both directions of a local socket. One task reads, and one writes.
///
/// Belongs to the connection's task, as far as reading goes: nothing of it is guarded.
struct LineReader {
    private let socket: Socket
    private let reactor: Reactor
    private let path: String
    private var bytes: [UInt8] = []
    /// Before this everything has been given out.
    private var start = 0
    /// Before this there is no line's end any more.
    private var searched = 0

    /// So much is received at once.
    private static let roomForMore = 64 << 10

    enum Outcome: Equatable {
        case line(String)
        /// The peer has ended, after a whole line or before the first.
        case end
        /// The peer has ended in the middle of a line.
        case cutOff
        /// The peer has gone away without reading all that it was sent, or without taking the connection at all.
        case reset
        case tooLong
        case tooLate
    }

    init(_ socket: Socket, _ reactor: Reactor, path: String) {
        self.socket = socket
        self.reactor = reactor
        self.path = path
    }

    /// The next line, without its end. Asked again after anything else than a line, it gives the same.
    mutating func next(longest: Int, within limit: () -> Duration?) async throws -> Outcome {
        while true {
            if let line = takeLine() { return line.utf8.count <= longest ? .line(line) : .tooLong }
            if bytes.count - start > longest { return .tooLong }
            switch receive() {
            case .moved(0):
                return bytes.count == start ? .end : .cutOff
            case .moved:
                break
            case .wouldBlock:
                switch await reactor.waitReadable(socket.descriptor, until: limit()) {
                case .ready: break
                case .deadline: return .tooLate
                case .closed, .cancelled: throw CancellationError()
                }
            case .closedHere:
                throw CancellationError()
            case .failed(ECONNRESET):
                return bytes.count == start ? .reset : .cutOff
            case .failed(let number):
                throw SystemError("receiving", number, on: path)
            }
        }
    }

    private mutating func takeLine() -> String? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        let line = String(decoding: bytes[start..<end], as: UTF8.self)
        start = end + 1
        searched = start
        return line
    }

    private mutating func receive() -> Socket.Outcome {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        return withUnsafeTemporaryAllocation(byteCount: Self.roomForMore, alignment: 1) { memory in
            let outcome = socket.receive(memory, nil)
            if case .moved(let count) = outcome { bytes += memory[..<count] }
            return outcome
        }
    }
}

extension Socket {
    /// Sends a whole line, or closes: half a line must not be followed by another. `limit` is for the peer to take the
    /// next bytes.
    func sendLine(_ line: String, within limit: Duration, _ reactor: Reactor, path: String) async throws {
        precondition(!line.utf8.contains(UInt8(ascii: "\n")), "a line has no line's end inside")
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        var sent = 0
        do {
            while sent < bytes.count {
                switch send(bytes[sent...]) {
                case .moved(let count): sent += count
                case .wouldBlock:
                    switch await reactor.waitWritable(descriptor, until: reactor.now + limit) {
                    case .ready: break
                    case .deadline: throw SystemError("sending", ETIMEDOUT, on: path)
                    case .closed, .cancelled: throw CancellationError()
                    }
                case .closedHere: throw SystemError("sending", EPIPE, on: path)
                case .failed(let number): throw SystemError("sending", number, on: path)
                }
            }
        } catch {
            if sent > 0 { close(reset: false, reactor) }
            throw error
        }
    }
}
