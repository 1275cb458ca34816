import Synchronization

/// One message to those who listen.
package struct ServerEvent: Equatable, Sendable {
    package let id: UInt64
    package let name: String
    package let data: String
    /// What it is about, by which it can be taken back; not sent.
    package let subject: String?
    /// A second part, which comes with it: the id stands in that, so that a client that was cut off between them gets both
    /// again.
    package let thenName: String?
    package let thenData: String

    package init(
        id: UInt64, name: String, data: String, subject: String? = nil,
        then second: (name: String, data: String)? = nil
    ) {
        (thenName, thenData) = (second?.name, second?.data ?? "")
        self.id = id
        self.name = name
        self.data = data
        self.subject = subject
    }

    /// As it goes over the wire (WHATWG HTML §9.2): each line of the data is a line of its own.
    var wire: [UInt8] {
        let first = Self.wire(id: thenName == nil ? id : nil, name, data)
        return Array((first + (thenName.map { Self.wire(id: id, $0, thenData) } ?? "")).utf8)
    }

    private static func wire(id: UInt64?, _ name: String, _ data: String) -> String {
        var text = (id.map { "id: \($0)\n" } ?? "") + "event: \(name.filter { !$0.isNewline })\n"
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        return text + "\n"
    }
}

/// Those who listen to one subject, and the last messages for clients that come back.
package final class EventFeed: Sendable {
    private struct Listener {
        weak var stream: EventStream?
    }

    private struct State {
        var memory: [ServerEvent] = []
        /// Everything up to here is known to a client with this id, or is in the memory.
        var forgottenUpTo: UInt64
        var last: UInt64
        var listeners: [ObjectIdentifier: Listener] = [:]
    }

    private let state: Mutex<State>
    private let remembers: Int

    /// A client that knows what came up to the id that it begins behind misses nothing.
    package init(remembers: Int = 1000, behind last: UInt64 = 0) {
        precondition(remembers > 0, "a feed remembers at least one message")
        self.remembers = remembers
        state = Mutex(State(forgottenUpTo: last, last: last))
    }

    /// Ids only grow.
    package func publish(_ event: ServerEvent) {
        let piece = EventStream.Piece(event)
        let streams = state.withLock { state in
            precondition(event.id > state.last, "the ids of a feed only grow")
            state.last = event.id
            state.memory.append(event)
            // Forgotten in pieces, because each forgetting moves the rest.
            if state.memory.count >= remembers + max(16, remembers / 4) {
                let count = state.memory.count - remembers
                state.forgottenUpTo = state.memory[count - 1].id
                state.memory.removeFirst(count)
            }
            let streams = state.listeners.values.compactMap(\.stream)
            if streams.count < state.listeners.count {
                state.listeners = state.listeners.filter { $0.value.stream != nil }
            }
            // Inside the lock, so that all streams get everything in one order.
            for stream in streams { stream.append(piece) }
            return streams
        }
        for stream in streams { stream.wake() }
    }

    /// From what came after that id; where that is forgotten, it begins with an event called "reset".
    package func stream(after last: UInt64?) -> EventStream {
        let stream = EventStream()
        state.withLock { state in
            if let last {
                if last < state.forgottenUpTo || last > state.last {
                    stream.append(EventStream.Piece(ServerEvent(id: state.last, name: "reset", data: "")))
                } else {
                    for event in state.memory where event.id > last {
                        stream.append(EventStream.Piece(event))
                    }
                }
            }
            state.listeners[ObjectIdentifier(stream)] = Listener(stream: stream)
        }
        return stream
    }

    /// Messages of that subject are not sent any more, to clients that come back nor to those that are behind.
    package func takeBack(_ subject: String) {
        let streams = state.withLock { state in
            state.memory.removeAll { $0.subject == subject }
            return state.listeners.values.compactMap(\.stream).filter { $0.takeBack(subject) }
        }
        for stream in streams { stream.wake() }
    }

    /// All who listen are sent away, with what has been published. They may come back.
    package func sendAway() {
        let streams = state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners.values.compactMap(\.stream)
        }
        for stream in streams { stream.end() }
    }

    /// How many listen just now.
    package var listeners: Int {
        state.withLock { $0.listeners.values.count { $0.stream?.isOver == false } }
    }
}

/// One listener's place in a feed.
package final class EventStream: Sendable {
    struct Piece: Sendable {
        let bytes: [UInt8]
        var subject: String?

        init(_ event: ServerEvent) {
            bytes = event.wire
            subject = event.subject
        }

        /// What is no message.
        init(_ text: String) {
            bytes = Array(text.utf8)
        }
    }

    private struct State {
        /// Behind `offset`, what is still to be sent.
        var pieces: [Piece] = []
        var offset = 0
        var waiting = 0
        var hasEnded = false
        var beatAt: Duration?
        var wire: Wakeable?
    }

    /// A client that is further behind is dropped, and comes back with its last id.
    static let mostWaiting = 1 << 20
    private let state = Mutex(State())

    init() {}

    package var isOver: Bool { state.withLock(\.hasEnded) }

    fileprivate func append(_ piece: Piece) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.waiting += piece.bytes.count
            guard state.waiting <= Self.mostWaiting else {
                state.hasEnded = true
                state.pieces = []
                return
            }
            state.pieces.append(piece)
        }
    }

    /// Whether it had to end for that: half a message can only be cut.
    fileprivate func takeBack(_ subject: String) -> Bool {
        state.withLock { state in
            if state.offset > 0, state.pieces.first?.subject == subject {
                state.hasEnded = true
                (state.pieces, state.offset) = ([], 0)
                return true
            }
            for piece in state.pieces where piece.subject == subject { state.waiting -= piece.bytes.count }
            state.pieces.removeAll { $0.subject == subject }
            return false
        }
    }

    fileprivate func wake() {
        state.withLock(\.wire)?.wake()
    }

    /// What is woken when there is something to send.
    func attach(_ wire: Wakeable) {
        state.withLock { state in
            state.wire = wire
            // Something at once, so that the other side knows that it is heard, and how soon to come back.
            state.pieces.insert(Piece("retry: 2000\n\n"), at: 0)
        }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wake()
    }

    /// A comment, so that no proxy takes the connection for dead.
    func beat(at now: Duration, every period: Duration) {
        let isDue = state.withLock { state in
            guard let last = state.beatAt else {
                state.beatAt = now
                return false
            }
            guard now - last >= period, !state.hasEnded else { return false }
            state.beatAt = now
            // A client that has not read the last one needs no other.
            guard state.pieces.isEmpty else { return false }
            state.pieces.append(Piece(":\n\n"))
            return true
        }
        if isDue { wake() }
    }

    package enum Take: Equatable {
        case bytes(Int)
        case nothingYet
        case ended
    }

    /// Moves as much as fits.
    package func take(into memory: UnsafeMutableRawBufferPointer) -> Take {
        state.withLock { state in
            var filled = 0
            while filled < memory.count, let first = state.pieces.first {
                let count = min(memory.count - filled, first.bytes.count - state.offset)
                first.bytes.withUnsafeBytes { bytes in
                    memory[filled..<filled + count].copyBytes(
                        from: bytes[state.offset..<state.offset + count])
                }
                filled += count
                state.offset += count
                if state.offset == first.bytes.count {
                    state.waiting = max(0, state.waiting - first.bytes.count)
                    state.pieces.removeFirst()
                    state.offset = 0
                }
            }
            if filled > 0 { return .bytes(filled) }
            return state.hasEnded ? .ended : .nothingYet
        }
    }
}
