public import Posix

/// A TCP connection as a ``ByteLink``: small packets go out at once, a dead peer is noticed, and no call
/// blocks the thread it is made on.
public final class TCPLink: ByteLink {
    public struct Options: Sendable {
        /// For the connection to be made, the name's resolution included.
        public var connectLimit: Duration = .seconds(10)
        /// For the peer to take the next byte: a peer that stops reading gives no other sign.
        public var sendLimit: Duration = .seconds(30)
        /// For the next byte to come, while a caller waits for one; callers that know what is due have
        /// deadlines of their own.
        public var receiveLimit: Duration?
        /// Only through this interface, whatever the routes say.
        public var interface: String?

        public init() {}
    }

    private let socket: Socket
    private let reactor: Reactor
    private let options: Options
    public let peer: String
    public let localEndpoint: IPEndpoint
    public let remoteEndpoint: IPEndpoint

    init(_ socket: Socket, _ reactor: Reactor, _ options: Options) throws(LinkError) {
        guard let local = socket.localEndpoint, let remote = socket.remoteEndpoint else {
            throw .reset(peer: "a peer that was gone at once")
        }
        self.socket = socket
        self.reactor = reactor
        self.options = options
        localEndpoint = local
        remoteEndpoint = remote
        peer = "\(remote)"
        do throws(SystemError) {
            try socket.setUpForPTP()
        } catch {
            throw LinkError(error)
        }
    }

    deinit {
        socket.close(reset: false, reactor)
    }

    // MARK: Receiving

    public func receive(
        into buffer: Buffer, _ range: Range<Int>, spill: Buffer?
    ) async throws(LinkError) -> Int {
        precondition(!range.isEmpty, "there must be room for a byte")
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer.memory[range])
        while true {
            switch socket.receive(place, spill?.memory) {
            case .moved(let count):
                return count
            case .wouldBlock:
                let deadline = options.receiveLimit.map { reactor.now + $0 }
                try throwUnlessReady(
                    await reactor.waitReadable(socket.descriptor, until: deadline), options.receiveLimit)
            case .closedHere:
                throw .closedHere
            case .failed(let number):
                throw LinkError(number, "receiving", peer: peer)
            }
        }
    }

    // MARK: Sending

    public func send(_ pieces: [Piece]) async throws(LinkError) {
        var rest = Unsent(pieces)
        while !rest.isEmpty {
            switch rest.withPieces({ socket.send($0) }) {
            case .moved(let count):
                rest.drop(count)
            case .wouldBlock:
                let deadline = reactor.now + options.sendLimit
                try throwUnlessReady(
                    await reactor.waitWritable(socket.descriptor, until: deadline), options.sendLimit)
            case .closedHere:
                throw .closedHere
            case .failed(let number):
                throw LinkError(number, "sending", peer: peer)
            }
        }
    }

    private func throwUnlessReady(_ wakening: Reactor.Wakening, _ limit: Duration?) throws(LinkError) {
        switch wakening {
        case .ready: return
        case .deadline: throw .stalled(peer: peer, after: limit ?? .zero)
        case .closed: throw .closedHere
        case .cancelled: throw .cancelled
        }
    }

    public func close(_ manner: LinkClosing) {
        socket.close(reset: manner == .reset, reactor)
    }
}

/// What of a send is still to be sent.
private struct Unsent {
    private var pieces: ArraySlice<Piece>
    /// How much of the first piece has gone.
    private var sentOfFirst = 0

    init(_ pieces: [Piece]) {
        self.pieces = pieces.filter { $0.count > 0 }[...]
    }

    var isEmpty: Bool { pieces.isEmpty }

    mutating func drop(_ count: Int) {
        var left = count
        while let first = pieces.first, left >= first.count - sentOfFirst {
            left -= first.count - sentOfFirst
            sentOfFirst = 0
            pieces.removeFirst()
        }
        sentOfFirst += left
    }

    /// The next pieces as memory. Arrays are short, so putting them side by side costs nothing.
    func withPieces<Result>(_ body: ([UnsafeRawBufferPointer]) -> Result) -> Result {
        var small: [UInt8] = []
        var places: [(isSmall: Bool, start: Int, count: Int, buffer: Buffer?)] = []
        for (index, piece) in pieces.prefix(Socket.mostPieces).enumerated() {
            let skipped = index == 0 ? sentOfFirst : 0
            switch piece {
            case .bytes(let bytes):
                places.append((true, small.count, bytes.count - skipped, nil))
                small += bytes[skipped...]
            case .buffer(let buffer, let range):
                places.append((false, range.lowerBound + skipped, range.count - skipped, buffer))
            }
        }
        return small.withUnsafeBytes { small in
            body(
                places.map { place in
                    let range = place.start..<place.start + place.count
                    guard let buffer = place.buffer else {
                        return UnsafeRawBufferPointer(rebasing: small[range])
                    }
                    return UnsafeRawBufferPointer(rebasing: buffer.memory[range])
                })
        }
    }
}
