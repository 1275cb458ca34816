import Basics
import Glibc
import Posix

/// What the log says of a request at its end.
struct RequestFacts {
    let id: String
    let method: String
    let path: String
    let route: String?
    let status: Int
    let received: UInt64
    let began: Duration
    let client: String
}

/// A client that listens, on a socket of our own: the library has forgotten it, and the memory that it kept for it.
///
/// After it has been handed over it is touched by the stream writer's thread only.
final class StreamConnection: @unchecked Sendable {
    enum Progress {
        /// All that there is has been sent.
        case upToDate
        /// The socket takes nothing more for now.
        case full
        case over
    }

    let socket: OwnedDescriptor
    let stream: EventStream
    private let core: Core
    private let facts: RequestFacts
    /// Until its end.
    private var place: StreamPlaces.Place?
    /// Of the head, which has yet to be sent; it does not count as sent.
    private var headLeft: Int
    private var sent: UInt64 = 0
    var waitsForRoom = false
    /// Which pause before it comes back the client was told.
    var pauseLevel: UInt8

    /// When the other end takes nothing for so long, or does not say that it has, it is gone (tcp(7), TCP_USER_TIMEOUT).
    private static let mostSilence = Duration.seconds(60)

    init(
        _ socket: consuming OwnedDescriptor, _ stream: EventStream, _ core: Core, _ facts: RequestFacts,
        _ place: StreamPlaces.Place, headSize: Int, pauseLevel: UInt8
    ) {
        self.socket = socket
        self.stream = stream
        self.core = core
        self.facts = facts
        self.place = place
        headLeft = headSize
        self.pauseLevel = pauseLevel
        setUp()
    }

    /// What is said goes out at once, whatever the library has set for its own answers.
    private func setUp() {
        set(TCP_CORK, 0)
        set(TCP_NODELAY, 1)
        set(TCP_USER_TIMEOUT, Int32(Self.mostSilence.components.seconds * 1000))
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket.number, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Sending

    /// Sends what there is, as far as the socket takes it.
    func send(by memory: UnsafeMutableRawBufferPointer) -> Progress {
        while true {
            switch stream.next(into: memory) {
            case .nothingYet: return .upToDate
            case .ended: return .over
            case .bytes(let portion):
                let count = Glibc.send(
                    socket.number, memory.baseAddress, portion.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                if count > 0 {
                    stream.sent(count, of: portion)
                    let ofHead = min(headLeft, count)
                    headLeft -= ofHead
                    sent += UInt64(count - ofHead)
                }
                if count == portion.count { continue }
                if count >= 0 || errno == EAGAIN { return .full }
                if errno != EINTR { return .over }
            }
        }
    }

    // MARK: The end

    /// Its last words reach the client also where that has sent what no handler has read: a socket that is closed with
    /// bytes in it tells the other end to forget what is on the way.
    func end(by memory: UnsafeMutableRawBufferPointer) {
        shutdown(socket.number, Int32(SHUT_WR))
        var turns = 0
        while turns < 16,
            recv(socket.number, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT)) > 0
        { turns += 1 }
        stream.leave()
        core.log(
            AccessEntry(
                id: facts.id, method: facts.method, path: facts.path, route: facts.route,
                status: facts.status, sent: sent, received: facts.received,
                took: core.time.now - facts.began, peer: facts.client))
        place = nil
        core.requestEnded()
    }
}
